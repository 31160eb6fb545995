use actix_web::web::{Json, Path, Query};
use actix_web::{get, post};
use serde::Deserialize;
use shop_domain::ids::CustomerId;
use shop_domain::operations::operation;
use shop_service::credit::{self, Balance, Deduct, Issue, Transaction};
use shop_service::{Page, PageQuery};
use utoipa::IntoParams;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(get_store_credit_balance).service(list_store_credit_transactions);
    config.service(issue_store_credit).service(deduct_store_credit);
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct CustomerPath {
    /// Whose store credit.
    customer_id: CustomerId,
}

/// Available and pending store credit.
///
/// Changes nothing. Pending is what payments hold that are not captured yet.
#[utoipa::path(params(CustomerPath), responses((status = 200, description = "The balance, by currency.", body = Balance)))]
#[get("/v1/customers/{customer_id}/store-credit")]
async fn get_store_credit_balance(caller: Caller, path: Path<CustomerPath>) -> Result<Balance> {
    caller.read(|ctx| async move { credit::balance(&ctx, path.customer_id).await }).await.map(Answer::view)
}

/// Credits and debits with their source.
///
/// Changes nothing. Newest first.
#[utoipa::path(params(CustomerPath, PageQuery), responses((status = 200, description = "One page.", body = Page<Transaction>)))]
#[get("/v1/customers/{customer_id}/store-credit/transactions")]
async fn list_store_credit_transactions(
    caller: Caller,
    path: Path<CustomerPath>,
    page: Query<PageQuery>,
) -> Result<Page<Transaction>> {
    caller
        .read(|ctx| async move { credit::transactions(&ctx, path.customer_id, page.into_inner()).await })
        .await
        .map(Answer::view)
}

/// Grant credit that is not tied to a refund.
///
/// Precondition: the balance is at the version in If-Match; above the policy's limit for one customer and day, a
/// second person's approval. Postcondition: the customer can spend that much more. A refund to store credit is
/// `refund_*` with that destination; both together pay twice.
#[utoipa::path(params(CustomerPath), request_body = Issue, responses((status = 201, description = "The balance as it is now.", body = Balance)))]
#[post("/v1/customers/{customer_id}/store-credit/credits")]
async fn issue_store_credit(caller: Caller, path: Path<CustomerPath>, body: Json<Issue>) -> Result<Balance> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { credit::issue(&ctx, path.customer_id, body).await };
    caller.write(operation("issue_store_credit"), write).await.map(Answer::created)
}

/// Take credit back or correct an error.
///
/// Precondition: at least that much is available, and the balance is at the version in If-Match. Postcondition: the
/// customer can spend that much less.
#[utoipa::path(params(CustomerPath), request_body = Deduct, responses((status = 201, description = "The balance as it is now.", body = Balance)))]
#[post("/v1/customers/{customer_id}/store-credit/debits")]
async fn deduct_store_credit(
    caller: Caller,
    path: Path<CustomerPath>,
    body: Json<Deduct>,
) -> Result<Balance> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { credit::deduct(&ctx, path.customer_id, body).await };
    caller.write(operation("deduct_store_credit"), write).await.map(Answer::created)
}

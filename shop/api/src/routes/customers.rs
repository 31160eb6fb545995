use actix_web::web::{Json, Path, Query};
use actix_web::{get, patch, post};
use serde::Deserialize;
use shop_domain::ids::CustomerId;
use shop_domain::operations::operation;
use shop_service::customers::{self, Block, Create, Filter, Merge, Update, View};
use shop_service::{Page, PageQuery, orders};
use utoipa::IntoParams;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(list_customers).service(get_customer).service(create_customer).service(update_customer);
    config.service(merge_customers).service(block_customer).service(anonymize_customer);
    config.service(list_customer_orders);
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct CustomerPath {
    /// Which customer.
    customer_id: CustomerId,
}

/// Page and filter customers (email, phone, tag).
///
/// Changes nothing. Oldest account first.
#[utoipa::path(params(Filter, PageQuery), responses((status = 200, description = "One page.", body = Page<View>)))]
#[get("/v1/customers")]
async fn list_customers(caller: Caller, filter: Query<Filter>, page: Query<PageQuery>) -> Result<Page<View>> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller.read(|ctx| async move { customers::list(&ctx, filter, page).await }).await.map(Answer::view)
}

/// Profile, tags, consent and lifetime totals.
///
/// Changes nothing. Totals are by currency; cancelled orders are not counted.
#[utoipa::path(params(CustomerPath), responses((status = 200, description = "The customer.", body = View)))]
#[get("/v1/customers/{customer_id}")]
async fn get_customer(caller: Caller, path: Path<CustomerPath>) -> Result<View> {
    caller.read(|ctx| async move { customers::get(&ctx, path.customer_id).await }).await.map(Answer::view)
}

/// Create a customer account.
///
/// Precondition: no other account of the brand uses the address. Postcondition: an active customer who can buy.
#[utoipa::path(request_body = Create, responses((status = 201, description = "The new customer.", body = View)))]
#[post("/v1/customers")]
async fn create_customer(caller: Caller, body: Json<Create>) -> Result<View> {
    let body = body.into_inner();
    let write = |ctx| async move { customers::create(&ctx, body).await };
    caller.write(operation("create_customer"), write).await.map(Answer::created)
}

/// Change name, contact details, consent or tags.
///
/// What is left out stays. Postcondition: the profile is changed; orders that were placed keep their contact, see
/// `update_order_contact`.
#[utoipa::path(params(CustomerPath), request_body = Update, responses((status = 200, description = "The customer as they are now.", body = View)))]
#[patch("/v1/customers/{customer_id}")]
async fn update_customer(caller: Caller, path: Path<CustomerPath>, body: Json<Update>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { customers::update(&ctx, path.customer_id, body).await };
    caller.write(operation("update_customer"), write).await.map(Answer::ok)
}

/// Fold a duplicate account into this one.
///
/// Precondition: neither account was merged or erased, both are of one brand, and this one is at the version in
/// If-Match. Postcondition: this account has the orders, addresses, cards and balances of both; the duplicate leads here
/// and nobody signs in with it.
#[utoipa::path(params(CustomerPath), request_body = Merge, responses((status = 200, description = "The account that stays.", body = View)))]
#[post("/v1/customers/{customer_id}/merge")]
async fn merge_customers(caller: Caller, path: Path<CustomerPath>, body: Json<Merge>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { customers::merge(&ctx, path.customer_id, body).await };
    caller.write(operation("merge_customers"), write).await.map(Answer::ok)
}

/// Refuse new orders from this customer.
///
/// Precondition: the account is active; to lift a block, that it is blocked. Postcondition: they cannot sign in or order
/// until the block is lifted with `is_blocked: false`. Orders they have placed go on; to stop one, `cancel_order`.
#[utoipa::path(params(CustomerPath), request_body = Block, responses((status = 200, description = "The customer as they are now.", body = View)))]
#[post("/v1/customers/{customer_id}/block")]
async fn block_customer(caller: Caller, path: Path<CustomerPath>, body: Json<Block>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { customers::block(&ctx, path.customer_id, body).await };
    caller.write(operation("block_customer"), write).await.map(Answer::ok)
}

/// Erase personal data (privacy request); orders keep their totals.
///
/// Precondition: nothing of theirs is under way, and they are at the version in If-Match. Postcondition: name, contact,
/// addresses, cards and what they wrote are gone from every table, for good; goods, totals and the ledger stay.
#[utoipa::path(params(CustomerPath), responses((status = 200, description = "What is left of the account.", body = View)))]
#[post("/v1/customers/{customer_id}/anonymize")]
async fn anonymize_customer(caller: Caller, path: Path<CustomerPath>) -> Result<View> {
    let write = |ctx| async move { customers::anonymize(&ctx, path.customer_id).await };
    caller.write(operation("anonymize_customer"), write).await.map(Answer::ok)
}

/// Orders of one customer, newest first.
///
/// Changes nothing.
#[utoipa::path(params(CustomerPath, PageQuery), responses((status = 200, description = "One page.", body = Page<orders::View>)))]
#[get("/v1/customers/{customer_id}/orders")]
async fn list_customer_orders(
    caller: Caller,
    path: Path<CustomerPath>,
    page: Query<PageQuery>,
) -> Result<Page<orders::View>> {
    caller
        .read(|ctx| async move { orders::list_for_customer(&ctx, path.customer_id, page.into_inner()).await })
        .await
        .map(Answer::view)
}

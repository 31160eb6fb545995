use actix_web::web::{Json, Path, Query};
use actix_web::{delete, get, post};
use serde::Deserialize;
use shop_domain::ids::{CustomerId, PaymentMethodId};
use shop_domain::operations::operation;
use shop_service::payment_methods::{self, Attach, View};
use shop_service::{Page, PageQuery};
use utoipa::IntoParams;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(list_payment_methods).service(attach_payment_method);
    config.service(detach_payment_method).service(set_default_payment_method);
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct CustomerPath {
    /// Whose methods.
    customer_id: CustomerId,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct MethodPath {
    /// Whose methods.
    customer_id: CustomerId,
    /// Which method.
    payment_method_id: PaymentMethodId,
}

/// Saved methods, masked.
///
/// Changes nothing. Oldest first; removed ones are left out.
#[utoipa::path(params(CustomerPath, PageQuery), responses((status = 200, description = "One page.", body = Page<View>)))]
#[get("/v1/customers/{customer_id}/payment-methods")]
async fn list_payment_methods(
    caller: Caller,
    path: Path<CustomerPath>,
    page: Query<PageQuery>,
) -> Result<Page<View>> {
    caller
        .read(|ctx| async move { payment_methods::list(&ctx, path.customer_id, page.into_inner()).await })
        .await
        .map(Answer::view)
}

/// Save a tokenised test card or wallet.
///
/// Precondition: the token is one of the gateway's. Postcondition: the customer has one more method; if it is the
/// default, no other is. Charges nothing.
#[utoipa::path(params(CustomerPath), request_body = Attach, responses((status = 201, description = "The new method, masked.", body = View)))]
#[post("/v1/customers/{customer_id}/payment-methods")]
async fn attach_payment_method(caller: Caller, path: Path<CustomerPath>, body: Json<Attach>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { payment_methods::attach(&ctx, path.customer_id, body).await };
    caller.write(operation("attach_payment_method"), write).await.map(Answer::created)
}

/// Remove a saved method.
///
/// Postcondition: it can pay for nothing any more. What it paid for stays paid, and can still be refunded to it.
#[utoipa::path(params(MethodPath), responses((status = 200, description = "The method that was removed.", body = View)))]
#[delete("/v1/customers/{customer_id}/payment-methods/{payment_method_id}")]
async fn detach_payment_method(caller: Caller, path: Path<MethodPath>) -> Result<View> {
    let path = path.into_inner();
    let write =
        |ctx| async move { payment_methods::detach(&ctx, path.customer_id, path.payment_method_id).await };
    caller.write(operation("detach_payment_method"), write).await.map(Answer::ok)
}

/// Use it by default at checkout.
///
/// Postcondition: this method is the default and no other is.
#[utoipa::path(params(MethodPath), responses((status = 200, description = "The method as it is now.", body = View)))]
#[post("/v1/customers/{customer_id}/payment-methods/{payment_method_id}/default")]
async fn set_default_payment_method(caller: Caller, path: Path<MethodPath>) -> Result<View> {
    let path = path.into_inner();
    let write = |ctx| async move {
        payment_methods::set_default(&ctx, path.customer_id, path.payment_method_id).await
    };
    caller.write(operation("set_default_payment_method"), write).await.map(Answer::ok)
}

use actix_web::web::{Json, Path, Query};
use actix_web::{delete, get, patch, post};
use serde::Deserialize;
use shop_domain::address::Address;
use shop_domain::ids::{AddressId, CustomerId};
use shop_domain::operations::operation;
use shop_service::addresses::{self, Create, Update, Validation, View};
use shop_service::{Page, PageQuery};
use utoipa::IntoParams;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(list_customer_addresses).service(create_customer_address).service(update_customer_address);
    config.service(delete_customer_address).service(set_default_customer_address).service(validate_address);
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct CustomerPath {
    /// Whose address book.
    customer_id: CustomerId,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct AddressPath {
    /// Whose address book.
    customer_id: CustomerId,
    /// Which entry.
    address_id: AddressId,
}

/// Saved address book.
///
/// Precondition: the customer is within your scope. Changes nothing. Oldest entry first.
#[utoipa::path(params(CustomerPath, PageQuery), responses((status = 200, description = "One page.", body = Page<View>)))]
#[get("/v1/customers/{customer_id}/addresses")]
async fn list_customer_addresses(
    caller: Caller,
    path: Path<CustomerPath>,
    page: Query<PageQuery>,
) -> Result<Page<View>> {
    caller
        .read(|ctx| async move { addresses::list(&ctx, path.customer_id, page.into_inner()).await })
        .await
        .map(Answer::view)
}

/// Save an address; changes no order.
///
/// Postcondition: the address book has one more entry; if it is the default, no other is.
#[utoipa::path(params(CustomerPath), request_body = Create, responses((status = 201, description = "The new entry.", body = View)))]
#[post("/v1/customers/{customer_id}/addresses")]
async fn create_customer_address(
    caller: Caller,
    path: Path<CustomerPath>,
    body: Json<Create>,
) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { addresses::create(&ctx, path.customer_id, body).await };
    caller.write(operation("create_customer_address"), write).await.map(Answer::created)
}

/// Edit a saved address; changes no order.
///
/// Precondition: the entry is at the version in If-Match, if one is sent. Orders that were placed keep their address.
#[utoipa::path(params(AddressPath), request_body = Update, responses((status = 200, description = "The entry as it is now.", body = View)))]
#[patch("/v1/customers/{customer_id}/addresses/{address_id}")]
async fn update_customer_address(
    caller: Caller,
    path: Path<AddressPath>,
    body: Json<Update>,
) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { addresses::update(&ctx, path.customer_id, path.address_id, body).await };
    caller.write(operation("update_customer_address"), write).await.map(Answer::ok)
}

/// Remove a saved address.
///
/// Postcondition: the entry is gone; orders that used it keep their own copy.
#[utoipa::path(params(AddressPath), responses((status = 200, description = "The entry that was removed.", body = View)))]
#[delete("/v1/customers/{customer_id}/addresses/{address_id}")]
async fn delete_customer_address(caller: Caller, path: Path<AddressPath>) -> Result<View> {
    let path = path.into_inner();
    let write = |ctx| async move { addresses::delete(&ctx, path.customer_id, path.address_id).await };
    caller.write(operation("delete_customer_address"), write).await.map(Answer::ok)
}

/// Make it the default for new carts.
///
/// Postcondition: this entry is the default and no other is; changes no order and no cart.
#[utoipa::path(params(AddressPath), responses((status = 200, description = "The entry as it is now.", body = View)))]
#[post("/v1/customers/{customer_id}/addresses/{address_id}/default")]
async fn set_default_customer_address(caller: Caller, path: Path<AddressPath>) -> Result<View> {
    let path = path.into_inner();
    let write = |ctx| async move { addresses::set_default(&ctx, path.customer_id, path.address_id).await };
    caller.write(operation("set_default_customer_address"), write).await.map(Answer::ok)
}

/// Normalise and check deliverability.
///
/// Changes nothing. Says whether any shipping zone covers the address.
#[utoipa::path(request_body = Address, responses((status = 200, description = "The address as carriers write it.", body = Validation)))]
#[post("/v1/addresses/validate")]
async fn validate_address(caller: Caller, body: Json<Address>) -> Result<Validation> {
    caller
        .read(|ctx| async move { addresses::validate(&ctx, body.into_inner()).await })
        .await
        .map(Answer::view)
}

use actix_web::web::{Json, Query};
use actix_web::{get, post};
use shop_domain::operations::operation;
use shop_service::shipping::{self, Create, Method, MethodFilter, Quote, Rates, Zone, ZoneFilter};
use shop_service::{Page, PageQuery};
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(list_shipping_zones).service(list_shipping_methods).service(quote_shipping_rates);
    config.service(create_shipping_method);
}

/// Where the store delivers.
///
/// Changes nothing. Oldest first. A country in no zone is not delivered to.
#[utoipa::path(params(ZoneFilter, PageQuery), responses((status = 200, description = "One page.", body = Page<Zone>)))]
#[get("/v1/shipping/zones")]
async fn list_shipping_zones(
    caller: Caller,
    filter: Query<ZoneFilter>,
    page: Query<PageQuery>,
) -> Result<Page<Zone>> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller.read(|ctx| async move { shipping::list_zones(&ctx, filter, page).await }).await.map(Answer::view)
}

/// Methods with carrier, price rule and promise.
///
/// Changes nothing. Oldest first; shoppers see those that new orders can use. For prices of one parcel call
/// `quote_shipping_rates`.
#[utoipa::path(params(MethodFilter, PageQuery), responses((status = 200, description = "One page.", body = Page<Method>)))]
#[get("/v1/shipping/methods")]
async fn list_shipping_methods(
    caller: Caller,
    filter: Query<MethodFilter>,
    page: Query<PageQuery>,
) -> Result<Page<Method>> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller.read(|ctx| async move { shipping::list_methods(&ctx, filter, page).await }).await.map(Answer::view)
}

/// Live rates for a parcel and an address.
///
/// Changes nothing. Cheapest first, before tax and coupons; an empty list means that nothing is delivered there at
/// this weight.
#[utoipa::path(request_body = Quote, responses((status = 200, description = "Every method that goes there.", body = Rates)))]
#[post("/v1/shipping/rates")]
async fn quote_shipping_rates(caller: Caller, body: Json<Quote>) -> Result<Rates> {
    caller.read(|ctx| async move { shipping::rates(&ctx, body.into_inner()).await }).await.map(Answer::view)
}

/// Add a method to a zone.
///
/// Precondition: the zone is within your scope. Postcondition: new carts and orders to the zone can use the method;
/// orders that were placed go as they were to go.
#[utoipa::path(request_body = Create, responses((status = 201, description = "The new method.", body = Method)))]
#[post("/v1/shipping/methods")]
async fn create_shipping_method(caller: Caller, body: Json<Create>) -> Result<Method> {
    let body = body.into_inner();
    let write = |ctx| async move { shipping::create(&ctx, body).await };
    caller.write(operation("create_shipping_method"), write).await.map(Answer::created)
}

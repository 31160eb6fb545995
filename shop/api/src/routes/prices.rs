use actix_web::web::{Json, Path, Query};
use actix_web::{get, post, put};
use serde::Deserialize;
use shop_domain::ids::VariantId;
use shop_domain::money::Currency;
use shop_domain::operations::operation;
use shop_service::prices::{self, BasePrice, Create, Filter, Price, PriceList, Set};
use shop_service::{Page, PageQuery};
use utoipa::IntoParams;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(list_variant_prices).service(set_variant_price);
    config.service(list_price_lists).service(create_price_list);
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct VariantPath {
    /// Which variant.
    variant_id: VariantId,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct PricePath {
    /// Of which variant.
    variant_id: VariantId,
    /// In which currency.
    currency: Currency,
}

/// Base, sale and price-list prices by currency.
///
/// Changes nothing. Currency by currency, the one that a buyer pays now first: the lowest of the base or sale price and
/// of the price lists that hold for them.
#[utoipa::path(params(VariantPath, PageQuery), responses((status = 200, description = "One page.", body = Page<Price>)))]
#[get("/v1/variants/{variant_id}/prices")]
async fn list_variant_prices(
    caller: Caller,
    path: Path<VariantPath>,
    page: Query<PageQuery>,
) -> Result<Page<Price>> {
    caller
        .read(|ctx| async move { prices::list_of_variant(&ctx, path.variant_id, page.into_inner()).await })
        .await
        .map(Answer::view)
}

/// Set the base or compare-at price in one currency.
///
/// Precondition: the variant is your brand's, and a store of it trades in the currency. Postcondition: carts and quotes
/// cost that from now on, unless a price list is lower; orders that were placed keep their prices.
#[utoipa::path(params(PricePath), request_body = Set, responses((status = 200, description = "The price as it is now.", body = BasePrice)))]
#[put("/v1/variants/{variant_id}/prices/{currency}")]
async fn set_variant_price(caller: Caller, path: Path<PricePath>, body: Json<Set>) -> Result<BasePrice> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { prices::set(&ctx, path.variant_id, path.currency, body).await };
    caller.write(operation("set_variant_price"), write).await.map(Answer::ok)
}

/// Customer-group and scheduled price lists.
///
/// Changes nothing. Oldest first; only those of the stores you work for.
#[utoipa::path(params(Filter, PageQuery), responses((status = 200, description = "One page.", body = Page<PriceList>)))]
#[get("/v1/price-lists")]
async fn list_price_lists(
    caller: Caller,
    filter: Query<Filter>,
    page: Query<PageQuery>,
) -> Result<Page<PriceList>> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller.read(|ctx| async move { prices::list(&ctx, filter, page).await }).await.map(Answer::view)
}

/// Create a price list with its entries and dates.
///
/// Precondition: the store is within your scope, and every entry is for a variant of its brand with a price in its
/// currency. Postcondition: while the list holds, customers with its tag pay its prices where they are the lower ones.
#[utoipa::path(request_body = Create, responses((status = 201, description = "The new list.", body = PriceList)))]
#[post("/v1/price-lists")]
async fn create_price_list(caller: Caller, body: Json<Create>) -> Result<PriceList> {
    let body = body.into_inner();
    let write = |ctx| async move { prices::create(&ctx, body).await };
    caller.write(operation("create_price_list"), write).await.map(Answer::created)
}

use actix_web::web::{Json, Path, Query};
use actix_web::{get, post};
use serde::Deserialize;
use shop_service::pricing::{
    self, CouponCheck, CouponQuery, Promotion, PromotionFilter, Quote, QuoteView, Tax, TaxRate,
    TaxRateFilter, TaxView,
};
use shop_service::{Page, PageQuery};
use utoipa::IntoParams;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(quote_price).service(validate_coupon).service(list_promotions);
    config.service(calculate_tax).service(list_tax_rates);
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct CouponPath {
    /// The code, in any case.
    #[param(example = "SAVE10", max_length = 64)]
    code: String,
}

/// Price a list of lines without creating a cart.
///
/// Changes nothing and promises nothing: neither the price nor the stock. Without an address no tax is known, without
/// a method no shipping is counted.
#[utoipa::path(request_body = Quote, responses((status = 200, description = "What it would cost now.", body = QuoteView)))]
#[post("/v1/pricing/quotes")]
async fn quote_price(caller: Caller, body: Json<Quote>) -> Result<QuoteView> {
    caller.read(|ctx| async move { pricing::quote(&ctx, body.into_inner()).await }).await.map(Answer::view)
}

/// Whether a code is usable now, for whom, and what it gives.
///
/// Changes nothing and uses nothing up. A code that is used up or expired is still found, with the reason.
#[utoipa::path(params(CouponPath, CouponQuery), responses((status = 200, description = "The code and its use.", body = CouponCheck)))]
#[get("/v1/coupons/{code}")]
async fn validate_coupon(
    caller: Caller,
    path: Path<CouponPath>,
    query: Query<CouponQuery>,
) -> Result<CouponCheck> {
    caller
        .read(|ctx| async move { pricing::validate_coupon(&ctx, &path.code, query.into_inner()).await })
        .await
        .map(Answer::view)
}

/// Promotions with rules, budget and usage.
///
/// Changes nothing. Oldest first; shoppers see those that hold now.
#[utoipa::path(params(PromotionFilter, PageQuery), responses((status = 200, description = "One page.", body = Page<Promotion>)))]
#[get("/v1/promotions")]
async fn list_promotions(
    caller: Caller,
    filter: Query<PromotionFilter>,
    page: Query<PageQuery>,
) -> Result<Page<Promotion>> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller
        .read(|ctx| async move { pricing::list_promotions(&ctx, filter, page).await })
        .await
        .map(Answer::view)
}

/// Tax for lines and an address without an order.
///
/// Changes nothing. Coupons are not counted; `quote_price` does that.
#[utoipa::path(request_body = Tax, responses((status = 200, description = "Tax of each line.", body = TaxView)))]
#[post("/v1/tax/calculations")]
async fn calculate_tax(caller: Caller, body: Json<Tax>) -> Result<TaxView> {
    caller.read(|ctx| async move { pricing::tax(&ctx, body.into_inner()).await }).await.map(Answer::view)
}

/// Rates by region and category.
///
/// Changes nothing. Oldest first. Of several that fit, the narrowest region counts, then the latest start.
#[utoipa::path(params(TaxRateFilter, PageQuery), responses((status = 200, description = "One page.", body = Page<TaxRate>)))]
#[get("/v1/tax/rates")]
async fn list_tax_rates(
    caller: Caller,
    filter: Query<TaxRateFilter>,
    page: Query<PageQuery>,
) -> Result<Page<TaxRate>> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller
        .read(|ctx| async move { pricing::list_tax_rates(&ctx, filter, page).await })
        .await
        .map(Answer::view)
}

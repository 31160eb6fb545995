use actix_web::web::{Json, Path, Query};
use actix_web::{get, post};
use serde::Deserialize;
use shop_service::pricing::{self, CouponCheck, CouponQuery, Quote, QuoteView, Tax, TaxView};
use utoipa::IntoParams;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(quote_price).service(validate_coupon).service(calculate_tax);
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

/// Tax for lines and an address without an order.
///
/// Changes nothing. Promotions that apply by themselves are counted, coupons are not: `quote_price` does that. A
/// customer with a certificate that covers the address pays none.
#[utoipa::path(request_body = Tax, responses((status = 200, description = "Tax of each line.", body = TaxView)))]
#[post("/v1/tax/calculations")]
async fn calculate_tax(caller: Caller, body: Json<Tax>) -> Result<TaxView> {
    caller.read(|ctx| async move { pricing::tax(&ctx, body.into_inner()).await }).await.map(Answer::view)
}

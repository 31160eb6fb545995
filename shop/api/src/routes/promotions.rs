use actix_web::web::{Json, Path, Query};
use actix_web::{get, patch, post};
use serde::Deserialize;
use shop_domain::ids::PromotionId;
use shop_domain::operations::operation;
use shop_service::promotions::{self, Coupons, Create, CreateCoupons, Filter, Update, View};
use shop_service::{Page, PageQuery};
use utoipa::IntoParams;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(list_promotions).service(create_promotion).service(update_promotion);
    config.service(disable_promotion).service(create_coupons);
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct PromotionPath {
    /// Which promotion.
    promotion_id: PromotionId,
}

/// Promotions with rules, budget and usage.
///
/// Changes nothing. Oldest first; shoppers see those that hold now.
#[utoipa::path(params(Filter, PageQuery), responses((status = 200, description = "One page.", body = Page<View>)))]
#[get("/v1/promotions")]
async fn list_promotions(
    caller: Caller,
    filter: Query<Filter>,
    page: Query<PageQuery>,
) -> Result<Page<View>> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller.read(|ctx| async move { promotions::list(&ctx, filter, page).await }).await.map(Answer::view)
}

/// Create a percentage, fixed, buy-x-get-y or free-shipping promotion.
///
/// Precondition: the store and the collection are within your scope. Postcondition: carts, quotes and orders get what it
/// gives, by itself or once `create_coupons` has made codes. It never gives more than its limits: each order is counted
/// in the moment it is placed, and given back when it is cancelled.
#[utoipa::path(request_body = Create, responses((status = 201, description = "The new promotion.", body = View)))]
#[post("/v1/promotions")]
async fn create_promotion(caller: Caller, body: Json<Create>) -> Result<View> {
    let body = body.into_inner();
    let write = |ctx| async move { promotions::create(&ctx, body).await };
    caller.write(operation("create_promotion"), write).await.map(Answer::created)
}

/// Change rules, dates or budget.
///
/// Precondition: the promotion is within your scope, and no limit is below what was given already. Postcondition: what is
/// priced from now on goes by the new rules; orders that were placed keep their discount.
#[utoipa::path(params(PromotionPath), request_body = Update, responses((status = 200, description = "The promotion as it is now.", body = View)))]
#[patch("/v1/promotions/{promotion_id}")]
async fn update_promotion(caller: Caller, path: Path<PromotionPath>, body: Json<Update>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { promotions::update(&ctx, path.promotion_id, body).await };
    caller.write(operation("update_promotion"), write).await.map(Answer::ok)
}

/// Stop a promotion from applying to new carts.
///
/// Precondition: the promotion is within your scope and switched on. Postcondition: it and its codes give nothing any
/// more, also in carts that are open; orders that were placed keep their discount.
#[utoipa::path(params(PromotionPath), responses((status = 200, description = "The promotion as it is now.", body = View)))]
#[post("/v1/promotions/{promotion_id}/disable")]
async fn disable_promotion(caller: Caller, path: Path<PromotionPath>) -> Result<View> {
    let path = path.into_inner();
    let write = |ctx| async move { promotions::disable(&ctx, path.promotion_id).await };
    caller.write(operation("disable_promotion"), write).await.map(Answer::ok)
}

/// Generate single-use or shared codes.
///
/// Precondition: the promotion is within your scope, switched on, and needs a code. Postcondition: the codes work as long
/// as the promotion holds. Single-use codes cannot be guessed and are shown here only.
#[utoipa::path(params(PromotionPath), request_body = CreateCoupons, responses((status = 201, description = "The new codes.", body = Coupons)))]
#[post("/v1/promotions/{promotion_id}/coupons")]
async fn create_coupons(
    caller: Caller,
    path: Path<PromotionPath>,
    body: Json<CreateCoupons>,
) -> Result<Coupons> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { promotions::create_coupons(&ctx, path.promotion_id, body).await };
    caller.write(operation("create_coupons"), write).await.map(Answer::created)
}

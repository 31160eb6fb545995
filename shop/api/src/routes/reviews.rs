use actix_web::web::{Json, Path, Query};
use actix_web::{get, post};
use serde::Deserialize;
use shop_domain::ids::{ProductId, ReviewId};
use shop_domain::operations::operation;
use shop_service::PageQuery;
use shop_service::reviews::{self, Create, Filter, Moderate, Reply, Reviews, View};
use utoipa::IntoParams;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(list_product_reviews).service(create_product_review);
    config.service(moderate_review).service(reply_to_review);
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct ProductPath {
    /// Which product.
    product_id: ProductId,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct ReviewPath {
    /// Which review.
    review_id: ReviewId,
}

/// Published reviews and the average.
///
/// Changes nothing. Newest first; staff also see what waits, is hidden or flagged. The rating is of published ones.
#[utoipa::path(params(ProductPath, Filter, PageQuery), responses((status = 200, description = "One page, with the rating.", body = Reviews)))]
#[get("/v1/products/{product_id}/reviews")]
async fn list_product_reviews(
    caller: Caller,
    path: Path<ProductPath>,
    filter: Query<Filter>,
    page: Query<PageQuery>,
) -> Result<Reviews> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller
        .read(|ctx| async move { reviews::list(&ctx, path.product_id, filter, page).await })
        .await
        .map(Answer::view)
}

/// Submit a review for a bought item.
///
/// Precondition: the customer bought the product, has got it, and has not reviewed it. Postcondition: a review in state
/// `pending`, which nobody but staff sees yet.
#[utoipa::path(params(ProductPath), request_body = Create, responses((status = 201, description = "The new review.", body = View)))]
#[post("/v1/products/{product_id}/reviews")]
async fn create_product_review(caller: Caller, path: Path<ProductPath>, body: Json<Create>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { reviews::create(&ctx, path.product_id, body).await };
    caller.write(operation("create_product_review"), write).await.map(Answer::created)
}

/// Publish, hide or flag.
///
/// Postcondition: a published review is seen and counted in the rating; a hidden or flagged one is neither.
#[utoipa::path(params(ReviewPath), request_body = Moderate, responses((status = 200, description = "The review as it is now.", body = View)))]
#[post("/v1/reviews/{review_id}/moderate")]
async fn moderate_review(caller: Caller, path: Path<ReviewPath>, body: Json<Moderate>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { reviews::moderate(&ctx, path.review_id, body).await };
    caller.write(operation("moderate_review"), write).await.map(Answer::ok)
}

/// Public merchant answer.
///
/// Precondition: the review is published. Postcondition: it carries this answer, in place of an earlier one.
#[utoipa::path(params(ReviewPath), request_body = Reply, responses((status = 201, description = "The review as it is now.", body = View)))]
#[post("/v1/reviews/{review_id}/replies")]
async fn reply_to_review(caller: Caller, path: Path<ReviewPath>, body: Json<Reply>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { reviews::reply(&ctx, path.review_id, body).await };
    caller.write(operation("reply_to_review"), write).await.map(Answer::created)
}

use actix_web::web::{Json, Query};
use actix_web::{get, post};
use shop_domain::operations::operation;
use shop_service::collections::{self, Create, Filter, View};
use shop_service::{Page, PageQuery};
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(list_collections).service(create_collection);
}

/// Hand-picked or rule-based product groups.
///
/// Changes nothing. Oldest first, each with the products you can see that are in it now: a rule is evaluated anew on
/// every call. `list_products` pages through one collection.
#[utoipa::path(params(Filter, PageQuery), responses((status = 200, description = "One page.", body = Page<View>)))]
#[get("/v1/collections")]
async fn list_collections(
    caller: Caller,
    filter: Query<Filter>,
    page: Query<PageQuery>,
) -> Result<Page<View>> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller.read(|ctx| async move { collections::list(&ctx, filter, page).await }).await.map(Answer::view)
}

/// Create a collection from product ids or a rule.
///
/// Precondition: the brand is within your scope, and either products of it or a rule is sent. Postcondition: there is a
/// collection; promotions can be limited to it.
#[utoipa::path(request_body = Create, responses((status = 201, description = "The new collection.", body = View)))]
#[post("/v1/collections")]
async fn create_collection(caller: Caller, body: Json<Create>) -> Result<View> {
    let body = body.into_inner();
    let write = |ctx| async move { collections::create(&ctx, body).await };
    caller.write(operation("create_collection"), write).await.map(Answer::created)
}

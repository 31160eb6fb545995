use actix_web::web::{Json, Query};
use actix_web::{get, post};
use shop_domain::operations::operation;
use shop_service::stores::{self, Brand, Create, Filter, View};
use shop_service::{Page, PageQuery};
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(list_brands).service(list_stores).service(create_store);
}

/// Brands of this tenant.
///
/// Changes nothing. Oldest first; staff see the brands they work for, shoppers all.
#[utoipa::path(params(PageQuery), responses((status = 200, description = "One page.", body = Page<Brand>)))]
#[get("/v1/brands")]
async fn list_brands(caller: Caller, page: Query<PageQuery>) -> Result<Page<Brand>> {
    caller
        .read(|ctx| async move { stores::list_brands(&ctx, page.into_inner()).await })
        .await
        .map(Answer::view)
}

/// Stores with currency, region and policies.
///
/// Changes nothing. Oldest first; staff see the stores they work for, shoppers all.
#[utoipa::path(params(Filter, PageQuery), responses((status = 200, description = "One page.", body = Page<View>)))]
#[get("/v1/stores")]
async fn list_stores(caller: Caller, filter: Query<Filter>, page: Query<PageQuery>) -> Result<Page<View>> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller.read(|ctx| async move { stores::list(&ctx, filter, page).await }).await.map(Answer::view)
}

/// Open a store under a brand.
///
/// Postcondition: a store with one location, one shipping zone and one method. It sells what `publish_product` puts there
/// with a price in its currency, from stock that `set_inventory_level` counts; `create_tax_rate` adds its taxes.
#[utoipa::path(request_body = Create, responses((status = 201, description = "The new store.", body = View)))]
#[post("/v1/stores")]
async fn create_store(caller: Caller, body: Json<Create>) -> Result<View> {
    let body = body.into_inner();
    let write = |ctx| async move { stores::create(&ctx, body).await };
    caller.write(operation("create_store"), write).await.map(Answer::created)
}

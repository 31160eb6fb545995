use actix_web::get;
use actix_web::web::{Path, Query};
use serde::Deserialize;
use shop_domain::ids::{ProductId, VariantId};
use shop_service::catalog::{self, Category, Filter, Price, Search, SearchResults, Variant, View};
use shop_service::{Page, PageQuery};
use utoipa::IntoParams;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    // The literal path goes before the one with an id in its place.
    config.service(list_products).service(search_products).service(get_product);
    config.service(list_variants).service(list_variant_prices).service(list_categories);
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct ProductPath {
    /// Which product.
    product_id: ProductId,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct VariantPath {
    /// Which variant.
    variant_id: VariantId,
}

/// Page through products; filter by status, category, brand, store.
///
/// Changes nothing. Oldest first; shoppers see what is published, staff also drafts and what was archived.
#[utoipa::path(params(Filter, PageQuery), responses((status = 200, description = "One page.", body = Page<View>)))]
#[get("/v1/products")]
async fn list_products(caller: Caller, filter: Query<Filter>, page: Query<PageQuery>) -> Result<Page<View>> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller.read(|ctx| async move { catalog::list(&ctx, filter, page).await }).await.map(Answer::view)
}

/// Full-text search with price and availability facets.
///
/// Changes nothing. By title; every word must be found. The facets are of everything that was found, not of one page.
#[utoipa::path(params(Search, PageQuery), responses((status = 200, description = "One page, with facets.", body = SearchResults)))]
#[get("/v1/products/search")]
async fn search_products(
    caller: Caller,
    search: Query<Search>,
    page: Query<PageQuery>,
) -> Result<SearchResults> {
    let (search, page) = (search.into_inner(), page.into_inner());
    caller.read(|ctx| async move { catalog::search(&ctx, search, page).await }).await.map(Answer::view)
}

/// One product with its options, media and return policy.
///
/// Changes nothing. What is bought is one of its variants: see `list_variants`.
#[utoipa::path(params(ProductPath), responses((status = 200, description = "The product.", body = View)))]
#[get("/v1/products/{product_id}")]
async fn get_product(caller: Caller, path: Path<ProductPath>) -> Result<View> {
    caller.read(|ctx| async move { catalog::get(&ctx, path.product_id).await }).await.map(Answer::view)
}

/// Purchasable variants (SKU, options, price, weight).
///
/// Changes nothing. In the product's own order. How many there are of one: `get_variant_availability`.
#[utoipa::path(params(ProductPath, PageQuery), responses((status = 200, description = "One page.", body = Page<Variant>)))]
#[get("/v1/products/{product_id}/variants")]
async fn list_variants(
    caller: Caller,
    path: Path<ProductPath>,
    page: Query<PageQuery>,
) -> Result<Page<Variant>> {
    caller
        .read(|ctx| async move { catalog::list_variants(&ctx, path.product_id, page.into_inner()).await })
        .await
        .map(Answer::view)
}

/// Base, sale and price-list prices by currency.
///
/// Changes nothing. The one that a buyer pays now comes first.
#[utoipa::path(params(VariantPath, PageQuery), responses((status = 200, description = "One page.", body = Page<Price>)))]
#[get("/v1/variants/{variant_id}/prices")]
async fn list_variant_prices(
    caller: Caller,
    path: Path<VariantPath>,
    page: Query<PageQuery>,
) -> Result<Page<Price>> {
    caller
        .read(|ctx| async move { catalog::list_prices(&ctx, path.variant_id, page.into_inner()).await })
        .await
        .map(Answer::view)
}

/// Category tree.
///
/// Changes nothing. By path; each category names the one above it.
#[utoipa::path(params(PageQuery), responses((status = 200, description = "One page.", body = Page<Category>)))]
#[get("/v1/categories")]
async fn list_categories(caller: Caller, page: Query<PageQuery>) -> Result<Page<Category>> {
    caller
        .read(|ctx| async move { catalog::list_categories(&ctx, page.into_inner()).await })
        .await
        .map(Answer::view)
}

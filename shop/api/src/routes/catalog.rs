use actix_web::web::{Json, Path, Query};
use actix_web::{get, patch, post};
use serde::Deserialize;
use shop_domain::ids::{ProductId, VariantId};
use shop_domain::operations::operation;
use shop_service::catalog::{
    self, AddMedia, Category, Create, CreateCategory, CreateVariant, Filter, Publish, Search, SearchResults,
    Update, UpdateVariant, Variant, View,
};
use shop_service::{Page, PageQuery};
use utoipa::IntoParams;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    // The literal path goes before the one with an id in its place.
    config.service(list_products).service(search_products).service(get_product);
    config.service(create_product).service(update_product).service(publish_product);
    config.service(archive_product).service(add_product_media);
    config.service(list_variants).service(create_variant).service(update_variant);
    config.service(list_categories).service(create_category);
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

/// Create a draft product.
///
/// Precondition: the brand is within your scope, and the category is one of `list_categories`. Postcondition: there is
/// a draft that no shopper sees and nobody can buy; give it variants, then `publish_product`.
#[utoipa::path(request_body = Create, responses((status = 201, description = "The new draft.", body = View)))]
#[post("/v1/products")]
async fn create_product(caller: Caller, body: Json<Create>) -> Result<View> {
    let body = body.into_inner();
    let write = |ctx| async move { catalog::create(&ctx, body).await };
    caller.write(operation("create_product"), write).await.map(Answer::created)
}

/// Change title, description, options or return policy.
///
/// Precondition: the product is your brand's, and every variant of it fits the options that are sent. Postcondition:
/// what was sent has changed; orders that were placed keep the title they were placed with.
#[utoipa::path(params(ProductPath), request_body = Update, responses((status = 200, description = "The product as it is now.", body = View)))]
#[patch("/v1/products/{product_id}")]
async fn update_product(caller: Caller, path: Path<ProductPath>, body: Json<Update>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { catalog::update(&ctx, path.product_id, body).await };
    caller.write(operation("update_product"), write).await.map(Answer::ok)
}

/// Make a draft product purchasable in named stores.
///
/// Precondition: the stores are of the product's brand and within your scope, and a variant has a price in the currency
/// of each. Postcondition: shoppers see the product and can buy it there; stores that sold it already go on. A product
/// out of the archive is sold in the named stores only.
#[utoipa::path(params(ProductPath), request_body = Publish, responses((status = 200, description = "The product as it is now.", body = View)))]
#[post("/v1/products/{product_id}/publish")]
async fn publish_product(caller: Caller, path: Path<ProductPath>, body: Json<Publish>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { catalog::publish(&ctx, path.product_id, body).await };
    caller.write(operation("publish_product"), write).await.map(Answer::ok)
}

/// Stop selling; existing orders are untouched.
///
/// Precondition: the product is your brand's and not archived. Postcondition: no shopper sees it and nobody can buy it;
/// carts with it say so, and orders, returns and refunds of it go on.
#[utoipa::path(params(ProductPath), responses((status = 200, description = "The product as it is now.", body = View)))]
#[post("/v1/products/{product_id}/archive")]
async fn archive_product(caller: Caller, path: Path<ProductPath>) -> Result<View> {
    let path = path.into_inner();
    let write = |ctx| async move { catalog::archive(&ctx, path.product_id).await };
    caller.write(operation("archive_product"), write).await.map(Answer::ok)
}

/// Attach an image or file by URL.
///
/// Precondition: the product is your brand's and has fewer than twenty files. Postcondition: the file is shown behind the
/// others. The URL is kept as it is, and not fetched.
#[utoipa::path(params(ProductPath), request_body = AddMedia, responses((status = 201, description = "The product as it is now.", body = View)))]
#[post("/v1/products/{product_id}/media")]
async fn add_product_media(caller: Caller, path: Path<ProductPath>, body: Json<AddMedia>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { catalog::add_media(&ctx, path.product_id, body).await };
    caller.write(operation("add_product_media"), write).await.map(Answer::created)
}

/// Add a variant with SKU and price.
///
/// Precondition: the product is your brand's, nobody has the SKU, and the option values are the product's and no other
/// variant's. Postcondition: the variant is there; where its stock is counted there is none yet: `set_inventory_level`.
#[utoipa::path(params(ProductPath), request_body = CreateVariant, responses((status = 201, description = "The new variant.", body = Variant)))]
#[post("/v1/products/{product_id}/variants")]
async fn create_variant(
    caller: Caller,
    path: Path<ProductPath>,
    body: Json<CreateVariant>,
) -> Result<Variant> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { catalog::create_variant(&ctx, path.product_id, body).await };
    caller.write(operation("create_variant"), write).await.map(Answer::created)
}

/// Change SKU, weight, barcode or option values.
///
/// Precondition: the variant is your brand's and fits its product. Postcondition: what was sent has changed; orders that
/// were placed keep the SKU and options they were placed with. Prices change by `set_variant_price`.
#[utoipa::path(params(VariantPath), request_body = UpdateVariant, responses((status = 200, description = "The variant as it is now.", body = Variant)))]
#[patch("/v1/variants/{variant_id}")]
async fn update_variant(
    caller: Caller,
    path: Path<VariantPath>,
    body: Json<UpdateVariant>,
) -> Result<Variant> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { catalog::update_variant(&ctx, path.variant_id, body).await };
    caller.write(operation("update_variant"), write).await.map(Answer::ok)
}

/// Add a category under a parent.
///
/// Precondition: the parent is there and has no such category yet. Postcondition: products can be put into it.
#[utoipa::path(request_body = CreateCategory, responses((status = 201, description = "The new category.", body = Category)))]
#[post("/v1/categories")]
async fn create_category(caller: Caller, body: Json<CreateCategory>) -> Result<Category> {
    let body = body.into_inner();
    let write = |ctx| async move { catalog::create_category(&ctx, body).await };
    caller.write(operation("create_category"), write).await.map(Answer::created)
}

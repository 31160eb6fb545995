use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, PaginatorTrait,
    QueryFilter, QueryOrder, Set,
};
use serde_json::json;
use shop_domain::catalog::{ChoiceError, ProductEvent, check_choice};
use shop_domain::ids::{MediaId, ProductId, StoreId};
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_domain::status::ProductStatus;
use shop_store::columns::{DeclaredOptions, StoreIds};
use shop_store::entities::{product_media, products, variants};

use super::categories::must_exist;
use super::input::{AddMedia, Create, Publish, Update, check_options, check_url};
use super::read::{find_own, view};
use super::view::View;
use crate::error::{Error, Result};
use crate::start::Start;
use crate::{Ctx, Reply, events, prices, stores, text};

/// Makes a product that nobody can buy yet.
///
/// # Errors
/// When the brand is out of sight, the category is not there, or a field is bad.
pub async fn create(ctx: &Ctx, input: Create) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("create_product")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let brand = stores::choose_brand(ctx, &*tx, input.brand_id).await?;
    text::must_fit(&input.title, limits::NAME_CHARS_MAX, "/title")?;
    text::must_fit(&input.description, limits::TEXT_CHARS_MAX, "/description")?;
    text::must_fit(&input.return_policy, limits::REASON_CHARS_MAX, "/return_policy")?;
    must_exist(&*tx, &input.category, "/category").await?;
    check_options(&input.options)?;
    let row = products::ActiveModel {
        id: Set(ctx.id(ProductId::new)),
        external_id: Set(None),
        brand_id: Set(brand),
        title: Set(input.title),
        description: Set(input.description),
        category: Set(input.category),
        options: Set(DeclaredOptions(input.options)),
        status: Set(ProductStatus::Draft),
        store_ids: Set(StoreIds::default()),
        return_policy: Set(input.return_policy),
        created_at: Set(ctx.now()),
        updated_at: Set(ctx.now()),
        version: Set(1),
    };
    let row = row.insert(&*tx).await?;
    events::record(&*tx, ctx, "product.created", row.id, None, json!({ "brand_id": brand })).await?;
    let (id, view) = (row.id, view(&*tx, row).await?);
    tx.finish(ctx, id, view).await
}

/// Changes what a product says about itself. Orders that were placed keep what they say.
///
/// # Errors
/// When it is out of sight or has moved on, a field is bad, or a variant would not fit its options.
pub async fn update(ctx: &Ctx, id: ProductId, input: Update) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("update_product")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let before = find_own(ctx, &*tx, id).await?;
    ctx.must_match(before.version)?;
    let mut row = before.clone().into_active_model();
    if let Some(title) = input.title {
        text::must_fit(&title, limits::NAME_CHARS_MAX, "/title")?;
        row.title = Set(title);
    }
    if let Some(description) = input.description {
        text::must_fit(&description, limits::TEXT_CHARS_MAX, "/description")?;
        row.description = Set(description);
    }
    if let Some(category) = input.category {
        must_exist(&*tx, &category, "/category").await?;
        row.category = Set(category);
    }
    if let Some(options) = input.options {
        check_options(&options)?;
        let options = DeclaredOptions(options);
        must_fit_all(&*tx, id, &options).await?;
        row.options = Set(options);
    }
    if let Some(policy) = input.return_policy {
        text::must_fit(&policy, limits::REASON_CHARS_MAX, "/return_policy")?;
        row.return_policy = Set(policy);
    }
    events::record(&*tx, ctx, "product.updated", id, None, json!({})).await?;
    let view = save(ctx, &*tx, &before, row).await?;
    tx.finish(ctx, id, view).await
}

/// Every variant there is fits the options, and differs from the others.
async fn must_fit_all(tx: &impl ConnectionTrait, id: ProductId, options: &DeclaredOptions) -> Result<()> {
    let own = variants::Entity::find().filter(variants::Column::ProductId.eq(id)).all(tx).await?;
    for variant in &own {
        check_choice(&options.0, &[], &variant.options.0).map_err(|error| {
            Error::invalid("/options", format!("variant {} does not fit: {error}", variant.sku))
        })?;
    }
    Ok(())
}

/// What is wrong with a variant's option values, as a refusal.
pub(super) fn misfit(error: &ChoiceError) -> Error {
    let pointer = match error {
        ChoiceError::OtherOptions { .. } | ChoiceError::Taken => "/options".to_owned(),
        ChoiceError::UnknownValue { option, .. } => format!("/options/{option}"),
    };
    Error::invalid(pointer, error.to_string())
}

/// Sells a product in stores of its brand.
///
/// # Errors
/// When it or a store is out of sight, or it has nothing to sell in the currency of a store.
pub async fn publish(ctx: &Ctx, id: ProductId, input: Publish) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("publish_product")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let before = find_own(ctx, &*tx, id).await?;
    ctx.must_match(before.version)?;
    if !(1..=limits::IDS_MAX).contains(&input.store_ids.len()) {
        return Err(Error::invalid("/store_ids", format!("name 1 to {} stores", limits::IDS_MAX)));
    }
    let own = variants::Entity::find().filter(variants::Column::ProductId.eq(id)).all(&*tx).await?;
    for store in &input.store_ids {
        must_be_sellable(ctx, &*tx, &before, &own, *store).await?;
    }
    let status = before.status.after(ProductEvent::Published);
    let status = status.map_err(|refusal| Error::precondition("product_not_ready", refusal.to_string()))?;
    // Out of the archive it is sold where it is named, and nowhere else.
    let is_sold = before.status == ProductStatus::Published;
    let mut sold_in = if is_sold { before.store_ids.0.clone() } else { Vec::new() };
    for store in input.store_ids {
        if !sold_in.contains(&store) {
            sold_in.push(store);
        }
    }
    let mut row = before.clone().into_active_model();
    row.status = Set(status);
    row.store_ids = Set(StoreIds(sold_in.clone()));
    events::record(&*tx, ctx, "product.published", id, None, json!({ "store_ids": sold_in })).await?;
    let view = save(ctx, &*tx, &before, row).await?;
    tx.finish(ctx, id, view).await
}

/// A store in sight and of the brand, with something of the product to sell.
async fn must_be_sellable(
    ctx: &Ctx,
    tx: &impl ConnectionTrait,
    product: &products::Model,
    own: &[variants::Model],
    id: StoreId,
) -> Result<()> {
    let store = stores::find(ctx, tx, id).await?;
    if store.brand_id != product.brand_id {
        let detail = format!("{} belongs to another brand than product {}", store.name, product.id);
        return Err(Error::not_eligible("store_of_another_brand", detail));
    }
    let is_priced = |variant: &variants::Model| {
        variant.is_sellable && prices::base_price(variant, store.currency).is_some()
    };
    if own.iter().any(is_priced) {
        return Ok(());
    }
    let detail = format!(
        "no variant of the product has a price in {}; create_variant or set_variant_price first",
        store.currency
    );
    Err(Error::precondition("nothing_to_sell", detail))
}

/// Stops selling a product everywhere. Orders are untouched, and carts say why it cannot be bought.
///
/// # Errors
/// When it is out of sight, has moved on, or is archived already.
pub async fn archive(ctx: &Ctx, id: ProductId) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("archive_product")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let before = find_own(ctx, &*tx, id).await?;
    ctx.must_match(before.version)?;
    let status = before.status.after(ProductEvent::Archived);
    let status = status.map_err(|refusal| Error::precondition("product_archived", refusal.to_string()))?;
    let mut row = before.clone().into_active_model();
    row.status = Set(status);
    events::record(&*tx, ctx, "product.archived", id, None, json!({})).await?;
    let view = save(ctx, &*tx, &before, row).await?;
    tx.finish(ctx, id, view).await
}

/// Shows an image or file behind those a product has.
///
/// # Errors
/// When it is out of sight or has moved on, the URL is bad, or it has very many already.
pub async fn add_media(ctx: &Ctx, id: ProductId, input: AddMedia) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("add_product_media")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let before = find_own(ctx, &*tx, id).await?;
    ctx.must_match(before.version)?;
    check_url(&input.url)?;
    text::must_fit(&input.alt, limits::REASON_CHARS_MAX, "/alt")?;
    let own = product_media::Entity::find().filter(product_media::Column::ProductId.eq(id));
    let count = own.clone().count(&*tx).await?;
    if count >= limits::MEDIA_MAX {
        let detail = format!("a product has at most {} images and files", limits::MEDIA_MAX);
        return Err(Error::precondition("too_many_media", detail));
    }
    let last = own.order_by_desc(product_media::Column::Position).one(&*tx).await?;
    let media = product_media::ActiveModel {
        id: Set(ctx.id(MediaId::new)),
        product_id: Set(id),
        position: Set(last.map_or(0, |last| last.position + 1)),
        kind: Set(input.kind),
        url: Set(input.url),
        alt: Set(input.alt),
        created_at: Set(ctx.now()),
    };
    let media = media.insert(&*tx).await?;
    events::record(&*tx, ctx, "product.media_added", id, None, json!({ "media_id": media.id })).await?;
    let row = before.clone().into_active_model();
    let view = save(ctx, &*tx, &before, row).await?;
    tx.finish(ctx, id, view).await
}

/// Saves a changed product, one version on.
async fn save(
    ctx: &Ctx,
    tx: &impl ConnectionTrait,
    before: &products::Model,
    mut row: products::ActiveModel,
) -> Result<View> {
    row.updated_at = Set(ctx.now());
    row.version = Set(before.version + 1);
    let row = row.update(tx).await?;
    view(tx, row).await
}

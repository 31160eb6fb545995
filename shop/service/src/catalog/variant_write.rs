//! Variants that are made and changed. Orders that were placed keep the SKU and options they were placed with.

use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    Set,
};
use serde_json::json;
use shop_domain::catalog;
use shop_domain::governance::{Owner, sees};
use shop_domain::ids::{ProductId, VariantId};
use shop_domain::limits;
use shop_domain::money::Currency;
use shop_domain::operations::operation;
use shop_store::columns::{Options, Prices};
use shop_store::entities::{products, stores, tax_rates, variants};

use super::input::{CreateVariant, UpdateVariant, check_barcode, check_choice, check_weight};
use super::read::find_own;
use super::variants::to_view;
use super::view::Variant;
use super::write::misfit;
use crate::error::{Error, Result};
use crate::start::Start;
use crate::{Ctx, Reply, events, prices, text};

/// The tax category of everything that is not special; it needs no rate of its own.
const STANDARD: &str = "standard";

/// Adds a variant to a product, behind those it has.
///
/// # Errors
/// When the product is out of sight, the SKU is taken, or the variant does not fit its product.
pub async fn create_variant(ctx: &Ctx, product: ProductId, input: CreateVariant) -> Result<Reply<Variant>> {
    let tx = match ctx.start(operation("create_variant")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let product = find_own(ctx, &*tx, product).await?;
    ctx.must_match(product.version)?;
    let others = of_product(&*tx, product.id).await?;
    if others.len() >= limits::VARIANTS_MAX {
        let detail = format!("a product has at most {} variants", limits::VARIANTS_MAX);
        return Err(Error::precondition("too_many_variants", detail));
    }
    must_be_free(&*tx, &input.sku, None).await?;
    text::must_fit(&input.title, limits::NAME_CHARS_MAX, "/title")?;
    must_fit(&product, &others, &input.options)?;
    prices::check_amount(input.price_minor, "/price_minor")?;
    check_weight(input.weight_g)?;
    if let Some(barcode) = &input.barcode {
        check_barcode(barcode)?;
    }
    let tax_category = input.tax_category.unwrap_or_else(|| STANDARD.to_owned());
    must_be_taxed(&*tx, &product, &tax_category).await?;
    let row = variants::ActiveModel {
        id: Set(ctx.id(VariantId::new)),
        external_id: Set(None),
        product_id: Set(product.id),
        position: Set(others.last().map_or(0, |last| last.position + 1)),
        sku: Set(input.sku),
        barcode: Set(input.barcode),
        title: Set(input.title),
        options: Set(Options(input.options)),
        price_minor: Set(input.price_minor),
        compare_at_minor: Set(None),
        currency: Set(currency(ctx, &*tx, &product, &others, input.currency).await?),
        other_prices: Set(Prices::default()),
        weight_g: Set(input.weight_g),
        tax_category: Set(tax_category),
        is_sellable: Set(true),
        is_tracked: Set(input.is_tracked.unwrap_or(true)),
        created_at: Set(ctx.now()),
        version: Set(1),
    };
    let row = row.insert(&*tx).await?;
    let data = json!({ "product_id": product.id, "sku": row.sku });
    events::record(&*tx, ctx, "variant.created", row.id, None, data).await?;
    let (id, view) = (row.id, to_view(&*tx, row, &product).await?);
    tx.finish(ctx, id, view).await
}

/// Changes a variant.
///
/// # Errors
/// When it is out of sight or has moved on, the SKU is taken, or it would not fit its product.
pub async fn update_variant(ctx: &Ctx, id: VariantId, input: UpdateVariant) -> Result<Reply<Variant>> {
    let tx = match ctx.start(operation("update_variant")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (before, product) = find_own_variant(ctx, &*tx, id).await?;
    ctx.must_match(before.version)?;
    let mut row = before.clone().into_active_model();
    if let Some(sku) = input.sku {
        must_be_free(&*tx, &sku, Some(id)).await?;
        row.sku = Set(sku);
    }
    if let Some(title) = input.title {
        text::must_fit(&title, limits::NAME_CHARS_MAX, "/title")?;
        row.title = Set(title);
    }
    if let Some(options) = input.options {
        let mut others = of_product(&*tx, product.id).await?;
        others.retain(|other| other.id != id);
        must_fit(&product, &others, &options)?;
        row.options = Set(Options(options));
    }
    if let Some(weight_g) = input.weight_g {
        check_weight(weight_g)?;
        row.weight_g = Set(weight_g);
    }
    if let Some(barcode) = input.barcode.map(Some).map(|code| code.filter(|code| !code.is_empty())) {
        if let Some(code) = &barcode {
            check_barcode(code)?;
        }
        row.barcode = Set(barcode);
    }
    row.version = Set(before.version + 1);
    let row = row.update(&*tx).await?;
    events::record(&*tx, ctx, "variant.updated", id, None, json!({ "sku": row.sku })).await?;
    let view = to_view(&*tx, row, &product).await?;
    tx.finish(ctx, id, view).await
}

/// One variant of a product that the caller may change, with that product.
pub(crate) async fn find_own_variant(
    ctx: &Ctx,
    tx: &impl ConnectionTrait,
    id: VariantId,
) -> Result<(variants::Model, products::Model)> {
    let missing = || Error::not_found(format!("variant {id}"));
    let variant = variants::Entity::find_by_id(id).one(tx).await?.ok_or_else(missing)?;
    let product = find_own(ctx, tx, variant.product_id).await.map_err(|_| missing())?;
    Ok((variant, product))
}

async fn of_product(tx: &impl ConnectionTrait, product: ProductId) -> Result<Vec<variants::Model>> {
    let own = variants::Entity::find().filter(variants::Column::ProductId.eq(product));
    Ok(own.order_by_asc(variants::Column::Position).all(tx).await?)
}

fn must_fit(product: &products::Model, others: &[variants::Model], choice: &catalog::Choice) -> Result<()> {
    check_choice(choice)?;
    let others: Vec<_> = others.iter().map(|other| &other.options.0).collect();
    catalog::check_choice(&product.options.0, &others, choice).map_err(|error| misfit(&error))
}

/// A SKU names one variant of the whole shop.
async fn must_be_free(tx: &impl ConnectionTrait, sku: &str, own: Option<VariantId>) -> Result<()> {
    text::must_fit(sku, limits::CODE_CHARS_MAX, "/sku")?;
    let other = variants::Entity::find().filter(variants::Column::Sku.eq(sku)).one(tx).await?;
    if other.is_none_or(|other| Some(other.id) == own) {
        return Ok(());
    }
    Err(Error::invalid("/sku", "another variant has this SKU; choose one that is free")
        .with_rule("sku_taken"))
}

/// A category other than the standard one must have a rate in some store of the brand, or it would never be taxed.
async fn must_be_taxed(tx: &impl ConnectionTrait, product: &products::Model, category: &str) -> Result<()> {
    if category == STANDARD {
        return Ok(());
    }
    let own = stores_of(tx, product).await?;
    let rate = tax_rates::Entity::find()
        .filter(tax_rates::Column::Category.eq(category))
        .filter(tax_rates::Column::StoreId.is_in(own.iter().map(|store| store.id)))
        .one(tx)
        .await?;
    if rate.is_some() {
        return Ok(());
    }
    let message =
        format!("no store of the brand has a tax rate of category {category}; create_tax_rate first");
    Err(Error::invalid("/tax_category", message))
}

/// The currency that was named, that of the other variants, or the only one of the caller's stores. Some store of the
/// brand trades in it.
async fn currency(
    ctx: &Ctx,
    tx: &impl ConnectionTrait,
    product: &products::Model,
    others: &[variants::Model],
    named: Option<Currency>,
) -> Result<Currency> {
    let all = stores_of(tx, product).await?;
    let in_sight = all.iter().filter(|store| {
        let owner = Owner { brand: Some(store.brand_id), store: Some(store.id), customer: None };
        sees(&ctx.principal.scope, &owner)
    });
    let own: Vec<Currency> = in_sight.map(|store| store.currency).collect();
    let only = own.first().copied().filter(|first| own.iter().all(|other| other == first));
    let meant = named.or_else(|| others.first().map(|other| other.currency)).or(only);
    if let Some(currency) = meant
        && all.iter().any(|store| store.currency == currency)
    {
        return Ok(currency);
    }
    let names: Vec<_> = all.iter().map(|store| store.currency.as_str()).collect();
    Err(Error::invalid(
        "/currency",
        format!("say in which currency; the brand trades in: {}", names.join(", ")),
    ))
}

async fn stores_of(tx: &impl ConnectionTrait, product: &products::Model) -> Result<Vec<stores::Model>> {
    Ok(stores::Entity::find().filter(stores::Column::BrandId.eq(product.brand_id)).all(tx).await?)
}

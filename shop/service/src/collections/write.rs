use sea_orm::{ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, Set};
use serde_json::json;
use shop_domain::collections::Rule;
use shop_domain::ids::{BrandId, CollectionId, ProductId};
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_store::columns::ProductIds;
use shop_store::entities::{collections, products};

use super::input::Create;
use super::read::view;
use super::view::View;
use crate::error::{Error, Result};
use crate::start::Start;
use crate::{Ctx, Reply, events, stores, text};

/// Makes a collection.
///
/// # Errors
/// When the brand or a product is out of sight, or not exactly one of products and rule is sent.
pub async fn create(ctx: &Ctx, input: Create) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("create_collection")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let brand = stores::choose_brand(ctx, &*tx, input.brand_id).await?;
    text::must_fit(&input.title, limits::NAME_CHARS_MAX, "/title")?;
    let (product_ids, rule) = match (input.product_ids, input.rule) {
        (Some(ids), None) => {
            check_products(&*tx, brand, &ids).await?;
            (ids, None)
        }
        (None, Some(rule)) => {
            check_rule(&rule)?;
            (Vec::new(), Some(rule))
        }
        (Some(_), Some(_)) | (None, None) => {
            return Err(Error::invalid("/rule", "send either product_ids or rule"));
        }
    };
    let row = collections::ActiveModel {
        id: Set(ctx.id(CollectionId::new)),
        brand_id: Set(brand),
        title: Set(input.title),
        product_ids: Set(ProductIds(product_ids)),
        rule: Set(rule),
        created_at: Set(ctx.now()),
        version: Set(1),
    };
    let row = row.insert(&*tx).await?;
    events::record(&*tx, ctx, "collection.created", row.id, None, json!({ "brand_id": brand })).await?;
    let (id, view) = (row.id, view(ctx, &*tx, row).await?);
    tx.finish(ctx, id, view).await
}

/// Each product once, all of the brand.
async fn check_products(tx: &impl ConnectionTrait, brand: BrandId, ids: &[ProductId]) -> Result<()> {
    if !(1..=limits::IDS_MAX).contains(&ids.len()) {
        return Err(Error::invalid("/product_ids", format!("name 1 to {} products", limits::IDS_MAX)));
    }
    let found = products::Entity::find()
        .filter(products::Column::Id.is_in(ids.to_vec()))
        .filter(products::Column::BrandId.eq(brand))
        .all(tx)
        .await?;
    for (at, id) in ids.iter().enumerate() {
        let pointer = || format!("/product_ids/{at}");
        if !found.iter().any(|product| product.id == *id) {
            return Err(Error::invalid(pointer(), format!("there is no product {id} of this brand")));
        }
        if ids.iter().take(at).any(|other| other == id) {
            return Err(Error::invalid(pointer(), "each product is named once"));
        }
    }
    Ok(())
}

/// A rule that says nothing would take everything by mistake.
fn check_rule(rule: &Rule) -> Result<()> {
    if rule.is_empty() {
        return Err(Error::invalid(
            "/rule",
            "a rule says at least one of category, title_contains and price",
        ));
    }
    for (text, pointer) in
        [(&rule.category, "/rule/category"), (&rule.title_contains, "/rule/title_contains")]
    {
        if let Some(text) = text {
            text::must_fit(text, limits::NAME_CHARS_MAX, pointer)?;
        }
    }
    let is_backwards = |min: i64, max: i64| max < min;
    if let Some(range) = rule.price
        && range.min_minor.zip(range.max_minor).is_some_and(|(min, max)| is_backwards(min, max))
    {
        return Err(Error::invalid("/rule/price/max_minor", "the highest price is not below the lowest"));
    }
    Ok(())
}

use sea_orm::{ActiveModelTrait, ConnectionTrait, IntoActiveModel, Set};
use serde_json::json;
use shop_domain::governance::Scope;
use shop_domain::ids::{CollectionId, PromotionId};
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_domain::promotions::PromotionKind;
use shop_domain::status::PromotionStatus;
use shop_domain::totals::DiscountKind;
use shop_store::entities::{promotions, stores as store_rows};

use super::input::{Create, Update, check_count, check_gives, check_minimum};
use super::read::{find_own, view};
use super::view::View;
use crate::error::{Error, Result};
use crate::prices::check_dates;
use crate::start::Start;
use crate::{Ctx, Reply, collections, events, stores, text};

/// Makes a promotion. Without codes, one that does not apply by itself gives nothing yet.
///
/// # Errors
/// When the store or collection is out of sight, or a field is bad.
pub async fn create(ctx: &Ctx, input: Create) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("create_promotion")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let store = match (input.store_id, ctx.principal.scope) {
        (None, Scope::Tenant) => None,
        (named, _) => Some(stores::choose(ctx, &*tx, named).await?),
    };
    text::must_fit(&input.name, limits::NAME_CHARS_MAX, "/name")?;
    check_gives(&input.gives)?;
    check_minimum(input.min_subtotal_minor)?;
    check_dates(input.starts_at, input.ends_at)?;
    if let Some(limit) = input.usage_limit {
        check_count(limit, "/usage_limit")?;
    }
    if let Some(budget) = input.budget_minor {
        check_count(budget, "/budget_minor")?;
        must_have_currency(store.as_ref())?;
    }
    if let Some(collection) = input.collection_id {
        must_be_of(ctx, &*tx, collection, store.as_ref()).await?;
    }
    let (kind, value, (buy, get)) = columns(input.gives);
    let row = promotions::ActiveModel {
        id: Set(ctx.id(PromotionId::new)),
        store_id: Set(store.map(|store| store.id)),
        name: Set(input.name),
        kind: Set(kind),
        value: Set(value),
        min_subtotal_minor: Set(input.min_subtotal_minor),
        buy_quantity: Set(buy),
        get_quantity: Set(get),
        is_automatic: Set(input.is_automatic),
        collection_id: Set(input.collection_id),
        usage_limit: Set(input.usage_limit),
        used: Set(0),
        budget_minor: Set(input.budget_minor),
        spent_minor: Set(0),
        status: Set(PromotionStatus::Active),
        starts_at: Set(input.starts_at),
        ends_at: Set(input.ends_at),
        created_at: Set(ctx.now()),
        version: Set(1),
    };
    let row = row.insert(&*tx).await?;
    events::record(&*tx, ctx, "promotion.created", row.id, None, json!({ "store_id": row.store_id })).await?;
    let (id, view) = (row.id, view(&*tx, row).await?);
    tx.finish(ctx, id, view).await
}

/// A budget is an amount of one currency.
fn must_have_currency(store: Option<&store_rows::Model>) -> Result<()> {
    match store {
        Some(_) => Ok(()),
        None => Err(Error::invalid("/budget_minor", "a budget is in one store's currency: name the store")),
    }
}

/// A collection in sight, of the brand of the store if there is one.
async fn must_be_of(
    ctx: &Ctx,
    tx: &impl ConnectionTrait,
    id: CollectionId,
    store: Option<&store_rows::Model>,
) -> Result<()> {
    let collection = collections::find_own(ctx, tx, id).await?;
    if store.is_none_or(|store| store.brand_id == collection.brand_id) {
        return Ok(());
    }
    Err(Error::invalid("/collection_id", "the collection is of another brand than the store"))
}

/// What a promotion gives, as its columns: kind, value, and units to buy and get.
fn columns(gives: DiscountKind) -> (PromotionKind, i64, (i64, i64)) {
    match gives {
        DiscountKind::Percentage { rate_bps } => (PromotionKind::Percentage, rate_bps.0, (0, 0)),
        DiscountKind::Fixed { amount_minor } => (PromotionKind::Fixed, amount_minor, (0, 0)),
        DiscountKind::FreeShipping => (PromotionKind::FreeShipping, 0, (0, 0)),
        DiscountKind::BuyXGetY { buy, get } => (PromotionKind::BuyXGetY, 0, (buy.into(), get.into())),
    }
}

/// Changes a promotion for what is priced from now on.
///
/// # Errors
/// When it is out of sight or has moved on, a field is bad, or a limit is below what was given already.
pub async fn update(ctx: &Ctx, id: PromotionId, input: Update) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("update_promotion")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let before = find_own(ctx, &*tx, id).await?;
    ctx.must_match(before.version)?;
    let mut row = before.clone().into_active_model();
    if let Some(name) = input.name {
        text::must_fit(&name, limits::NAME_CHARS_MAX, "/name")?;
        row.name = Set(name);
    }
    if let Some(gives) = input.gives {
        check_gives(&gives)?;
        let (kind, value, (buy, get)) = columns(gives);
        if kind != before.kind {
            let message = format!("the promotion stays a {} one; make another for another kind", before.kind);
            return Err(Error::invalid("/gives/kind", message));
        }
        row.value = Set(value);
        row.buy_quantity = Set(buy);
        row.get_quantity = Set(get);
    }
    if let Some(least) = input.min_subtotal_minor {
        check_minimum(least)?;
        row.min_subtotal_minor = Set(least);
    }
    if let Some(limit) = input.usage_limit {
        check_count(limit, "/usage_limit")?;
        must_cover(limit, before.used, "/usage_limit")?;
        row.usage_limit = Set(Some(limit));
    }
    if let Some(budget) = input.budget_minor {
        check_count(budget, "/budget_minor")?;
        if before.store_id.is_none() {
            must_have_currency(None)?;
        }
        must_cover(budget, before.spent_minor, "/budget_minor")?;
        row.budget_minor = Set(Some(budget));
    }
    let (starts_at, ends_at) = (input.starts_at.or(before.starts_at), input.ends_at.or(before.ends_at));
    check_dates(starts_at, ends_at)?;
    row.starts_at = Set(starts_at);
    row.ends_at = Set(ends_at);
    row.version = Set(before.version + 1);
    let row = row.update(&*tx).await?;
    events::record(&*tx, ctx, "promotion.updated", id, None, json!({})).await?;
    let view = view(&*tx, row).await?;
    tx.finish(ctx, id, view).await
}

/// A limit is not below what was given already.
fn must_cover(limit: i64, given: i64, pointer: &str) -> Result<()> {
    if limit >= given {
        return Ok(());
    }
    Err(Error::invalid(
        pointer,
        format!("{given} were given already; send at least that, or disable_promotion"),
    ))
}

/// Stops a promotion for what is priced from now on. Orders that were placed keep their discount.
///
/// # Errors
/// When it is out of sight, has moved on, or is switched off already.
pub async fn disable(ctx: &Ctx, id: PromotionId) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("disable_promotion")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let before = find_own(ctx, &*tx, id).await?;
    ctx.must_match(before.version)?;
    if before.status == PromotionStatus::Disabled {
        return Err(Error::precondition(
            "promotion_disabled",
            format!("promotion {id} is switched off already"),
        ));
    }
    let version = before.version + 1;
    let mut row = before.into_active_model();
    row.status = Set(PromotionStatus::Disabled);
    row.version = Set(version);
    let row = row.update(&*tx).await?;
    events::record(&*tx, ctx, "promotion.disabled", id, None, json!({})).await?;
    let view = view(&*tx, row).await?;
    tx.finish(ctx, id, view).await
}

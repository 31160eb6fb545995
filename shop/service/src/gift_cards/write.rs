use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, Set,
};
use serde_json::json;
use shop_domain::governance::{Owner as Scoped, Scope};
use shop_domain::ids::{CustomerId, GiftCardId};
use shop_domain::ledger::{gift_card_disabled, gift_card_issued, gift_card_redeemed};
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_domain::status::GiftCardStatus;
use shop_store::entities::{gift_cards, payment_methods, stores};

use super::guess::try_code_for;
use super::input::{Disable, Issue, Redeem};
use super::read::find;
use super::rows::{Owner, make, set_status};
use super::view::View;
use crate::error::{Error, Result};
use crate::goodwill::{Gift, ISSUED};
use crate::start::Start;
use crate::text::must_fit;
use crate::{Ctx, Reply, customers, events, goodwill, ledger, tenders};

/// Makes a card with a starting balance. Its code is told once.
///
/// # Errors
/// When the store or the customer is out of sight, or the amount is bad.
pub async fn issue(ctx: &Ctx, input: Issue) -> Result<Reply<View>> {
    let operation = operation("issue_gift_card");
    let tx = match ctx.start(operation).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let missing = || Error::not_found(format!("store {}", input.store_id));
    let store = stores::Entity::find_by_id(input.store_id).one(&*tx).await?.ok_or_else(missing)?;
    let owner = Scoped { brand: Some(store.brand_id), store: Some(store.id), customer: None };
    ctx.must_see(&owner, format!("store {}", store.id))?;
    if let Some(customer) = input.customer_id {
        customers::find(ctx, &*tx, customer).await?;
    }
    if !(1..=limits::UNIT_PRICE_MINOR_MAX).contains(&input.amount_minor) {
        let message = format!("an amount is 1 to {} minor units", limits::UNIT_PRICE_MINOR_MAX);
        return Err(Error::invalid("/amount_minor", message));
    }
    let gift = Gift {
        operation,
        store: &store,
        customer_id: input.customer_id,
        amount_minor: input.amount_minor,
        approval_id: input.approval_id,
        input: &input,
    };
    goodwill::permit(&*tx, ctx, gift).await?;
    let owner = Owner { store_id: store.id, customer_id: input.customer_id };
    let card = make(&*tx, ctx, owner, store.currency, input.amount_minor).await?;
    tenders::give_gift_card(&*tx, ctx, card.id, input.amount_minor, ISSUED, None).await?;
    let postings = gift_card_issued(input.amount_minor)?;
    ledger::post(&*tx, ctx, &postings, ledger::Refs::currency(store.currency), "gift_card_issued").await?;
    let data = json!({ "amount_minor": input.amount_minor, "currency": store.currency });
    events::record(&*tx, ctx, "gift_card.issued", card.id, None, data).await?;
    let (id, code) = (card.id, card.code);
    let view = View { code: Some(code), ..view(&*tx, id).await? };
    tx.finish(ctx, id, view).await
}

/// Moves what is available on a card into a customer's store credit.
///
/// # Errors
/// When the card is out of sight, has moved on, is disabled or empty.
pub async fn redeem(ctx: &Ctx, id: GiftCardId, input: Redeem) -> Result<Reply<View>> {
    let operation = operation("redeem_gift_card");
    let known = try_code_for::<View>(ctx, operation, input.code.as_deref()).await?;
    let tx = match ctx.start(operation).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let card = match known {
        // A card that is nobody's belongs to whoever knows its code.
        Some(card) if card.id == id && card.customer_id.is_none() => by_id(&*tx, id).await?,
        Some(_) | None => find(ctx, &*tx, id).await?,
    };
    ctx.must_match(card.version)?;
    let customer = customer_of(ctx, &card, &input)?;
    customers::find(ctx, &*tx, customer).await?;
    let amount = card.balance_minor - card.held_minor;
    if card.status != GiftCardStatus::Active || amount <= 0 {
        let detail = format!("the card is {} and {amount} minor units of it are free", card.status);
        return Err(Error::not_eligible("gift_card_unusable", detail));
    }
    let currency = card.currency;
    tenders::give_gift_card(&*tx, ctx, id, -amount, "redeemed", None).await?;
    let reason = format!("gift card ending in {}", card.last4);
    tenders::change_credit(&*tx, ctx, (customer, currency), amount, ("gift_card", &reason), None).await?;
    if card.held_minor == 0 {
        set_status(&*tx, by_id(&*tx, id).await?, GiftCardStatus::Spent).await?;
    }
    let postings = gift_card_redeemed(amount)?;
    ledger::post(&*tx, ctx, &postings, ledger::Refs::currency(currency), "gift_card_redeemed").await?;
    let data = json!({ "amount_minor": amount, "customer_id": customer });
    events::record(&*tx, ctx, "gift_card.redeemed", id, None, data).await?;
    let view = view(&*tx, id).await?;
    tx.finish(ctx, id, view).await
}

/// Voids a card for good. What is left on it is lost to its holder, and owed to nobody any more.
///
/// # Errors
/// When it is voided already, or a payment that is not captured yet holds a part of it.
pub async fn disable(ctx: &Ctx, id: GiftCardId, input: Disable) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("disable_gift_card")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let card = find(ctx, &*tx, id).await?;
    ctx.must_match(card.version)?;
    must_fit(&input.reason, limits::REASON_CHARS_MAX, "/reason")?;
    if card.status == GiftCardStatus::Disabled {
        return Err(Error::precondition("gift_card_disabled", "the card is disabled already"));
    }
    if card.held_minor > 0 {
        let detail = format!(
            "{} minor units of the card are held for a payment; capture or void that payment first",
            card.held_minor
        );
        return Err(Error::not_eligible("gift_card_in_use", detail));
    }
    let (lost, currency, version) = (card.balance_minor, card.currency, card.version + 1);
    if lost > 0 {
        tenders::give_gift_card(&*tx, ctx, id, -lost, "disabled", None).await?;
        let postings = gift_card_disabled(lost)?;
        ledger::post(&*tx, ctx, &postings, ledger::Refs::currency(currency), "gift_card_disabled").await?;
    }
    let mut row = by_id(&*tx, id).await?.into_active_model();
    row.status = Set(GiftCardStatus::Disabled);
    row.version = Set(version);
    let row = row.update(&*tx).await?;
    detach(&*tx, ctx, id).await?;
    let data = json!({ "amount_minor": lost, "reason": input.reason });
    events::record(&*tx, ctx, "gift_card.disabled", id, None, data).await?;
    tx.finish(ctx, id, View::from(row)).await
}

/// Nobody is offered to pay with it any more.
async fn detach(tx: &impl ConnectionTrait, ctx: &Ctx, id: GiftCardId) -> Result<()> {
    use payment_methods::Column;
    payment_methods::Entity::update_many()
        .col_expr(Column::DetachedAt, Expr::value(ctx.now()))
        .col_expr(Column::IsDefault, Expr::value(false))
        .col_expr(Column::Version, Expr::col(Column::Version).add(1))
        .filter(Column::GiftCardId.eq(id))
        .filter(Column::DetachedAt.is_null())
        .exec(tx)
        .await?;
    Ok(())
}

/// The card's own customer, else the one that was named, else the caller.
fn customer_of(ctx: &Ctx, card: &gift_cards::Model, input: &Redeem) -> Result<CustomerId> {
    let caller = match ctx.principal.scope {
        Scope::Customer(customer) => Some(customer),
        Scope::Tenant | Scope::Brand(_) | Scope::Store(_) => None,
    };
    match (card.customer_id, input.customer_id) {
        (Some(owner), Some(named)) if owner != named => {
            Err(Error::invalid("/customer_id", "the card belongs to another customer; leave this out"))
        }
        (Some(owner), _) => Ok(owner),
        (None, named) => named.or(caller).ok_or_else(|| {
            Error::invalid("/customer_id", "the card is nobody's yet; name whose store credit it becomes")
        }),
    }
}

async fn view(tx: &impl ConnectionTrait, id: GiftCardId) -> Result<View> {
    Ok(by_id(tx, id).await?.into())
}

async fn by_id(tx: &impl ConnectionTrait, id: GiftCardId) -> Result<gift_cards::Model> {
    let row = gift_cards::Entity::find_by_id(id).one(tx).await?;
    row.ok_or_else(|| Error::internal("a gift card has vanished"))
}

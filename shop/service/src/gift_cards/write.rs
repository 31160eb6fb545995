use sea_orm::{ConnectionTrait, EntityTrait};
use serde_json::json;
use shop_domain::governance::{Owner as Scoped, Scope};
use shop_domain::ids::{CustomerId, GiftCardId};
use shop_domain::ledger::{gift_card_issued, gift_card_redeemed};
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_domain::status::GiftCardStatus;
use shop_store::entities::{gift_cards, stores};

use super::guess::try_code_for;
use super::input::{Issue, Redeem};
use super::read::find;
use super::rows::{Owner, make, set_status};
use super::view::View;
use crate::error::{Error, Result};
use crate::goodwill::{Gift, ISSUED};
use crate::start::Start;
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

use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, IntoActiveModel, Set};
use shop_domain::ids::{CustomerId, GiftCardId, OrderId, StoreId};
use shop_domain::money::Currency;
use shop_domain::status::GiftCardStatus;
use shop_store::entities::gift_cards;

use crate::error::{Error, Result};
use crate::{Ctx, tenders, text};

/// Whose a new card is, and which store stands behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owner {
    pub(crate) store_id: StoreId,
    pub(crate) customer_id: Option<CustomerId>,
}

/// A new card with nothing on it yet.
pub(crate) async fn make(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    owner: Owner,
    currency: Currency,
    initial_minor: i64,
) -> Result<gift_cards::Model> {
    let code = text::unguessable(ctx, "gift_card_code", &[10, 14, 18, 22]);
    let row = gift_cards::ActiveModel {
        id: Set(ctx.id(GiftCardId::new)),
        external_id: Set(None),
        last4: Set(last4(&code)),
        code: Set(code),
        customer_id: Set(owner.customer_id),
        store_id: Set(owner.store_id),
        currency: Set(currency),
        initial_minor: Set(initial_minor),
        balance_minor: Set(0),
        held_minor: Set(0),
        status: Set(GiftCardStatus::Active),
        created_at: Set(ctx.now()),
        version: Set(1),
    };
    Ok(row.insert(tx).await?)
}

/// What is shown of a code.
pub(super) fn last4(code: &str) -> String {
    code.chars().skip(code.chars().count().saturating_sub(text::GROUP)).collect()
}

/// Puts refunded money on a card; a spent one can be used again.
///
/// # Errors
/// When the card was voided: the money would be lost.
pub(crate) async fn give_back(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    id: GiftCardId,
    amount_minor: i64,
    order: Option<OrderId>,
) -> Result<()> {
    let card = gift_cards::Entity::find_by_id(id).one(tx).await?;
    let card = card.ok_or_else(|| Error::not_found(format!("gift card {id}")))?;
    match card.status {
        GiftCardStatus::Disabled => {
            let detail =
                "the gift card that paid is disabled; choose the destination store_credit, or a new card";
            return Err(Error::not_eligible("gift_card_disabled", detail));
        }
        GiftCardStatus::Spent => set_status(tx, card, GiftCardStatus::Active).await?,
        GiftCardStatus::Active => {}
    }
    tenders::give_gift_card(tx, ctx, id, amount_minor, "refund", order).await
}

pub(super) async fn set_status(
    tx: &impl ConnectionTrait,
    card: gift_cards::Model,
    status: GiftCardStatus,
) -> Result<()> {
    let mut row = card.into_active_model();
    row.status = Set(status);
    row.update(tx).await?;
    Ok(())
}

//! Value that is given for nothing in return: store credit and gift cards that no refund pays. What one customer is
//! given within a day counts together, whatever it is given as, so that splitting it does not dodge the gate.

use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::sea_query::Query;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use serde::Serialize;
use shop_domain::governance::{Gate, RiskFacts, gate, risk};
use shop_domain::ids::{ApprovalId, CustomerId};
use shop_domain::operations::Operation;
use shop_store::entities::{credit_entries, gift_card_entries, gift_cards, stores};

use crate::Ctx;
use crate::approvals::{self, Wanted};
use crate::error::Result;

/// What entries of such value are called, on credit and on cards.
pub(crate) const ISSUED: &str = "issued";

/// What is about to be given, and to whom.
pub(crate) struct Gift<'a, I> {
    pub(crate) operation: &'static Operation,
    pub(crate) store: &'a stores::Model,
    /// Whoever knows the code, when absent: then what the store gives to nobody in particular counts together.
    pub(crate) customer_id: Option<CustomerId>,
    pub(crate) amount_minor: i64,
    pub(crate) approval_id: Option<ApprovalId>,
    /// The operation's input, which an approval is bound to.
    pub(crate) input: &'a I,
}

/// Judges the risk inside the transaction, and spends the approval where one is needed.
///
/// # Errors
/// `approval_pending` when a second person must agree.
pub(crate) async fn permit<I: Serialize>(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    gift: Gift<'_, I>,
) -> Result<Option<ApprovalId>> {
    let day = given(tx, &gift, ctx.now() - TimeDelta::hours(24)).await?;
    let month = given(tx, &gift, ctx.now() - TimeDelta::days(30)).await?;
    let risk = risk(&RiskFacts {
        amount_minor: gift.amount_minor,
        refunded_today_minor: day.iter().sum(),
        repeats_30d: u32::try_from(month.len()).unwrap_or(u32::MAX),
        ..RiskFacts::of(gift.operation.class)
    });
    ctx.note_risk(&risk);
    let reason = match gate(&risk, &gift.store.policy) {
        Gate::Pass => return Ok(None),
        Gate::NeedsApproval { reason } => reason,
    };
    let subject = gift.customer_id.map_or_else(|| gift.store.id.to_string(), |id| id.to_string());
    let wanted = Wanted {
        operation: gift.operation,
        subject: &subject,
        digest: approvals::digest(gift.operation.id, &subject, gift.input)?,
    };
    approvals::need(tx, ctx, gift.approval_id, &wanted, &reason).await
}

/// The amounts that were given since then.
async fn given<I>(tx: &impl ConnectionTrait, gift: &Gift<'_, I>, since: DateTime<Utc>) -> Result<Vec<i64>> {
    let mut cards = Query::select();
    cards.column(gift_cards::Column::Id).from(gift_cards::Entity);
    match gift.customer_id {
        Some(customer) => cards.and_where(gift_cards::Column::CustomerId.eq(customer)),
        None => cards
            .and_where(gift_cards::Column::CustomerId.is_null())
            .and_where(gift_cards::Column::StoreId.eq(gift.store.id)),
    };
    let on_cards = gift_card_entries::Entity::find()
        .filter(gift_card_entries::Column::GiftCardId.in_subquery(cards))
        .filter(gift_card_entries::Column::Reason.eq(ISSUED))
        .filter(gift_card_entries::Column::CreatedAt.gt(since))
        .all(tx)
        .await?;
    let mut given: Vec<i64> = on_cards.into_iter().map(|entry| entry.amount_minor).collect();
    if let Some(customer) = gift.customer_id {
        let as_credit = credit_entries::Entity::find()
            .filter(credit_entries::Column::CustomerId.eq(customer))
            .filter(credit_entries::Column::Source.eq(ISSUED))
            .filter(credit_entries::Column::CreatedAt.gt(since))
            .all(tx)
            .await?;
        given.extend(as_credit.into_iter().map(|entry| entry.amount_minor));
    }
    Ok(given)
}

#[cfg(test)]
mod tests;

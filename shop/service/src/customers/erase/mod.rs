//! Erasing a person: what the shop knows of who they are goes, what it knows of its own money stays.
//!
//! [`person`] finds everything that is theirs, [`rows`] wipes their rows, [`said`] what was talked about with them, and
//! [`traces`] what other rows tell of them: events and their deliveries, the audit log, stored answers, approvals,
//! actions and the consents in them. What a text of somebody else's
//! says of them in passing, such as a note on another person's order, is not found by anything but reading.

mod person;
mod rows;
mod said;
mod scrub;
#[cfg(test)]
mod tests;
mod traces;

use sea_orm::sea_query::ExprTrait;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use serde_json::json;
use shop_domain::customers::CustomerEvent;
use shop_domain::ids::{CustomerId, OrderId};
use shop_domain::operations::operation;
use shop_domain::status::{
    AttemptOutcome, DisputeStatus, ExchangeStatus, OrderFulfillmentStatus, OrderStatus, RefundStatus,
    ReturnStatus,
};
use shop_store::entities::{attempts, disputes, exchanges, orders, refunds, returns};

pub use self::scrub::erased_address;

use self::person::Person;
use super::read::find;
use super::view::View;
use crate::error::{Error, Result};
use crate::start::Start;
use crate::{Ctx, Reply, events};

/// What stands where personal data was.
pub const ERASED: &str = "[erased]";

/// Erases who a customer is, wherever the shop has written it down. Their orders keep goods, totals and books.
///
/// # Errors
/// When they are out of sight or have moved on, or something of theirs is still under way.
pub async fn anonymize(ctx: &Ctx, id: CustomerId) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("anonymize_customer")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let row = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    let status = row.status.after(CustomerEvent::Anonymized);
    status.map_err(|refusal| Error::precondition("customer_anonymized", refusal.to_string()))?;
    let person = Person::load(&*tx, id).await?;
    must_be_over(&*tx, &person).await?;
    traces::erase(&*tx, &person).await?;
    rows::erase(&*tx, ctx, &person).await?;
    said::erase(&*tx, &person).await?;
    events::record(&*tx, ctx, "customer.anonymized", id, None, json!({})).await?;
    let row = find(ctx, &*tx, id).await?;
    tx.finish(ctx, id, View::from(row)).await
}

/// Goods on their way need an address, and money on its way a person it goes to.
async fn must_be_over(tx: &impl ConnectionTrait, person: &Person) -> Result<()> {
    let open = |what: String| {
        let detail = format!("{what} is still under way; finish or cancel it first, then erase");
        Err(Error::precondition("customer_has_open_business", detail))
    };
    let waiting = [
        OrderFulfillmentStatus::Unfulfilled,
        OrderFulfillmentStatus::Partial,
        OrderFulfillmentStatus::Shipped,
        OrderFulfillmentStatus::Exception,
    ];
    let order = orders::Entity::find()
        .filter(orders::Column::CustomerId.is_in(person.customers.clone()))
        .filter(orders::Column::Status.ne(OrderStatus::Cancelled))
        .filter(orders::Column::FulfillmentStatus.is_in(waiting));
    if let Some(order) = order.one(tx).await? {
        return open(format!("order {}", order.id));
    }
    if let Some(row) = open_return(tx, &person.orders).await? {
        return open(format!("return {row}"));
    }
    if let Some(row) = open_exchange(tx, &person.orders).await? {
        return open(format!("exchange {row}"));
    }
    if let Some(row) = open_money(tx, &person.orders).await? {
        return open(row);
    }
    Ok(())
}

async fn open_return(tx: &impl ConnectionTrait, of: &[OrderId]) -> Result<Option<String>> {
    let over = [ReturnStatus::Rejected, ReturnStatus::Refunded, ReturnStatus::Cancelled];
    // Goods of an exchange are never paid for; they are back once they are inspected.
    let is_back =
        returns::Column::Status.eq(ReturnStatus::Inspected).and(returns::Column::ExchangeId.is_not_null());
    let row = returns::Entity::find()
        .filter(returns::Column::OrderId.is_in(of.to_vec()))
        .filter(returns::Column::Status.is_not_in(over))
        .filter(is_back.not());
    Ok(row.one(tx).await?.map(|row| row.id.to_string()))
}

async fn open_exchange(tx: &impl ConnectionTrait, of: &[OrderId]) -> Result<Option<String>> {
    let over = [ExchangeStatus::Completed, ExchangeStatus::Cancelled];
    let row = exchanges::Entity::find()
        .filter(exchanges::Column::OrderId.is_in(of.to_vec()))
        .filter(exchanges::Column::Status.is_not_in(over));
    Ok(row.one(tx).await?.map(|row| row.id.to_string()))
}

async fn open_money(tx: &impl ConnectionTrait, of: &[OrderId]) -> Result<Option<String>> {
    let over = [RefundStatus::Succeeded, RefundStatus::Cancelled];
    let refund = refunds::Entity::find()
        .filter(refunds::Column::OrderId.is_in(of.to_vec()))
        .filter(refunds::Column::Status.is_not_in(over));
    if let Some(row) = refund.one(tx).await? {
        return Ok(Some(format!("refund {}", row.id)));
    }
    let dispute = disputes::Entity::find()
        .filter(disputes::Column::OrderId.is_in(of.to_vec()))
        .filter(disputes::Column::Status.is_in([DisputeStatus::Open, DisputeStatus::EvidenceSent]));
    if let Some(row) = dispute.one(tx).await? {
        return Ok(Some(format!("dispute {}", row.id)));
    }
    let call = attempts::Entity::find()
        .filter(attempts::Column::OrderId.is_in(of.to_vec()))
        .filter(attempts::Column::Outcome.is_in([AttemptOutcome::Pending, AttemptOutcome::Unknown]));
    Ok(call.one(tx).await?.map(|row| format!("gateway call {}", row.id)))
}

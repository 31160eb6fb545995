use sea_orm::{ActiveModelTrait, ConnectionTrait, Set};
use serde_json::json;
use shop_domain::ids::{OrderId, PaymentId};
use shop_domain::operations::operation;
use shop_domain::status::{OrderFulfillmentStatus, OrderStatus, PaymentState};
use shop_store::entities::{orders as order_rows, payments};

use super::input::Create;
use super::read::of_order;
use super::view::View;
use super::write::must_be_settled;
use crate::error::{Error, Result};
use crate::start::Start;
use crate::tenders::{self, Instrument};
use crate::{Ctx, Reply, events, ledger, orders};

/// Opens a payment for what is still due. Charges nothing.
///
/// # Errors
/// `outcome_unknown` while a payment of the order waits for the gateway's answer; when nothing is due, too much is asked, the instrument is not the customer's, or the payment it is to replace
/// cannot be replaced by it.
pub async fn create(ctx: &Ctx, order_id: OrderId, input: Create) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("create_payment")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let order = orders::find(ctx, &*tx, order_id).await?;
    must_be_payable(&order)?;
    for earlier in of_order(&*tx, order_id).await? {
        must_be_settled(&*tx, ctx, earlier).await?;
    }
    let instrument = tenders::choose(&*tx, &order, &input).await?;
    if let Some(old) = input.replaces_payment_id {
        must_be_replaceable(&*tx, &order, old, &instrument).await?;
    }
    let due = due(&*tx, &order, input.replaces_payment_id).await?;
    let amount = amount_within(input.amount_minor, due)?;
    let row = open(&*tx, ctx, &order, instrument, amount, input.replaces_payment_id).await?;
    tx.finish(ctx, row.id, View::from(row)).await
}

/// A new payment for which nobody was charged yet.
pub(crate) async fn open(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    order: &order_rows::Model,
    instrument: Instrument,
    amount_minor: i64,
    replaces_payment_id: Option<PaymentId>,
) -> Result<payments::Model> {
    let row = payments::ActiveModel {
        id: Set(ctx.id(PaymentId::new)),
        order_id: Set(order.id),
        instrument: Set(instrument.kind),
        payment_method_id: Set(instrument.payment_method_id),
        gift_card_id: Set(instrument.gift_card_id),
        token: Set(instrument.token),
        replaces_payment_id: Set(replaces_payment_id),
        amount_minor: Set(amount_minor),
        authorized_minor: Set(0),
        captured_minor: Set(0),
        refunded_minor: Set(0),
        currency: Set(order.currency),
        status: Set(PaymentState::Created),
        charge_id: Set(None),
        decline_code: Set(None),
        created_at: Set(ctx.now()),
        updated_at: Set(ctx.now()),
        version: Set(1),
    };
    let row = row.insert(tx).await?;
    let data = json!({ "amount_minor": amount_minor });
    events::record(tx, ctx, "payment.created", row.id, Some(order.id), data).await?;
    Ok(row)
}

/// The amount that was asked for, or all that is due.
pub(crate) fn amount_within(asked: Option<i64>, due: i64) -> Result<i64> {
    match asked.unwrap_or(due) {
        amount if (1..=due).contains(&amount) => Ok(amount),
        _ => Err(Error::invalid(
            "/amount_minor",
            format!("at most {due} is still due on this order, and at least 1 must be asked for"),
        )),
    }
}

fn must_be_payable(order: &order_rows::Model) -> Result<()> {
    let advice = match order.status {
        OrderStatus::Cancelled => "nothing is due on it any more",
        OrderStatus::Draft => "confirm_order first, or send its customer a create_payment_link",
        OrderStatus::Pending | OrderStatus::Confirmed | OrderStatus::OnHold | OrderStatus::Completed => {
            return Ok(());
        }
    };
    let detail = format!("order {} is {}; {advice}", order.id, order.status);
    Err(Error::precondition("order_not_open", detail))
}

/// A payment is replaced once, by another instrument, while the goods are here.
async fn must_be_replaceable(
    tx: &impl ConnectionTrait,
    order: &order_rows::Model,
    old: PaymentId,
    by: &Instrument,
) -> Result<()> {
    let bad = |why: &str| Error::invalid("/replaces_payment_id", format!("payment {old} {why}"));
    let payments = of_order(tx, order.id).await?;
    let row = payments.iter().find(|payment| payment.id == old);
    let row = row.ok_or_else(|| bad("is not of this order; list_payments shows those that are"))?;
    if order.fulfillment_status != OrderFulfillmentStatus::Unfulfilled {
        let detail = "goods have shipped, so how they were paid is settled";
        return Err(Error::not_eligible("order_has_shipped", detail));
    }
    let is_live =
        |payment: &payments::Model| !matches!(payment.status, PaymentState::Failed | PaymentState::Voided);
    let other = payments.iter().find(|other| other.replaces_payment_id == Some(old) && is_live(other));
    if let Some(other) = other {
        return Err(bad(&format!("is replaced by payment {} already", other.id)));
    }
    if !matches!(row.status, PaymentState::Authorized | PaymentState::Captured) {
        return Err(bad(&format!("is {}, so there is nothing to replace", row.status)));
    }
    let is_same = row.instrument == by.kind
        && row.payment_method_id == by.payment_method_id
        && row.gift_card_id == by.gift_card_id;
    if is_same {
        return Err(bad("was made with the same instrument; choose another one"));
    }
    Ok(())
}

/// What the order owes by the books and no open payment will bring. A replaced payment makes room for what it still
/// brings.
pub(crate) async fn due(
    tx: &impl ConnectionTrait,
    order: &order_rows::Model,
    replaces: Option<PaymentId>,
) -> Result<i64> {
    let payments = of_order(tx, order.id).await?;
    let replaced = payments.iter().find(|payment| Some(payment.id) == replaces);
    if replaces.is_some() && replaced.is_none() {
        let message = format!("name a payment of order {}; list_payments shows them", order.id);
        return Err(Error::invalid("/replaces_payment_id", message));
    }
    let room = replaced.map_or(0, |old| expected(old) + old.captured_minor - old.refunded_minor);
    let expected: i64 = payments.iter().map(expected).sum();
    Ok((ledger::receivable(tx, order.id).await? - expected + room).max(0))
}

/// What a payment may still bring. One that was approved in part brings that part.
fn expected(payment: &payments::Model) -> i64 {
    let asked = match payment.status {
        PaymentState::Failed | PaymentState::Voided | PaymentState::Captured => return 0,
        PaymentState::Authorized | PaymentState::Capturing => {
            payment.amount_minor.min(payment.authorized_minor)
        }
        PaymentState::Created
        | PaymentState::RequiresAction
        | PaymentState::Authorizing
        | PaymentState::Unknown => payment.amount_minor,
    };
    (asked - payment.captured_minor).max(0)
}

use sea_orm::{ActiveModelTrait, IntoActiveModel, Set};
use serde_json::json;
use shop_domain::ids::OrderId;
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_domain::payments::{PaymentEvent, Tender};
use shop_domain::status::{InstrumentKind, OrderStatus};

use super::input::MarkPaid;
use super::open::{amount_within, due, open};
use super::view::View;
use crate::error::{Error, Result};
use crate::start::Start;
use crate::tenders::Instrument;
use crate::{Ctx, Reply, events, ledger, orders};

/// Records money that came in without any gateway. A draft that is paid becomes an order.
///
/// # Errors
/// When less is due, the instrument is not cash or a bank transfer, or a draft's goods are not there any more.
pub async fn mark_paid(ctx: &Ctx, order_id: OrderId, input: MarkPaid) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("mark_order_paid_offline")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let order = orders::find(ctx, &*tx, order_id).await?;
    ctx.must_match(order.version)?;
    check(&input)?;
    let order = match order.status {
        OrderStatus::Draft => orders::place_draft(&*tx, ctx, order).await?,
        OrderStatus::Pending
        | OrderStatus::Confirmed
        | OrderStatus::OnHold
        | OrderStatus::Completed
        | OrderStatus::Cancelled => order,
    };
    let amount = amount_within(input.amount_minor, due(&*tx, &order, None).await?)?;
    let instrument =
        Instrument { kind: input.instrument, payment_method_id: None, gift_card_id: None, token: None };
    let row = open(&*tx, ctx, &order, instrument, amount, None).await?;
    let status = row.status.after(PaymentEvent::PaidOffline);
    let status = status.map_err(|refusal| Error::internal(refusal.to_string()))?;
    let mut paid = row.into_active_model();
    paid.status = Set(status);
    paid.authorized_minor = Set(amount);
    paid.captured_minor = Set(amount);
    let row = paid.update(&*tx).await?;
    let postings = shop_domain::ledger::captured(Tender::Offline, amount)?;
    ledger::post(&*tx, ctx, &postings, ledger::Refs::payment(&row), "paid_offline").await?;
    orders::refresh(&*tx, ctx, order_id).await?;
    let data = json!({ "amount_minor": amount, "instrument": row.instrument, "reference": input.reference });
    events::record(&*tx, ctx, "payment.paid_offline", row.id, Some(order_id), data).await?;
    tx.finish(ctx, row.id, View::from(row)).await
}

fn check(input: &MarkPaid) -> Result<()> {
    match input.instrument {
        InstrumentKind::Cash | InstrumentKind::BankTransfer => {}
        InstrumentKind::Card
        | InstrumentKind::Paypal
        | InstrumentKind::GiftCard
        | InstrumentKind::StoreCredit => {
            return Err(Error::invalid(
                "/instrument",
                "only cash and bank_transfer come in without a gateway",
            ));
        }
    }
    if input.reference.as_ref().is_some_and(|text| text.len() > limits::CODE_CHARS_MAX) {
        let message = format!("a reference has at most {} characters", limits::CODE_CHARS_MAX);
        return Err(Error::invalid("/reference", message));
    }
    Ok(())
}

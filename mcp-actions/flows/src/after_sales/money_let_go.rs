//! Letting go of money that is held for an order that will not be delivered.

use mcp_actions_engine::parts::{Ref, Verification};
use mcp_actions_engine::{Caller as _, Done, LookUp, Record, StepKey, StepOutcome};
use serde_json::json;
use shop_domain::ids::OrderId;
use shop_domain::status::PaymentState;
use shop_service::payments::{self, Filter, Truth, View};
use shop_service::{Error, orders};

use crate::caller::Caller;
use crate::deeds::{GATEWAY, SHOP, nothing};
use crate::entities::whole_page;
use crate::steps::part;
use crate::wire::reference;

pub(super) async fn run(
    caller: &Caller,
    record: &Record,
    key: &StepKey,
    order: OrderId,
) -> Result<StepOutcome, Error> {
    for payment in of_order(caller, order).await? {
        let is_held = matches!(payment.status, PaymentState::Authorized | PaymentState::Unknown);
        if is_held && payment.captured_minor == 0 {
            let ctx = part(caller, record, key, &payment.id.to_string(), Some(payment.version));
            payments::void(&ctx, payment.id).await?;
        }
    }
    let payments = of_order(caller, order).await?;
    Ok(StepOutcome::Done(let_go(caller, &payments)))
}

/// What the gateway has of every payment that was let go. Sends nothing.
pub(super) async fn look(caller: &Caller, order: OrderId) -> Result<LookUp, Error> {
    let payments = of_order(caller, order).await?;
    for payment in payments.iter().filter(|payment| payment.captured_minor == 0) {
        let seen = payments::observe(&caller.ctx(), payment.id).await?;
        match seen.truth {
            Truth::Silent => return Ok(LookUp::StillUnknown),
            Truth::Gateway { is_voided: false, authorized_minor, .. } if authorized_minor > 0 => {
                // The gateway's yes was no yes, or there was none.
                if seen.payment.status != PaymentState::Voided {
                    return Ok(nothing(caller, GATEWAY));
                }
                let currency = seen.payment.currency;
                return Ok(LookUp::Differs {
                    verification: verification(caller, "held", Some(authorized_minor), &payments, GATEWAY),
                    message: format!("the gateway still holds {authorized_minor} {currency}"),
                });
            }
            Truth::Own if seen.payment.status == PaymentState::Authorized => {
                return Ok(nothing(caller, SHOP));
            }
            Truth::Own | Truth::Gateway { .. } | Truth::Absent => {}
        }
    }
    Ok(LookUp::Found(let_go(caller, &of_order(caller, order).await?)))
}

/// Giving up means letting go too: a call without an answer is cleared up first, then nothing stays held.
pub(super) async fn finish(
    caller: &Caller,
    record: &Record,
    key: &StepKey,
    order: OrderId,
) -> Result<Vec<Ref>, Error> {
    // An order that is still alive keeps its money.
    if orders::get(&caller.ctx(), order).await?.cancelled_at.is_none() {
        return Ok(Vec::new());
    }
    for payment in of_order(caller, order).await? {
        payments::sync(&caller.ctx(), payment.id).await?;
    }
    match run(caller, record, key, order).await? {
        StepOutcome::Done(done) => Ok(done.refs),
        StepOutcome::Refused(_)
        | StepOutcome::Busy { .. }
        | StepOutcome::Unknown
        | StepOutcome::AwaitApproval { .. }
        | StepOutcome::AwaitEvent { .. } => Ok(Vec::new()),
    }
}

async fn of_order(caller: &Caller, order: OrderId) -> Result<Vec<View>, Error> {
    let filter = Filter { order_id: Some(order), ..Filter::default() };
    Ok(payments::list(&caller.ctx(), filter, whole_page()).await?.items)
}

fn let_go(caller: &Caller, payments: &[View]) -> Done {
    let voided: Vec<&View> =
        payments.iter().filter(|payment| payment.status == PaymentState::Voided).collect();
    let charge = voided.iter().find_map(|payment| payment.charge_id.clone());
    let source = if charge.is_some() { GATEWAY } else { SHOP };
    let amount = voided.iter().map(|payment| payment.amount_minor).sum();
    Done {
        refs: voided.iter().map(|payment| reference("Payment", payment.id)).collect(),
        external_id: charge,
        verification: Some(verification(caller, "voided", Some(amount), payments, source)),
        value: json!({ "released": amount }),
    }
}

fn verification(
    caller: &Caller,
    status: &str,
    amount: Option<i64>,
    payments: &[View],
    source: &str,
) -> Verification {
    Verification {
        status: status.to_owned(),
        amount,
        currency: payments.first().map(|payment| payment.currency.to_string()),
        observed_at: caller.world().clock.now(),
        source: source.to_owned(),
    }
}

//! Looking back at a checkout: what the shop and its gateway say about each step. Sends nothing.

use mcp_actions_engine::parts::Verification;
use mcp_actions_engine::{Caller as _, Done, LookUp, Record, StepKey};
use serde_json::json;
use shop_domain::ids::OrderId;
use shop_domain::status::{OrderStatus, PaymentState};
use shop_service::payments::{self, Filter, Observation, Truth, View};
use shop_service::{Error, checkout, orders};

use super::effects::{order_of, shares};
use crate::caller::Caller;
use crate::entities::whole_page;
use crate::steps::part;
use crate::wire::reference;

/// Who says so.
const GATEWAY: &str = "payment gateway";
const SHOP: &str = "shop";

pub(super) struct Look<'a> {
    pub(super) caller: &'a Caller,
    pub(super) record: &'a Record,
}

/// What one payment comes to, beside what was agreed.
enum Seen {
    AsAgreed,
    /// Nothing of it.
    Nothing,
    /// Something else: this much.
    Other(i64),
    NotKnown,
}

impl Look<'_> {
    pub(super) async fn place(&self, key: &StepKey) -> Result<LookUp, Error> {
        let order = checkout::placed(&part(self.caller, self.record, key, "", None)).await?;
        Ok(match order {
            None => self.nothing(SHOP),
            Some(order) if order.status == OrderStatus::Cancelled => LookUp::Differs {
                verification: self.verification("cancelled", Some(&order.currency.to_string()), 0, SHOP),
                message: format!("order {} was cancelled since", order.number),
            },
            Some(order) => LookUp::Found(placed(&order)),
        })
    }

    pub(super) async fn authorize(&self) -> Result<LookUp, Error> {
        self.payments("authorized", |seen| match seen.truth {
            Truth::Own => compare(seen.payment.authorized_minor, seen.payment.amount_minor),
            Truth::Gateway { is_voided: true, .. } | Truth::Absent => Seen::Nothing,
            Truth::Gateway { authorized_minor, .. } => compare(authorized_minor, seen.payment.amount_minor),
            Truth::Silent => Seen::NotKnown,
        })
        .await
    }

    pub(super) async fn capture(&self) -> Result<LookUp, Error> {
        self.payments("paid", |seen| {
            let kept = match seen.truth {
                Truth::Own => seen.payment.captured_minor - seen.payment.refunded_minor,
                Truth::Gateway { captured_minor, refunded_minor, .. } => captured_minor - refunded_minor,
                Truth::Absent => 0,
                Truth::Silent => return Seen::NotKnown,
            };
            match compare(kept, seen.payment.amount_minor) {
                // The gateway said yes and did nothing: that is not what its answer claimed.
                Seen::Nothing if seen.payment.status == PaymentState::Captured => Seen::Other(kept),
                seen @ (Seen::AsAgreed | Seen::Nothing | Seen::Other(_) | Seen::NotKnown) => seen,
            }
        })
        .await
    }

    /// Looks at every payment of the order, with the judgement of one step.
    async fn payments(
        &self,
        claim: &str,
        judge: impl Fn(&Observation) -> Seen + Send,
    ) -> Result<LookUp, Error> {
        let Some(order) = order_of(self.record) else { return Ok(self.nothing(SHOP)) };
        let payments = payments_of(self.caller, order).await?;
        if payments.len() < shares(self.record).len() {
            return Ok(self.nothing(SHOP));
        }
        let mut seen = Vec::with_capacity(payments.len());
        for payment in payments {
            let observation = payments::observe(&self.caller.ctx(), payment.id).await?;
            match judge(&observation) {
                Seen::AsAgreed => seen.push(observation.payment),
                Seen::Nothing => return Ok(self.nothing(GATEWAY)),
                Seen::NotKnown => return Ok(LookUp::StillUnknown),
                Seen::Other(amount) => {
                    let View { currency, amount_minor, .. } = observation.payment;
                    return Ok(LookUp::Differs {
                        verification: self.verification(
                            "differs",
                            Some(&currency.to_string()),
                            amount,
                            GATEWAY,
                        ),
                        message: format!(
                            "the gateway has {amount} {currency}, not the {amount_minor} agreed to"
                        ),
                    });
                }
            }
        }
        Ok(LookUp::Found(paid(self.caller, claim, &seen)))
    }

    fn nothing(&self, source: &str) -> LookUp {
        LookUp::NotFound { observed_at: self.caller.world().clock.now(), source: source.to_owned() }
    }

    fn verification(&self, status: &str, currency: Option<&str>, amount: i64, source: &str) -> Verification {
        Verification {
            status: status.to_owned(),
            amount: Some(amount),
            currency: currency.map(str::to_owned),
            observed_at: self.caller.world().clock.now(),
            source: source.to_owned(),
        }
    }
}

fn compare(has: i64, agreed: i64) -> Seen {
    match has {
        0 => Seen::Nothing,
        has if has == agreed => Seen::AsAgreed,
        has => Seen::Other(has),
    }
}

/// The payments of an order, oldest first.
pub(super) async fn payments_of(caller: &Caller, order: OrderId) -> Result<Vec<View>, Error> {
    let filter = Filter { order_id: Some(order), ..Filter::default() };
    let mut payments = payments::list(&caller.ctx(), filter, whole_page()).await?.items;
    payments.reverse();
    Ok(payments)
}

/// What placing left behind.
pub(super) fn placed(order: &orders::View) -> Done {
    Done {
        refs: vec![reference("Order", order.id)],
        external_id: None,
        verification: None,
        value: json!({ "order_id": order.id, "number": order.number }),
    }
}

/// What holding or taking the money left behind.
pub(super) fn paid(caller: &Caller, claim: &str, payments: &[View]) -> Done {
    let charge = payments.iter().find_map(|payment| payment.charge_id.clone());
    let source = if charge.is_some() { GATEWAY } else { SHOP };
    let verification = Verification {
        status: claim.to_owned(),
        amount: Some(payments.iter().map(|payment| payment.amount_minor).sum()),
        currency: payments.first().map(|payment| payment.currency.to_string()),
        observed_at: caller.world().clock.now(),
        source: source.to_owned(),
    };
    Done {
        refs: payments.iter().map(|payment| reference("Payment", payment.id)).collect(),
        external_id: charge.or_else(|| payments.first().map(|payment| payment.id.to_string())),
        verification: Some(verification),
        value: json!({}),
    }
}

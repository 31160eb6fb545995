//! What an order costs more or less after a change, and how that is settled: charged, held, or given back.
//!
//! The amount is fixed when the person agrees; a payment of its own is opened for what is due, under the keys of the
//! step, so that it can be looked up and taken back by itself.

use mcp_actions_engine::parts::{Ref, Suggestion, Verification};
use mcp_actions_engine::{Caller as _, Done, LookUp, Reason, Record, Refusal, StepKey, StepOutcome};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shop_domain::code::ErrorCode;
use shop_domain::ids::{OrderId, PaymentMethodId};
use shop_domain::operations::operation;
use shop_domain::reasons::RefundReason;
use shop_domain::status::PaymentState;
use shop_service::payments::{self, Authorize, Capture, Create, Truth, View};
use shop_service::{Ctx, Error, orders, payment_methods, refunds};

use crate::caller::Caller;
use crate::deeds::{Deed, GATEWAY, SHOP, nothing};
use crate::entities::whole_page;
use crate::steps::{as_shop, part, refusal};
use crate::wire::reference;

/// What becomes of the difference. Amounts are positive, in minor units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "amount")]
pub(crate) enum Settlement {
    Nothing,
    /// Taken now, as the rest was.
    Charge(i64),
    /// Held now, and taken with the rest.
    Hold(i64),
    GiveBack(i64),
    /// Nothing is taken or held yet: it is simply part of what is due.
    Later(i64),
}

impl Settlement {
    /// What a change from one total to another means for an order that was paid like this.
    pub(crate) fn of(payments: &[View], before_minor: i64, after_minor: i64) -> Self {
        let sum = |amount: fn(&View) -> i64| payments.iter().map(amount).sum::<i64>();
        let taken = sum(|payment| payment.captured_minor - payment.refunded_minor);
        let held = sum(|payment| match payment.status {
            PaymentState::Authorized => payment.authorized_minor - payment.captured_minor,
            PaymentState::Created
            | PaymentState::RequiresAction
            | PaymentState::Authorizing
            | PaymentState::Capturing
            | PaymentState::Captured
            | PaymentState::Voided
            | PaymentState::Failed
            | PaymentState::Unknown => 0,
        });
        let more = (after_minor - before_minor).min(after_minor - taken - held);
        let less = (before_minor - after_minor).min(taken - after_minor);
        match (after_minor - before_minor, taken > 0, held > 0) {
            (0, _, _) => Self::Nothing,
            (1.., true, _) if more > 0 => Self::Charge(more),
            (1.., false, true) if more > 0 => Self::Hold(more),
            (1.., true, _) | (1.., _, true) => Self::Nothing,
            (1.., false, false) => Self::Later(after_minor - before_minor),
            (..0, _, _) if less > 0 => Self::GiveBack(less),
            (..0, _, _) => Self::Nothing,
        }
    }

    /// The deed that gives it back.
    pub(crate) fn refund(self, order: OrderId) -> Option<Deed> {
        let Self::GiveBack(minor) = self else { return None };
        Some(Deed::AdjustPrice(order, overpaid(minor)))
    }
}

fn overpaid(minor: i64) -> refunds::PriceAdjustment {
    refunds::PriceAdjustment {
        reason: RefundReason::OrderEdit,
        amount_minor: Some(minor),
        line_id: None,
        coupon_code: None,
        payment_id: None,
        destination: None,
        gift_card_id: None,
        approval_id: None,
    }
}

/// A payment for what is due more, as two steps: held, then taken.
pub(crate) struct Due<'a> {
    pub(crate) caller: &'a Caller,
    pub(crate) record: &'a Record,
    /// Of the first step: everything about the payment is done under it.
    pub(crate) key: &'a StepKey,
    pub(crate) order: OrderId,
    pub(crate) payment_method_id: PaymentMethodId,
    pub(crate) minor: i64,
}

impl Due<'_> {
    /// Opens the payment and holds its money. Run again, it goes on where it was interrupted.
    pub(crate) async fn hold(&self) -> Result<StepOutcome, Error> {
        match self.held().await {
            Ok(payment) => Ok(StepOutcome::Done(self.done("authorized", &payment))),
            Err(error) if error.code == ErrorCode::PaymentDeclined => {
                Ok(StepOutcome::Refused(self.declined(&error).await?))
            }
            Err(error) => Err(error),
        }
    }

    async fn held(&self) -> Result<View, Error> {
        let create = Create {
            payment_method_id: Some(self.payment_method_id),
            amount_minor: Some(self.minor),
            ..Create::default()
        };
        let opened = payments::create(&self.part("open", None), self.order, create).await?.view;
        let mut payment = self.now(&opened).await?;
        if !matches!(payment.status, PaymentState::Authorized | PaymentState::Captured) {
            let ctx = self.part("hold", Some(payment.version));
            payments::authorize(&ctx, payment.id, Authorize::default()).await?;
            payment = self.now(&opened).await?;
        }
        if payment.authorized_minor == self.minor {
            return Ok(payment);
        }
        let words = format!(
            "the bank approved {} of {} {}; the hold is let go",
            payment.authorized_minor, self.minor, payment.currency
        );
        Err(Error::new(ErrorCode::PaymentDeclined, words))
    }

    /// Takes what is held.
    pub(crate) async fn take(&self) -> Result<StepOutcome, Error> {
        let Some(opened) = self.opened().await? else {
            return Err(Error::internal("money was to be taken before it was held"));
        };
        // The second round takes what a gateway left after taking a part only.
        for round in ["take", "rest"] {
            let payment = self.now(&opened).await?;
            let left = self.minor - payment.captured_minor;
            if left > 0 {
                let ctx = self.part(round, Some(payment.version));
                payments::capture(&ctx, payment.id, Capture { amount_minor: Some(left) }).await?;
            }
        }
        Ok(StepOutcome::Done(self.done("paid", &self.now(&opened).await?)))
    }

    /// What the gateway says about money that was held, or taken. Sends nothing.
    pub(crate) async fn look(&self, is_taken: bool) -> Result<LookUp, Error> {
        let Some(opened) = self.opened().await? else { return Ok(nothing(self.caller, SHOP)) };
        let seen = payments::observe(&self.caller.ctx(), opened.id).await?;
        let payment = &seen.payment;
        let (has, source) = match seen.truth {
            Truth::Silent => return Ok(LookUp::StillUnknown),
            Truth::Absent => (0, GATEWAY),
            Truth::Own if is_taken => (payment.captured_minor - payment.refunded_minor, SHOP),
            Truth::Own => (payment.authorized_minor, SHOP),
            Truth::Gateway { captured_minor, refunded_minor, .. } if is_taken => {
                (captured_minor - refunded_minor, GATEWAY)
            }
            Truth::Gateway { is_voided: true, .. } => (0, GATEWAY),
            Truth::Gateway { authorized_minor, .. } => (authorized_minor, GATEWAY),
        };
        // A claimed yes that did nothing is not the same as a call that never came.
        let is_claimed = is_taken && payment.status == PaymentState::Captured;
        let claim = if is_taken { "paid" } else { "authorized" };
        Ok(match has {
            has if has == self.minor => LookUp::Found(self.done(claim, payment)),
            0 if !is_claimed => nothing(self.caller, source),
            has => LookUp::Differs {
                verification: self.verification("differs", has, payment, source),
                message: format!("there is {has} {}, not the {} agreed to", payment.currency, self.minor),
            },
        })
    }

    /// Lets held money go, so that nothing more can happen; says what was taken, which has to go back another way.
    ///
    /// # Errors
    /// `outcome_unknown` while it is not known what was taken.
    pub(crate) async fn let_go(&self) -> Result<(Vec<Ref>, i64), Error> {
        let Some(opened) = self.opened().await? else { return Ok((Vec::new(), 0)) };
        payments::sync(&self.caller.ctx(), opened.id).await?;
        let payment = self.now(&opened).await?;
        match payment.status {
            PaymentState::Created | PaymentState::RequiresAction | PaymentState::Authorized
                if payment.captured_minor == 0 =>
            {
                payments::void(&self.part("let_go", Some(payment.version)), payment.id).await?;
                Ok((vec![reference("Payment", payment.id)], 0))
            }
            PaymentState::Unknown | PaymentState::Authorizing | PaymentState::Capturing => {
                Err(Error::new(ErrorCode::OutcomeUnknown, "whether it was paid is not known yet"))
            }
            PaymentState::Created
            | PaymentState::RequiresAction
            | PaymentState::Authorized
            | PaymentState::Captured
            | PaymentState::Voided
            | PaymentState::Failed => Ok((Vec::new(), payment.captured_minor - payment.refunded_minor)),
        }
    }

    /// Gives back what was taken, once the order costs that much less again. Nobody has to agree to that.
    pub(crate) async fn give_back(&self, minor: i64) -> Result<Vec<Ref>, Error> {
        let order = orders::get(&self.caller.ctx(), self.order).await?;
        let ctx = as_shop(self.part("give_back", Some(order.version)));
        let batch = refunds::price_adjustment(&ctx, self.order, overpaid(minor)).await?.view;
        Ok(batch.refunds.iter().map(|refund| reference("Refund", refund.id)).collect())
    }

    async fn opened(&self) -> Result<Option<View>, Error> {
        self.part("open", None).answered::<View>(operation("create_payment")).await
    }

    async fn now(&self, opened: &View) -> Result<View, Error> {
        payments::get(&self.caller.ctx(), opened.id).await
    }

    /// A decline, with what else the customer could pay with.
    async fn declined(&self, error: &Error) -> Result<Refusal, Error> {
        let ctx = self.caller.ctx();
        let customer = orders::get(&ctx, self.order).await?.customer_id;
        let methods = match customer {
            Some(customer) => payment_methods::list(&ctx, customer, whole_page()).await?.items,
            None => Vec::new(),
        };
        let others = methods.into_iter().filter(|method| method.id != self.payment_method_id);
        let suggestions = others.map(|method| Suggestion {
            field: "payment_method_id".to_owned(),
            value: json!(method.id),
            label: format!("Pay with {}", method.label),
            confidence: if method.is_default { 0.7 } else { 0.5 },
        });
        let refusal = refusal(error).suggesting(suggestions.collect());
        let waits = match self.opened().await? {
            Some(opened) => self.now(&opened).await?.status == PaymentState::RequiresAction,
            None => false,
        };
        Ok(if waits { Refusal { reason: Reason::AuthenticationRequired, ..refusal } } else { refusal })
    }

    fn done(&self, claim: &str, payment: &View) -> Done {
        let source = if payment.charge_id.is_some() { GATEWAY } else { SHOP };
        Done {
            refs: vec![reference("Payment", payment.id)],
            external_id: Some(payment.charge_id.clone().unwrap_or_else(|| payment.id.to_string())),
            verification: Some(self.verification(claim, self.minor, payment, source)),
            value: json!({}),
        }
    }

    fn verification(&self, status: &str, amount: i64, payment: &View, source: &str) -> Verification {
        Verification {
            status: status.to_owned(),
            amount: Some(amount),
            currency: Some(payment.currency.to_string()),
            observed_at: self.caller.world().clock.now(),
            source: source.to_owned(),
        }
    }

    fn part(&self, name: &str, version: Option<i64>) -> Ctx {
        part(self.caller, self.record, self.key, name, version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payment(status: PaymentState, authorized: i64, captured: i64, refunded: i64) -> View {
        View {
            id: "pay_01jz8q4w7c5v6n3m2k1h0g9f8e".parse().unwrap(),
            order_id: "ord_01jz8q4w7c5v6n3m2k1h0g9f8e".parse().unwrap(),
            instrument: shop_domain::status::InstrumentKind::Card,
            payment_method_id: None,
            gift_card_id: None,
            status,
            amount_minor: authorized,
            authorized_minor: authorized,
            captured_minor: captured,
            refunded_minor: refunded,
            currency: shop_domain::money::Currency::Eur,
            charge_id: None,
            decline_code: None,
            created_at: chrono::DateTime::UNIX_EPOCH,
            updated_at: chrono::DateTime::UNIX_EPOCH,
            version: 1,
        }
    }

    #[test]
    fn a_difference_is_settled_as_the_rest_was() {
        use PaymentState as S;
        use Settlement::{Charge, GiveBack, Hold, Later, Nothing};
        let taken = || payment(S::Captured, 1_000, 1_000, 0);
        let held = || payment(S::Authorized, 1_000, 0, 0);
        let back = || payment(S::Captured, 1_000, 1_000, 200);
        let check = |payments: &[View], before, after| Settlement::of(payments, before, after);
        assert_eq!(check(&[taken()], 1_000, 1_000), Nothing);
        assert_eq!(check(&[taken()], 1_000, 1_300), Charge(300));
        assert_eq!(check(&[taken()], 1_000, 700), GiveBack(300));
        // It became cheaper once and was paid back; now it is dearer again.
        assert_eq!(check(&[back()], 800, 1_000), Charge(200));
        assert_eq!(check(&[held()], 1_000, 1_300), Hold(300));
        assert_eq!(check(&[held()], 1_000, 700), Nothing, "less of it is taken then");
        assert_eq!(check(&[], 1_000, 1_300), Later(300));
        assert_eq!(check(&[payment(S::Failed, 0, 0, 0)], 1_000, 700), Nothing);
        // What was due before stays due.
        assert_eq!(check(&[taken()], 1_500, 1_700), Charge(200));
        assert_eq!(check(&[taken()], 1_500, 1_200), Nothing);
        // Too much was held for it: what is there covers it.
        assert_eq!(check(&[taken(), held()], 1_000, 1_700), Nothing);
    }
}

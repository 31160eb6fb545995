//! What a confirmed checkout does: place the order, hold the money, take it; and how all of it is taken back.
//!
//! What was agreed to is read from the summary the person saw, never computed anew.

use async_trait::async_trait;
use mcp_actions_engine::parts::{Map, Suggestion, ValidationError};
use mcp_actions_engine::{
    Abandoned, Done, Effects, Failure, Held, LookUp, Reason, Record, Refusal, StepKey, StepOutcome,
};
use serde_json::{Value, json};
use shop_domain::code::ErrorCode;
use shop_domain::ids::{CartId, GiftCardId, OrderId, PaymentMethodId};
use shop_domain::status::{InstrumentKind, PaymentState};
use shop_service::checkout::{self, Agreed};
use shop_service::payments::{self, Capture, Create};
use shop_service::{Error, inventory, payment_methods};

use super::look::{Look, paid, payments_of};
use super::payment::{TYPES, word};
use super::{Checkout, customer, facts};
use crate::caller::Caller;
use crate::entities::whole_page;
use crate::failure::{failure, reason, words};
use crate::steps::{outcome, part, refusal};
use crate::wire::{id, reference, text};

pub(super) const PLACE: &str = "place";
pub(super) const AUTHORIZE: &str = "authorize";
pub(super) const CAPTURE: &str = "capture";

/// The order an action made, once it did.
pub(super) fn order_of(record: &Record) -> Option<OrderId> {
    record.done(PLACE)?.value.get("order_id")?.as_str()?.parse().ok()
}

/// One instrument and its amount, as the person agreed to it.
pub(super) struct Share {
    /// Names the share in keys: the summary's order is fixed.
    at: usize,
    kind: InstrumentKind,
    payment_method_id: Option<PaymentMethodId>,
    gift_card_id: Option<GiftCardId>,
    pub(super) amount_minor: i64,
}

pub(super) fn shares(record: &Record) -> Vec<Share> {
    let agreed = summary(record).and_then(|summary| summary.get("payments"));
    let share = |(at, share): (usize, &Value)| {
        let share = share.as_object()?;
        let (_, kind) = TYPES.into_iter().find(|(word, _)| text(share, "payment_type") == Some(*word))?;
        Some(Share {
            at,
            kind,
            payment_method_id: id(share, "payment_method_id"),
            gift_card_id: id(share, "payment_method_id"),
            amount_minor: share.get("amount")?.as_i64()?,
        })
    };
    agreed.and_then(Value::as_array).into_iter().flatten().enumerate().filter_map(share).collect()
}

fn summary(record: &Record) -> Option<&Map> {
    record.preview.as_ref().map(|preview| &preview.summary)
}

#[async_trait]
impl Effects<Caller> for Checkout {
    async fn hold(&self, caller: &Caller, record: &Record) -> Result<Held, Failure> {
        let hold = inventory::Hold {
            holder: record.id.clone(),
            lines: facts::wanted(&record.inputs),
            coupon_id: id(&record.inputs, "coupon_id"),
            // The end of the action gives it back, whenever that is.
            expires_at: None,
        };
        let refused = |field: &str, error: &Error| {
            Held::Refused(vec![ValidationError::new(field, reason(error.code), words(error))])
        };
        match inventory::hold(&caller.ctx(), hold).await {
            Ok(_) => Ok(Held::Kept),
            Err(error) if error.code == ErrorCode::OutOfStock => Ok(refused("items", &error)),
            Err(error) if error.code == ErrorCode::CouponInvalid => Ok(refused("coupon_id", &error)),
            Err(error) => Err(failure(error)),
        }
    }

    async fn release(&self, caller: &Caller, record: &Record) -> Result<(), Failure> {
        inventory::release_holder(&caller.ctx(), &record.id).await.map_err(failure)
    }

    fn steps(&self, _record: &Record) -> Vec<&'static str> {
        vec![PLACE, AUTHORIZE, CAPTURE]
    }

    async fn run(&self, caller: &Caller, step: &str, key: &StepKey, record: &Record) -> StepOutcome {
        let run = Run { caller, record, key };
        let ran = match step {
            PLACE => run.place().await,
            AUTHORIZE => run.authorize().await,
            CAPTURE => run.capture().await,
            _ => Ok(StepOutcome::Unknown),
        };
        ran.unwrap_or_else(|error| outcome(&error))
    }

    async fn look_up(&self, caller: &Caller, step: &str, key: &StepKey, record: &Record) -> LookUp {
        let look = Look { caller, record };
        let looked = match step {
            PLACE => look.place(key).await,
            AUTHORIZE => look.authorize().await,
            CAPTURE => look.capture().await,
            _ => Ok(LookUp::StillUnknown),
        };
        // Whatever kept us from looking, nothing was learned.
        looked.unwrap_or(LookUp::StillUnknown)
    }

    async fn abandon(&self, caller: &Caller, record: &Record) -> Abandoned {
        match undo(caller, record).await {
            Ok(refs) => Abandoned::Clean { refs },
            Err(error) => {
                tracing::info!(action = record.id, %error, "a checkout could not be taken back yet");
                Abandoned::Unknown
            }
        }
    }
}

/// Takes the order back, if there is one: also one whose step never came to be recorded.
async fn undo(caller: &Caller, record: &Record) -> Result<Vec<mcp_actions_engine::parts::Ref>, Error> {
    let placed = part(caller, record, &record.step_key(PLACE), "", None);
    let Some(order) = checkout::placed(&placed).await? else { return Ok(Vec::new()) };
    let undone = checkout::undo(&part(caller, record, &record.step_key("undo"), "", None), order.id).await?;
    let voided = undone.voided.into_iter().map(|id| reference("Payment", id));
    Ok(voided.chain(undone.refunded.into_iter().map(|id| reference("Refund", id))).collect())
}

/// One run of one step.
struct Run<'a> {
    caller: &'a Caller,
    record: &'a Record,
    key: &'a StepKey,
}

impl Run<'_> {
    async fn place(&self) -> Result<StepOutcome, Error> {
        let inputs = &self.record.inputs;
        let cart_id = self.record.entity.as_ref().and_then(|entity| entity.id.parse::<CartId>().ok());
        let amount = summary(self.record).and_then(|summary| summary.get("amount")).and_then(Value::as_i64);
        let (Some(address_id), Some(shipping_method_id), Some(total_minor)) =
            (id(inputs, "address_id"), id(inputs, "shipping_method_id"), amount)
        else {
            return Err(Error::internal(
                "a checkout was confirmed without an address, a method or an amount",
            ));
        };
        let agreed = Agreed {
            customer_id: customer(self.caller, None).ok(),
            cart_id,
            items: facts::wanted(inputs),
            address_id,
            shipping_method_id,
            coupon_id: id(inputs, "coupon_id"),
            total_minor,
            holder: self.record.id.clone(),
        };
        // There is no version to believe in: the total that was agreed to is what is checked.
        let order = checkout::place(&self.part("", Some(0)), agreed).await?.view;
        Ok(StepOutcome::Done(super::look::placed(&order)))
    }

    async fn authorize(&self) -> Result<StepOutcome, Error> {
        let order = self.order()?;
        for share in shares(self.record) {
            match self.hold_money(order, &share).await {
                Ok(()) => {}
                Err(error) if error.code == ErrorCode::PaymentDeclined => {
                    return Ok(StepOutcome::Refused(self.declined(order, &share, &error).await?));
                }
                Err(error) => return Err(error),
            }
        }
        let payments = payments_of(self.caller, order).await?;
        Ok(StepOutcome::Done(Done { verification: None, ..paid(self.caller, "authorized", &payments) }))
    }

    /// Opens a payment for one share and holds exactly its amount.
    async fn hold_money(&self, order: OrderId, share: &Share) -> Result<(), Error> {
        let create = Create {
            payment_method_id: share.payment_method_id,
            gift_card_id: share.gift_card_id,
            instrument: Some(share.kind),
            amount_minor: Some(share.amount_minor),
            replaces_payment_id: None,
        };
        let opened =
            payments::create(&self.part(&format!("{}/open", share.at), None), order, create).await?.view;
        let mut payment = payments::get(&self.caller.ctx(), opened.id).await?;
        if !matches!(payment.status, PaymentState::Authorized | PaymentState::Captured) {
            let ctx = self.part(&share.at.to_string(), Some(payment.version));
            payments::authorize(&ctx, payment.id, payments::Authorize::default()).await?;
            payment = payments::get(&self.caller.ctx(), opened.id).await?;
        }
        if payment.authorized_minor == share.amount_minor {
            return Ok(());
        }
        let words = format!(
            "the bank approved {} of {} {}; the hold is let go",
            payment.authorized_minor, share.amount_minor, payment.currency
        );
        Err(Error::new(ErrorCode::PaymentDeclined, words))
    }

    /// A decline, with what else the customer could pay with.
    async fn declined(&self, order: OrderId, share: &Share, error: &Error) -> Result<Refusal, Error> {
        let ctx = self.caller.ctx();
        let waits = payments_of(self.caller, order)
            .await?
            .iter()
            .any(|payment| payment.status == PaymentState::RequiresAction);
        let customer = shop_service::orders::get(&ctx, order).await?.customer_id;
        let methods = match customer {
            Some(customer) => payment_methods::list(&ctx, customer, whole_page()).await?.items,
            None => Vec::new(),
        };
        let others = methods.into_iter().filter(|method| Some(method.id) != share.payment_method_id);
        let suggestions = others.map(|method| Suggestion {
            field: if method.kind == share.kind { "payment_method_id" } else { "payment_type" }.to_owned(),
            value: if method.kind == share.kind { json!(method.id) } else { json!(word(method.kind)) },
            label: format!("Pay with {}", method.label),
            confidence: if method.is_default { 0.7 } else { 0.5 },
        });
        let refusal = Refusal { suggestions: suggestions.collect(), ..refusal(error) };
        Ok(if waits { Refusal { reason: Reason::AuthenticationRequired, ..refusal } } else { refusal })
    }

    async fn capture(&self) -> Result<StepOutcome, Error> {
        let order = self.order()?;
        for payment in payments_of(self.caller, order).await? {
            // The second round takes what a gateway left after taking a part only.
            for round in ["", "/rest"] {
                let payment = payments::get(&self.caller.ctx(), payment.id).await?;
                let left = payment.amount_minor - payment.captured_minor;
                if left > 0 {
                    let ctx = self.part(&format!("{}{round}", payment.id), Some(payment.version));
                    payments::capture(&ctx, payment.id, Capture { amount_minor: Some(left) }).await?;
                }
            }
        }
        let payments = payments_of(self.caller, order).await?;
        Ok(StepOutcome::Done(paid(self.caller, "paid", &payments)))
    }

    fn order(&self) -> Result<OrderId, Error> {
        order_of(self.record).ok_or_else(|| Error::internal("a payment step ran before its order was placed"))
    }

    fn part(&self, name: &str, version: Option<i64>) -> shop_service::Ctx {
        part(self.caller, self.record, self.key, name, version)
    }
}

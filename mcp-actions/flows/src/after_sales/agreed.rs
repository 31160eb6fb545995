//! What the person agrees to: the summary, and the deeds that follow from it and from nothing else.

use mcp_actions_engine::{Map, Record};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shop_domain::fulfillments::DeliveryException;
use shop_domain::ids::{
    FulfillmentId, GiftCardId, OrderId, OrderLineId, PaymentMethodId, ReturnId, VariantId,
};
use shop_domain::money::{Currency, Money};
use shop_domain::reasons::{CancelReason, PostagePayer, RefundReason, ReturnReason};
use shop_domain::returns::ReturnGrade;
use shop_domain::status::RefundDestination;
use shop_service::{LineUnits, exchanges, fulfillments, orders, refunds, returns};

use super::remedy::Remedy;
use crate::deeds::Deed;
use crate::wire::{block, object};

pub(super) const REPORT: &str = "report";
pub(super) const INSPECT: &str = "inspect";
pub(super) const CANCEL: &str = "cancel";
pub(super) const REFUND: &str = "refund";
pub(super) const VOID: &str = "void";
pub(super) const REQUEST: &str = "request";
pub(super) const SEND: &str = "send";

/// The summary, without what does not apply. Equal wishes give equal summaries: no time and no version is in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Agreed {
    /// The whole of it in a sentence.
    pub(super) what: String,
    /// The order's number.
    pub(super) order: String,
    pub(super) resolution: String,
    #[serde(default)]
    pub(super) items: Vec<Item>,
    /// What goes back to the customer, in minor units; for an exchange the signed difference, which is what the new
    /// goods cost more.
    pub(super) amount: Option<i64>,
    pub(super) currency: Currency,
    /// Held money that is let go, in minor units.
    pub(super) released: i64,
    pub(super) reason: String,
    /// The same as a reason to cancel, where a refund ends the order.
    pub(super) cancel_reason: Option<CancelReason>,
    pub(super) details: Option<String>,
    pub(super) refund_to: Option<RefundDestination>,
    /// The same, in words.
    pub(super) refund_to_label: Option<String>,
    /// A method of the customer's the money goes to, where one was named.
    pub(super) refund_method_id: Option<PaymentMethodId>,
    pub(super) refund_gift_card_id: Option<GiftCardId>,
    pub(super) settle_with: Option<exchanges::SettleWith>,
    /// The same, in words.
    pub(super) settle_with_label: Option<String>,
    pub(super) coupon_code: Option<String>,
    pub(super) return_id: Option<ReturnId>,
    /// Who pays the postage of what is sent back.
    pub(super) postage_payer: Option<PostagePayer>,
    /// Parcels that are put on record as lost.
    #[serde(default)]
    pub(super) reported_lost: Vec<FulfillmentId>,
    /// How goods that came back are.
    pub(super) condition: Option<ReturnGrade>,
    /// Whether a second person has to agree.
    pub(super) staff_approval: bool,
    /// What happens then.
    pub(super) next: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Item {
    pub(super) id: OrderLineId,
    pub(super) name: String,
    pub(super) quantity: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) to: Option<NewItem>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct NewItem {
    pub(super) id: VariantId,
    pub(super) name: String,
}

impl Agreed {
    pub(super) fn summary(&self) -> Map {
        let mut summary = object(block(self));
        summary.retain(|_, value| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty()));
        summary
    }

    /// What was agreed to in an action that was confirmed.
    pub(super) fn of(record: &Record) -> Option<Self> {
        let summary = record.preview.as_ref()?.summary.clone();
        serde_json::from_value(Value::Object(summary)).ok()
    }

    pub(super) fn remedy(&self) -> Option<Remedy> {
        Remedy::parse(&self.resolution)
    }

    /// The amount, as a person reads it.
    pub(super) fn money(&self, minor: i64) -> String {
        Money { minor, currency: self.currency }.to_string()
    }

    /// The effects, in order.
    pub(super) fn steps(&self) -> Vec<&'static str> {
        let mut steps = Vec::new();
        if !self.reported_lost.is_empty() {
            steps.push(REPORT);
        }
        if self.condition.is_some() {
            steps.push(INSPECT);
        }
        let pays = self.amount.is_some_and(|minor| minor > 0);
        match self.remedy() {
            // Giving everything back ends the order too, in one write: nobody is left cancelled and unpaid.
            Some(Remedy::Cancel) => steps.push(if pays { REFUND } else { CANCEL }),
            Some(Remedy::RefundReturned) if !pays => {}
            Some(
                Remedy::RefundUnshipped
                | Remedy::RefundKept
                | Remedy::RefundReturned
                | Remedy::ShippingFee
                | Remedy::ShippingDifference
                | Remedy::PriceAdjustment,
            ) => steps.push(REFUND),
            Some(Remedy::Return | Remedy::Exchange) => steps.push(REQUEST),
            Some(Remedy::Replace) => steps.push(SEND),
            None => {}
        }
        if self.released > 0 {
            steps.push(VOID);
        }
        steps
    }

    /// The deeds of a step, each with the name that tells it from the others. Letting money go is no single deed.
    pub(super) fn deeds(&self, step: &str, order: OrderId) -> Vec<(String, Deed)> {
        let one = |deed: Option<Deed>| deed.map(|deed| (String::new(), deed)).into_iter().collect();
        match step {
            REPORT => {
                let report = |id: &FulfillmentId| {
                    let input = fulfillments::ReportException {
                        kind: DeliveryException::Lost,
                        note: self.details.clone(),
                    };
                    (id.to_string(), Deed::ReportException(*id, input))
                };
                self.reported_lost.iter().map(report).collect()
            }
            INSPECT => one(self.inspection()),
            CANCEL => one(self.reason.parse().ok().map(|reason: CancelReason| {
                Deed::Cancel(order, orders::Cancel { reason, approval_id: None })
            })),
            REFUND => one(self.refund(order)),
            REQUEST => one(self.request(order)),
            SEND => one(Some(Deed::Replace(
                order,
                exchanges::Replace {
                    lines: self.units(),
                    reason: self.details.clone().unwrap_or_else(|| self.reason.clone()),
                    approval_id: None,
                },
            ))),
            _ => Vec::new(),
        }
    }

    /// The deed that its price and its approval hang on.
    pub(super) fn main(&self, order: OrderId) -> Option<Deed> {
        let steps = self.steps();
        let main = steps.into_iter().find(|step| matches!(*step, CANCEL | REFUND | REQUEST | SEND))?;
        self.deeds(main, order).into_iter().next().map(|(_, deed)| deed)
    }

    pub(super) fn refund(&self, order: OrderId) -> Option<Deed> {
        // Back to what paid is what is done when nothing is said; only a return may have it otherwise.
        let is_usual = self.remedy() != Some(Remedy::RefundReturned);
        let destination = self.refund_to.filter(|to| !(is_usual && *to == RefundDestination::OriginalMethod));
        let gift_card_id = self.refund_gift_card_id;
        let lines = Some(self.units());
        Some(match self.remedy()? {
            Remedy::Cancel => Deed::RefundUnshipped(
                order,
                refunds::Unshipped {
                    lines: None,
                    reason: Some(self.reason.clone()).filter(|reason| !reason.is_empty()),
                    cancel_reason: self.reason.parse().ok(),
                    destination,
                    gift_card_id,
                    approval_id: None,
                },
            ),
            Remedy::RefundUnshipped => Deed::RefundUnshipped(
                order,
                refunds::Unshipped {
                    lines,
                    reason: Some(self.reason.clone()),
                    cancel_reason: self.cancel_reason,
                    destination,
                    gift_card_id,
                    approval_id: None,
                },
            ),
            Remedy::RefundKept => Deed::RefundKept(
                order,
                refunds::WithoutReturn {
                    lines,
                    reason: self.reason.parse().unwrap_or(RefundReason::Goodwill),
                    destination,
                    gift_card_id,
                    approval_id: None,
                },
            ),
            Remedy::RefundReturned => Deed::RefundReturned(
                self.return_id?,
                refunds::Returned { lines, destination, gift_card_id, approval_id: None },
            ),
            Remedy::ShippingFee => Deed::RefundShippingFee(
                order,
                refunds::ShippingFee {
                    reason: self.details.clone(),
                    destination,
                    gift_card_id,
                    approval_id: None,
                },
            ),
            Remedy::ShippingDifference => Deed::RefundShippingDifference(
                order,
                refunds::ShippingDifference { destination, gift_card_id, approval_id: None },
            ),
            Remedy::PriceAdjustment => Deed::AdjustPrice(
                order,
                refunds::PriceAdjustment {
                    reason: self.reason.parse().unwrap_or(RefundReason::PriceDrop),
                    amount_minor: self.amount,
                    line_id: None,
                    coupon_code: self.coupon_code.clone(),
                    payment_id: None,
                    destination,
                    gift_card_id,
                    approval_id: None,
                },
            ),
            Remedy::Return | Remedy::Exchange | Remedy::Replace => return None,
        })
    }

    pub(super) fn request(&self, order: OrderId) -> Option<Deed> {
        let reason = self.reason.parse().unwrap_or(ReturnReason::ChangedMind);
        Some(match self.remedy()? {
            Remedy::Return => Deed::Return(
                order,
                returns::Request {
                    lines: Some(self.units()),
                    reason,
                    note: self.details.clone(),
                    refund_to: self.refund_to,
                    refund_method_id: self.refund_method_id,
                    approval_id: None,
                },
            ),
            Remedy::Exchange => Deed::Exchange(
                order,
                exchanges::Request {
                    lines: self.swaps(),
                    reason,
                    settle_with: self.settle_with,
                    approval_id: None,
                },
            ),
            Remedy::Cancel
            | Remedy::RefundUnshipped
            | Remedy::RefundKept
            | Remedy::RefundReturned
            | Remedy::Replace
            | Remedy::ShippingFee
            | Remedy::ShippingDifference
            | Remedy::PriceAdjustment => return None,
        })
    }

    fn inspection(&self) -> Option<Deed> {
        let grade = self.condition?;
        let grades =
            self.items.iter().map(|item| returns::Grade { line_id: item.id, quantity: item.quantity, grade });
        let input = returns::Inspect { grades: grades.collect(), location_id: None };
        Some(Deed::Inspect(self.return_id?, input))
    }

    pub(super) fn units(&self) -> Vec<LineUnits> {
        self.items.iter().map(|item| LineUnits { line_id: item.id, quantity: item.quantity }).collect()
    }

    fn swaps(&self) -> Vec<exchanges::Swap> {
        let swap = |item: &Item| {
            let variant_id = item.to.as_ref()?.id;
            Some(exchanges::Swap { line_id: item.id, quantity: item.quantity, variant_id })
        };
        self.items.iter().filter_map(swap).collect()
    }
}

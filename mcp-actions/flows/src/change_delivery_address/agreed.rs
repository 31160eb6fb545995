//! What the person says yes to, and what it takes to do exactly that.

use mcp_actions_engine::{Map, Record};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shop_domain::address::Address;
use shop_domain::ids::{CustomerId, FulfillmentId, OrderId, PaymentMethodId, ShippingMethodId};
use shop_domain::money::Currency;
use shop_service::{addresses, fulfillments, orders};

use crate::deeds::{Deed, Profile};
use crate::due::Settlement;
use crate::wire::{block, object};

pub(super) const KEEP: &str = "keep";
pub(super) const CHANGE: &str = "change";
pub(super) const REDIRECT: &str = "redirect";
pub(super) const HOLD: &str = "hold";
pub(super) const TAKE: &str = "take";
pub(super) const REFUND: &str = "refund";

/// The summary. Equal wishes give equal summaries: no time and no version is in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Agreed {
    /// The whole of it in a sentence.
    pub(super) what: String,
    /// The order's number.
    pub(super) order: String,
    /// Where it goes until now, and where it goes then, as a person reads it.
    pub(super) from: String,
    pub(super) to: String,
    pub(super) address: Address,
    pub(super) previous_address: Address,
    /// The parcels that are redirected, each with where it goes until now; empty when the order itself changes.
    pub(super) parcels: Vec<Parcel>,
    pub(super) shipping_method: Option<String>,
    pub(super) shipping_method_id: Option<ShippingMethodId>,
    pub(super) previous_shipping_method_id: Option<ShippingMethodId>,
    /// What it costs more, or less when negative, in minor units; for a redirect the carrier's fee.
    pub(super) amount: i64,
    pub(super) currency: Currency,
    pub(super) total_before: i64,
    pub(super) total_after: i64,
    pub(super) shipping_after: i64,
    pub(super) tax_after: i64,
    /// What becomes of the difference.
    pub(super) settlement: Settlement,
    pub(super) payment_method_id: Option<PaymentMethodId>,
    /// The same, in words.
    pub(super) payment: Option<String>,
    /// What the new address is kept as in the address book.
    pub(super) saved_as: Option<String>,
    pub(super) customer_id: Option<CustomerId>,
    /// Whether a second person has to agree.
    pub(super) staff_approval: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Parcel {
    pub(super) id: FulfillmentId,
    pub(super) tracking_number: Option<String>,
    pub(super) from: Address,
}

impl Agreed {
    pub(super) fn summary(&self) -> Map {
        object(block(self))
    }

    /// What was agreed to in an action that was confirmed.
    pub(super) fn of(record: &Record) -> Option<Self> {
        let summary = record.preview.as_ref()?.summary.clone();
        serde_json::from_value(Value::Object(summary)).ok()
    }

    /// The effects, in order: what can be refused comes before what moves money.
    pub(super) fn steps(&self) -> Vec<&'static str> {
        let keep = self.saved_as.is_some().then_some(KEEP);
        let send = if self.parcels.is_empty() { CHANGE } else { REDIRECT };
        let settle: &[&str] = match self.settlement {
            Settlement::Charge(_) => &[HOLD, TAKE],
            Settlement::Hold(_) => &[HOLD],
            Settlement::GiveBack(_) => &[REFUND],
            Settlement::Nothing | Settlement::Later(_) => &[],
        };
        keep.into_iter().chain([send]).chain(settle.iter().copied()).collect()
    }

    /// The deeds of a step, each with its name and with the deed that takes it back. Paying is no single deed.
    pub(super) fn deeds(&self, step: &str, order: OrderId) -> Vec<(String, Deed, Option<Deed>)> {
        match step {
            KEEP => self.keep().into_iter().map(|deed| (String::new(), deed, None)).collect(),
            CHANGE => {
                let to = |address: &Address, shipping_method_id| {
                    let input = orders::ChangeAddress {
                        address: address.clone(),
                        shipping_method_id,
                        approval_id: None,
                    };
                    Deed::ChangeAddress(order, input)
                };
                let there = to(&self.address, self.shipping_method_id);
                let back = to(&self.previous_address, self.previous_shipping_method_id);
                vec![(String::new(), there, Some(back))]
            }
            REDIRECT => {
                let to = |id, address: &Address| {
                    Deed::Redirect(id, fulfillments::Redirect { address: address.clone(), approval_id: None })
                };
                let redirect = |parcel: &Parcel| {
                    let back = to(parcel.id, &parcel.from);
                    (parcel.id.to_string(), to(parcel.id, &self.address), Some(back))
                };
                self.parcels.iter().map(redirect).collect()
            }
            REFUND => {
                self.settlement.refund(order).into_iter().map(|deed| (String::new(), deed, None)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn keep(&self) -> Option<Deed> {
        let create = addresses::Create {
            label: self.saved_as.clone()?,
            address: self.address.clone(),
            is_default: false,
        };
        Some(Deed::Profile(self.customer_id?, Profile::SaveAddress(create)))
    }
}

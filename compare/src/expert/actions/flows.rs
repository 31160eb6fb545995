//! After-sales, addresses, tracking: one entry each, and the shop's code decides what it is.

use serde_json::{Map, Value, json};

use super::{carry_out, checkout::spoken};
use crate::expert::Session;
use crate::intent::{
    AddressWords, ExchangeItems, Intent, Item, Means, Pay, RefundReturned, ReturnItems, Swap,
};

/// Reasons that staff never look into.
const ROUTINE: [&str; 2] = ["changed_mind", "wrong_size"];

pub(super) async fn perform(session: &mut Session<'_>, intent: &Intent) -> anyhow::Result<()> {
    let Some((capability, target, patch)) = asked(intent) else {
        anyhow::bail!("no flow for {}", intent.name());
    };
    let mut view = session.start(capability, target.as_deref(), patch).await?;
    if let (true, Some(words)) = (view["node"] == "RESOLVE", more_words(intent)) {
        view = session.advance(&view, json!({ "target": words })).await?;
    }
    carry_out(session, view).await
}

/// What tells namesakes apart.
fn more_words(intent: &Intent) -> Option<String> {
    let Intent::ChangeProfileAddress(words) = intent else { return None };
    let who = words.who.as_ref()?;
    Some(format!("{} {} {}", who.first_name, who.last_name, who.postal_code))
}

/// Capability, what it is about, and everything that was said.
fn asked(intent: &Intent) -> Option<(&'static str, Option<String>, Value)> {
    let after_sales = |order: &str, patch: Value| ("after_sales", Some(order.to_owned()), patch);
    Some(match intent {
        Intent::Checkout(_) | Intent::ModifyItems(_) | Intent::ChangePayment(_) => return None,
        Intent::TrackOrder(words) | Intent::ReadOrder(words) => {
            ("track_order", Some(words.order.clone()), json!({}))
        }
        Intent::CancelOrder(words) => {
            ("cancel_order", Some(words.order.clone()), json!({ "reason": words.reason }))
        }
        Intent::RefundUnshipped(words) => {
            ("refund_only", Some(words.order.clone()), json!({ "items": named(&words.items) }))
        }
        Intent::LostParcelRefund(words) => {
            after_sales(&words.order, json!({ "problem": "never_arrived", "wants": "refund" }))
        }
        Intent::LostParcelReplacement(words) => {
            after_sales(&words.order, json!({ "problem": "never_arrived", "wants": "replacement" }))
        }
        Intent::RefundKeepItems(words) => after_sales(
            &words.order,
            json!({
                "problem": "faulty",
                "wants": "refund_and_keep",
                "items": named(&words.items),
                "details": "The customer says that it arrived faulty.",
            }),
        ),
        Intent::ReturnItems(words) => ("return_refund", Some(words.order.clone()), returned(words)),
        Intent::RefundReturned(words) => after_sales(&words.order, paid_back(words)),
        Intent::ExchangeItems(words) => ("exchange", Some(words.order.clone()), exchanged(words)),
        Intent::RefundShippingFee(words) => after_sales(&words.order, json!({ "problem": "shipping_fee" })),
        Intent::RefundShippingDifference(words) => {
            after_sales(&words.order, json!({ "problem": "slower_shipping" }))
        }
        Intent::RefundMissedCoupon(words) => {
            after_sales(&words.order, json!({ "problem": "missed_coupon", "coupon_code": words.coupon }))
        }
        Intent::ChangeOrderAddress(words) => {
            let patch = json!({ "address": dictated(&words.to) });
            ("change_delivery_address", Some(words.order.clone()), patch)
        }
        Intent::ChangeProfileAddress(words) => {
            let who = words.who.as_ref().map(|who| format!("{} {}", who.first_name, who.last_name));
            let mut patch = json!({ "change": "edit_address", "address": dictated(&words.to) });
            if let Some(label) = &words.label {
                patch["address_id"] = label.as_str().into();
            }
            ("update_profile", who, patch)
        }
    })
}

fn returned(words: &ReturnItems) -> Value {
    let mut patch = json!({ "items": named(&words.items), "reason": words.reason });
    if !ROUTINE.contains(&words.reason.as_str()) {
        patch["details"] = "The customer says so.".into();
    }
    if let Some(pay) = &words.refund_to {
        patch["refund_to"] = destination(pay).into();
        patch["refund_method_id"] = called(pay).into();
    }
    patch
}

fn paid_back(words: &RefundReturned) -> Value {
    json!({
        "problem": "return_unpaid",
        "refund_to": destination(&words.refund_to),
        "condition": "restock",
    })
}

fn exchanged(words: &ExchangeItems) -> Value {
    let swap =
        |swap: &Swap| json!({ "id": spoken(&swap.item), "quantity": swap.item.quantity, "to": swap.to });
    let items: Vec<Value> = words.swaps.iter().map(swap).collect();
    let mut patch = json!({ "items": items, "reason": words.reason });
    if let Some(pay) = &words.settle_with {
        patch["settle_with"] = called(pay).into();
    }
    patch
}

fn named(items: &[Item]) -> Vec<Value> {
    items.iter().map(|item| json!({ "id": spoken(item), "quantity": item.quantity })).collect()
}

/// What the shop calls the place the money goes to.
const fn destination(pay: &Pay) -> &'static str {
    match pay.with {
        Means::StoreCredit => "store_credit",
        Means::GiftCard => "gift_card",
        Means::Card | Means::Paypal => "original_method",
    }
}

/// A way to pay, as a person names it.
fn called(pay: &Pay) -> String {
    let kind = match pay.with {
        Means::Card => "card",
        Means::Paypal => "PayPal",
        Means::GiftCard => "gift card",
        Means::StoreCredit => "store credit",
    };
    pay.last4.as_ref().map_or_else(|| kind.to_owned(), |last4| format!("{kind} ending in {last4}"))
}

/// A dictated address; the name on it stays.
fn dictated(words: &AddressWords) -> Map<String, Value> {
    let parts = [
        ("line1", &words.line1),
        ("line2", &words.line2),
        ("city", &words.city),
        ("region", &words.region),
        ("postal_code", &words.postal_code),
        ("country", &words.country),
    ];
    parts.into_iter().map(|(name, part)| (name.to_owned(), part.as_str().into())).collect()
}

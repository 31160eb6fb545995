//! Saved ways to pay as people say them: “my visa”, “the card ending in 4242”, “paypal”.

use mcp_actions_engine::parts::{Suggestion, ValidationError};
use mcp_actions_engine::{Failure, Reason};
use serde_json::{Value, json};
use shop_domain::ids::{CustomerId, PaymentMethodId};
use shop_domain::status::InstrumentKind;
use shop_service::payment_methods::{self, View};

use crate::caller::Caller;
use crate::entities::{names, whole_page};
use crate::failure::failure;

/// Words that say no more than that it is a way to pay.
const EMPTY: &[&str] = &["payment", "method", "pay", "paying", "saved", "ending"];

/// A customer's saved ways to pay.
pub(crate) async fn of(caller: &Caller, customer: CustomerId) -> Result<Vec<View>, Failure> {
    Ok(payment_methods::list(&caller.ctx(), customer, whole_page()).await.map_err(failure)?.items)
}

/// The methods that words may mean: one by its id, else all that fit.
pub(crate) fn called<'m>(methods: &'m [View], words: &str) -> Vec<&'m View> {
    let words = words.trim();
    if let Ok(id) = words.parse::<PaymentMethodId>() {
        return methods.iter().filter(|method| method.id == id).collect();
    }
    let mut wanted = names(&words.replace('_', " "));
    wanted.retain(|word| !EMPTY.contains(&word.as_str()));
    if wanted.remove("default") && wanted.is_empty() {
        return methods.iter().filter(|method| method.is_default).collect();
    }
    if wanted.is_empty() {
        return Vec::new();
    }
    // A plain “card” is no gift card.
    if wanted == names(InstrumentKind::Card.as_str()) {
        return methods.iter().filter(|method| method.kind == InstrumentKind::Card).collect();
    }
    methods.iter().filter(|method| wanted.is_subset(&names(&text(method)))).collect()
}

/// The one method that words mean, where only one is meant.
pub(crate) fn the_one<'m>(methods: &'m [View], words: &str) -> Option<&'m View> {
    match called(methods, words).as_slice() {
        [only] => Some(only),
        _ => None,
    }
}

/// Why words name no method, with the methods there are.
pub(crate) fn unknown(methods: &[View], field: &str, words: &str) -> ValidationError {
    let meant = called(methods, words);
    let (code, message) = match meant.len() {
        0 => (Reason::NotFound, format!("there is no saved way to pay {words}")),
        _ => (Reason::Ambiguous, format!("{words} may mean several ways to pay; use one of these ids")),
    };
    let offered: Vec<&View> = if meant.is_empty() { methods.iter().collect() } else { meant };
    let allowed = offered.iter().map(|method| json!(method.id)).collect();
    let suggestions = offered.iter().map(|method| suggestion(field, method)).collect();
    ValidationError::new(field, code, message).allowing(allowed).suggesting(suggestions)
}

fn suggestion(field: &str, method: &View) -> Suggestion {
    Suggestion {
        field: field.to_owned(),
        value: json!(method.id),
        label: method.label.clone(),
        confidence: if method.is_default { 0.6 } else { 0.5 },
    }
}

/// A method as it may be shown, for context blocks.
pub(crate) fn entry(method: &View) -> Value {
    json!({
        "payment_method_id": method.id,
        "type": method.kind,
        "label": method.label,
        "is_default": method.is_default,
    })
}

fn text(method: &View) -> String {
    let kind = match method.kind {
        InstrumentKind::Card => "card credit debit",
        InstrumentKind::Paypal => "paypal account",
        InstrumentKind::GiftCard => "gift card",
        InstrumentKind::StoreCredit => "store credit balance",
        InstrumentKind::Cash => "cash",
        InstrumentKind::BankTransfer => "bank transfer",
    };
    let parts = [method.label.as_str(), method.brand.as_deref().unwrap_or_default(), kind];
    format!("{} {}", parts.join(" "), method.last4.as_deref().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_mean_a_method_only_when_nothing_else_fits_as_well() {
        let method = |nth: u8, kind, label: &str, last4: &str| View {
            id: format!("pm_01jz8q4w7c5v6n3m2k1h0g9f8{nth}").parse().unwrap(),
            customer_id: "cus_01jz8q4w7c5v6n3m2k1h0g9f8e".parse().unwrap(),
            kind,
            brand: None,
            last4: Some(last4.to_owned()),
            label: label.to_owned(),
            gift_card_id: None,
            is_default: nth == 1,
            detached_at: None,
            created_at: chrono::DateTime::UNIX_EPOCH,
            version: 1,
        };
        let methods = [
            method(1, InstrumentKind::Card, "visa ending in 4242", "4242"),
            method(2, InstrumentKind::Card, "mastercard ending in 4444", "4444"),
            method(3, InstrumentKind::Paypal, "paypal", ""),
            method(4, InstrumentKind::GiftCard, "gift card", ""),
        ];
        let labels =
            |words: &str| called(&methods, words).iter().map(|it| it.label.clone()).collect::<Vec<_>>();
        assert_eq!(labels("my visa card"), ["visa ending in 4242"]);
        assert_eq!(labels("the one ending in 4444"), ["mastercard ending in 4444"]);
        assert_eq!(labels("my PayPal account"), ["paypal"]);
        assert_eq!(labels("the default payment method"), ["visa ending in 4242"]);
        assert_eq!(labels("my credit card").len(), 2);
        assert_eq!((labels("card").len(), labels("gift_card")), (2, vec!["gift card".to_owned()]));
        assert!(labels("my payment method").is_empty() && labels("amex").is_empty());
        assert_eq!(unknown(&methods, "f", "my card").code, Reason::Ambiguous);
        assert_eq!(unknown(&methods, "f", "amex").suggestions.len(), 4);
    }
}

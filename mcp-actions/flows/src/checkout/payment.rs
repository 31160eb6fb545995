//! How a total is paid: which instruments, and how much of it each.

use mcp_actions_engine::Reason;
use mcp_actions_engine::parts::{Map, Suggestion, ValidationError};
use serde_json::{Value, json};
use shop_domain::money::Currency;
use shop_domain::status::InstrumentKind;
use shop_service::checkout::Instrument;

use crate::wire::text;

/// The words of `payment_type`, in the order they are offered.
pub(super) const TYPES: [(&str, InstrumentKind); 4] = [
    ("balance", InstrumentKind::StoreCredit),
    ("card", InstrumentKind::Card),
    ("paypal", InstrumentKind::Paypal),
    ("gift_card", InstrumentKind::GiftCard),
];

/// One instrument and what it pays.
#[derive(Clone, Debug)]
pub(super) struct Part<'s> {
    pub(super) word: &'static str,
    pub(super) instrument: &'s Instrument,
    pub(super) amount_minor: i64,
}

pub(super) fn type_schema() -> Value {
    json!({ "type": "string", "enum": TYPES.map(|(word, _)| word) })
}

pub(super) fn split_schema() -> Value {
    json!({
        "type": "array",
        "minItems": 1,
        "maxItems": 5,
        "items": {
            "type": "object",
            "properties": {
                "payment_type": type_schema(),
                "payment_method_id": { "type": "string", "minLength": 1, "maxLength": 64 },
                "amount": { "type": "integer", "minimum": 1, "description": "In minor units." },
            },
            "required": ["payment_type"],
            "additionalProperties": false,
        },
    })
}

/// The word for a kind.
pub(super) fn word(kind: InstrumentKind) -> &'static str {
    TYPES.into_iter().find(|(_, other)| *other == kind).map_or("card", |(word, _)| word)
}

/// What a caller names an instrument by.
pub(super) fn handle(instrument: &Instrument) -> Option<String> {
    let method = instrument.payment_method_id.map(|id| id.to_string());
    method.or_else(|| instrument.gift_card_id.map(|id| id.to_string()))
}

/// Divides a total over the instruments that were named. Without a total only the names are judged.
pub(super) fn parts<'s>(
    instruments: &'s [Instrument],
    inputs: &Map,
    total: Option<(i64, Currency)>,
) -> Result<Vec<Part<'s>>, ValidationError> {
    match inputs.get("payments").and_then(Value::as_array) {
        Some(split) => divide(instruments, split, total),
        None => {
            let Some(said) = text(inputs, "payment_type") else { return Ok(Vec::new()) };
            let (word, instrument) = choose(instruments, said, text(inputs, "payment_method_id"))?;
            let amount_minor = total.map_or(0, |(minor, _)| minor);
            let part = Part { word, instrument, amount_minor };
            must_cover(instruments, &part, total, "payment_type")?;
            Ok(vec![part])
        }
    }
}

fn divide<'s>(
    instruments: &'s [Instrument],
    split: &[Value],
    total: Option<(i64, Currency)>,
) -> Result<Vec<Part<'s>>, ValidationError> {
    let named = |part: &Value| part.get("amount").and_then(Value::as_i64);
    let sum: i64 = split.iter().filter_map(named).sum();
    let open = split.iter().filter(|part| named(part).is_none()).count();
    if let Some((total, currency)) = total {
        let fits = match open {
            0 => sum == total,
            1 => sum < total,
            _ => false,
        };
        if !fits {
            let words = format!(
                "the amounts come to {sum} of {total} {currency}; leave one out to let it pay the rest"
            );
            return Err(ValidationError::new("payments", Reason::ValidationFailed, words));
        }
    }
    let mut parts: Vec<Part<'s>> = Vec::with_capacity(split.len());
    for part in split {
        let word = |name: &str| part.get(name).and_then(Value::as_str);
        let chosen = choose(instruments, word("payment_type").unwrap_or_default(), word("payment_method_id"));
        let (word, instrument) =
            chosen.map_err(|error| ValidationError { field: "payments".to_owned(), ..error })?;
        if parts.iter().any(|other| std::ptr::eq(other.instrument, instrument)) {
            let words = format!("{} is named twice", instrument.label);
            return Err(ValidationError::new("payments", Reason::ValidationFailed, words));
        }
        let amount_minor = named(part).unwrap_or_else(|| total.map_or(0, |(total, _)| total - sum));
        let part = Part { word, instrument, amount_minor };
        must_cover(instruments, &part, total, "payments")?;
        parts.push(part);
    }
    Ok(parts)
}

/// The instrument that is meant: the named one, else the default of its type.
fn choose<'s>(
    instruments: &'s [Instrument],
    said: &str,
    method: Option<&str>,
) -> Result<(&'static str, &'s Instrument), ValidationError> {
    let Some((word, kind)) = TYPES.into_iter().find(|(word, _)| *word == said) else {
        let words = format!("{said} is no way to pay here");
        let all = TYPES.map(|(word, _)| json!(word)).to_vec();
        return Err(ValidationError::new("payment_type", Reason::ValidationFailed, words).allowing(all));
    };
    let of_kind = || instruments.iter().filter(|instrument| instrument.kind == kind);
    let Some(method) = method else {
        let default = of_kind().find(|instrument| instrument.is_default).or_else(|| of_kind().next());
        return default.map(|instrument| (word, instrument)).ok_or_else(|| {
            let words = format!("there is no {said} to pay with");
            ValidationError::new("payment_type", Reason::NotFound, words)
                .suggesting(others(instruments, kind))
        });
    };
    of_kind()
        .find(|instrument| handle(instrument).as_deref() == Some(method))
        .map(|found| (word, found))
        .ok_or_else(|| {
            let words = format!("there is no {said} {method}");
            let allowed = of_kind().filter_map(handle).map(Value::from).collect();
            ValidationError::new("payment_method_id", Reason::NotFound, words).allowing(allowed)
        })
}

fn must_cover(
    instruments: &[Instrument],
    part: &Part<'_>,
    total: Option<(i64, Currency)>,
    field: &str,
) -> Result<(), ValidationError> {
    let (Some((_, currency)), Some(available)) = (total, part.instrument.available_minor) else {
        return Ok(());
    };
    if available >= part.amount_minor {
        return Ok(());
    }
    let words = format!(
        "{} has {available} {currency} left, {} are needed; use another or split the payment",
        part.instrument.label, part.amount_minor
    );
    let error = ValidationError::new(field, Reason::PaymentDeclined, words);
    Err(error.suggesting(others(instruments, part.instrument.kind)))
}

/// Other types there is an instrument of.
fn others(instruments: &[Instrument], not: InstrumentKind) -> Vec<Suggestion> {
    let mut suggestions: Vec<Suggestion> = Vec::new();
    for (word, kind) in TYPES.into_iter().filter(|(_, kind)| *kind != not) {
        if let Some(instrument) = instruments.iter().find(|instrument| instrument.kind == kind) {
            suggestions.push(Suggestion {
                field: "payment_type".to_owned(),
                value: json!(word),
                label: format!("Pay with {}", instrument.label),
                confidence: if instrument.is_default { 0.8 } else { 0.5 },
            });
        }
    }
    suggestions
}

//! Personal data out of JSON and texts. Pure.

use serde_json::{Map, Value};
use shop_domain::address::Address;

use super::ERASED;

/// Fields that say who somebody is, whatever is in them.
const PERSONAL: &[&str] = &[
    "email",
    "contact_email",
    "phone",
    "contact_phone",
    "first_name",
    "last_name",
    "label",
    "author_name",
    "last4",
    "note",
    "text",
    "evidence",
    "reference",
];

/// Fields of people's own words, among words of the contract such as `wrong_size`.
const FREE: &[&str] = &["reason", "decision_note", "exception_note", "detail"];

/// Takes everything personal out of a document of somebody's.
pub(super) fn scrub(value: &mut Value, words: &[String]) {
    match value {
        Value::Object(fields) if is_address(fields) => {
            let country = fields.get("country").and_then(Value::as_str).unwrap_or_default();
            *value = serde_json::to_value(erased_address(country)).unwrap_or_default();
        }
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                let is_personal = PERSONAL.contains(&name.as_str())
                    || (FREE.contains(&name.as_str()) && field.as_str().is_some_and(is_prose));
                if is_personal && field.is_string() {
                    *field = ERASED.into();
                } else {
                    scrub(field, words);
                }
            }
        }
        Value::Array(entries) => entries.iter_mut().for_each(|entry| scrub(entry, words)),
        Value::String(text) if names(text, words) => *text = ERASED.to_owned(),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Whether a text names the person with one of these words, as a word of its own.
pub(super) fn names(text: &str, words: &[String]) -> bool {
    let text = text.to_lowercase();
    words.iter().any(|word| {
        let is_end = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
        text.match_indices(word.as_str()).any(|(at, found)| {
            let (before, after) = (text.get(..at), text.get(at + found.len()..));
            is_end(before.and_then(|text| text.chars().next_back()))
                && is_end(after.and_then(|text| text.chars().next()))
        })
    })
}

/// Whether a text is somebody's own rather than one word of the contract.
pub(super) fn is_prose(text: &str) -> bool {
    !text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// An address that leads to nobody. The country stays: tax was for it.
#[must_use]
pub fn erased_address(country: &str) -> Address {
    let erased = || ERASED.to_owned();
    Address {
        name: erased(),
        line1: erased(),
        line2: String::new(),
        city: erased(),
        region: String::new(),
        postal_code: erased(),
        country: country.to_owned(),
    }
}

fn is_address(fields: &Map<String, Value>) -> bool {
    fields.contains_key("line1") && fields.contains_key("postal_code")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_names_a_person_goes_and_what_is_the_shops_stays() {
        let words = ["ada byron".to_owned(), "ada@example.com".to_owned()];
        let mut told = json!({
            "id": "ord_1", "total_minor": 5_293, "contact_email": "other@example.com", "status": "cancelled",
            "reason": "too_slow", "lines": [{ "title": "Blue mug", "text": "for Mum", "quantity": 2 }],
            "shipping_address": { "name": "A. B.", "line1": "1 Road", "line2": "", "city": "Hamburg", "region": "", "postal_code": "20095", "country": "DE" },
            "history": ["sent to ADA BYRON", "captured"],
        });
        scrub(&mut told, &words);
        let expected = json!({
            "id": "ord_1", "total_minor": 5_293, "contact_email": "[erased]", "status": "cancelled",
            "reason": "too_slow", "lines": [{ "title": "Blue mug", "text": "[erased]", "quantity": 2 }],
            "shipping_address": erased_address("DE"), "history": ["[erased]", "captured"],
        });
        assert_eq!(told, expected);
        assert!(names("an account of ADA@example.com.", &words) && !names("nevada byrons", &words));
        assert!(!names("cus_01ada00000000000000000000", &["ada".to_owned()]));
        let mut reason = json!({ "reason": "she said so", "note": null });
        scrub(&mut reason, &words);
        assert_eq!(reason, json!({ "reason": "[erased]", "note": null }));
    }
}

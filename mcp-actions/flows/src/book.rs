//! Addresses as people say them: an entry of a book by what it is called, a new one with its country in words.

use mcp_actions_engine::parts::{Suggestion, ValidationError};
use mcp_actions_engine::{Failure, Map, Reason};
use serde_json::{Value, json};
use shop_domain::address::Address;
use shop_domain::ids::{AddressId, CustomerId};
use shop_domain::limits;
use shop_service::addresses::{self, View};

use crate::caller::Caller;
use crate::entities::{names, whole_page};
use crate::failure::failure;
use crate::wire::{block, object};

/// Words that say no more than that it is an address.
const EMPTY: &[&str] = &["address", "addresse", "place", "our", "saved", "usual"];

/// What countries are called besides their code.
const COUNTRIES: &[(&str, &str)] = &[
    ("AUSTRIA", "AT"),
    ("BELGIUM", "BE"),
    ("CANADA", "CA"),
    ("DENMARK", "DK"),
    ("FRANCE", "FR"),
    ("GERMANY", "DE"),
    ("DEUTSCHLAND", "DE"),
    ("IRELAND", "IE"),
    ("ITALY", "IT"),
    ("NETHERLANDS", "NL"),
    ("NORWAY", "NO"),
    ("POLAND", "PL"),
    ("SPAIN", "ES"),
    ("SWEDEN", "SE"),
    ("SWITZERLAND", "CH"),
    ("GREAT BRITAIN", "GB"),
    ("UNITED KINGDOM", "GB"),
    ("UK", "GB"),
    ("UNITED STATES", "US"),
    ("UNITED STATES OF AMERICA", "US"),
    ("USA", "US"),
];

/// A new address. Who receives it may be left out.
pub(crate) fn whole_schema() -> Value {
    let mut schema = part_schema();
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("required".to_owned(), json!(["line1", "city", "postal_code", "country"]));
    }
    schema
}

/// The parts of an address that are new.
pub(crate) fn part_schema() -> Value {
    let line = |min: u32, max: usize, description: &str| json!({ "type": "string", "minLength": min, "maxLength": max, "description": description });
    let most = limits::ADDRESS_LINE_CHARS_MAX;
    json!({
        "type": "object",
        "properties": {
            "name": line(1, most, "Who receives it; the same person as before when left out."),
            "line1": line(1, most, "Street and number."),
            "line2": line(0, most, "Flat, floor, building."),
            "city": line(1, most, "Town."),
            "region": line(0, most, "State, county or province, where the country has them."),
            "postal_code": line(1, most, "Postal code."),
            "country": line(2, 60, "ISO 3166-1 alpha-2 code, such as DE."),
        },
        "minProperties": 1,
        "additionalProperties": false,
    })
}

/// What a saved address is called.
pub(crate) fn label_schema() -> Value {
    json!({ "type": "string", "minLength": 1, "maxLength": limits::CODE_CHARS_MAX })
}

/// A customer's address book.
pub(crate) async fn of(caller: &Caller, customer: CustomerId) -> Result<Vec<View>, Failure> {
    Ok(addresses::list(&caller.ctx(), customer, whole_page()).await.map_err(failure)?.items)
}

/// The entries that words may mean: one by its id or its very name, else all that fit.
pub(crate) fn called<'b>(book: &'b [View], words: &str) -> Vec<&'b View> {
    let words = words.trim();
    if let Ok(id) = words.parse::<AddressId>() {
        return book.iter().filter(|entry| entry.id == id).collect();
    }
    let same: Vec<&View> = book.iter().filter(|entry| entry.label.eq_ignore_ascii_case(words)).collect();
    if same.len() == 1 {
        return same;
    }
    let mut wanted = names(words);
    wanted.retain(|word| !EMPTY.contains(&word.as_str()));
    if wanted.remove("default") && wanted.is_empty() {
        return book.iter().filter(|entry| entry.is_default).collect();
    }
    if wanted.is_empty() {
        return Vec::new();
    }
    let fits = |text: &str| wanted.is_subset(&names(text));
    let by_label: Vec<&View> = book.iter().filter(|entry| fits(&entry.label)).collect();
    if !by_label.is_empty() {
        return by_label;
    }
    book.iter().filter(|entry| fits(&format!("{} {}", entry.label, entry.address.one_line()))).collect()
}

/// The one entry that words mean, where only one is meant.
pub(crate) fn the_one<'b>(book: &'b [View], words: &str) -> Option<&'b View> {
    match called(book, words).as_slice() {
        [only] => Some(only),
        _ => None,
    }
}

/// Why words name no entry, with the entries there are.
pub(crate) fn unknown(book: &[View], field: &str, words: &str) -> ValidationError {
    let meant = called(book, words);
    let offered: Vec<&View> = if meant.is_empty() { book.iter().collect() } else { meant.clone() };
    let (code, message) = match meant.len() {
        0 => (Reason::NotFound, format!("there is no address {words} in the address book")),
        _ => (Reason::Ambiguous, format!("{words} may mean several addresses; use one of these ids")),
    };
    let suggestions = offered.iter().map(|entry| suggestion(field, entry, 0.5)).collect();
    let allowed = offered.iter().map(|entry| json!(entry.id)).collect();
    ValidationError::new(field, code, message).allowing(allowed).suggesting(suggestions)
}

/// An entry as a value to send.
pub(crate) fn suggestion(field: &str, entry: &View, confidence: f64) -> Suggestion {
    Suggestion {
        field: field.to_owned(),
        value: json!(entry.id),
        label: format!("{}: {}", entry.label, entry.address.one_line()),
        confidence,
    }
}

/// An entry, for context blocks.
pub(crate) fn entry(view: &View) -> Value {
    json!({
        "id": view.id,
        "label": view.label,
        "address": block(&view.address),
        "is_default": view.is_default,
    })
}

/// The country of a said address as its code, where it is a word that is known.
pub(crate) fn tidy(said: &mut Value) {
    let Some(country) = said.get_mut("country") else { return };
    let Some(word) = country.as_str().map(|word| word.trim().to_uppercase()) else { return };
    let bare: String = word.chars().filter(|c| *c != '.').collect();
    let known = COUNTRIES.iter().find(|(name, _)| *name == bare).map(|(_, code)| (*code).to_owned());
    *country = json!(known.unwrap_or(bare));
}

/// The address that was said. A whole one stands for itself; parts of one are laid over what there is.
pub(crate) fn laid_over(said: &Map, name: &str, old: Option<&Address>) -> Option<Address> {
    let is_whole = ["line1", "city", "postal_code", "country"].iter().all(|part| said.contains_key(*part));
    let mut parts = match old {
        Some(old) if !is_whole => object(block(old)),
        Some(_) | None => object(json!({ "name": name, "line2": "", "region": "" })),
    };
    parts.extend(said.iter().map(|(part, value)| (part.clone(), trimmed(value))));
    serde_json::from_value(Value::Object(parts)).ok()
}

fn trimmed(value: &Value) -> Value {
    value.as_str().map_or_else(|| value.clone(), |text| json!(text.trim()))
}

#[cfg(test)]
mod tests {
    use shop_service::testing::hamburg;

    use super::*;

    fn book() -> Vec<View> {
        let entry = |nth: u8, label: &str, city: &str| View {
            id: format!("adr_01jz8q4w7c5v6n3m2k1h0g9f8{nth}").parse().unwrap(),
            customer_id: "cus_01jz8q4w7c5v6n3m2k1h0g9f8e".parse().unwrap(),
            label: label.to_owned(),
            address: Address { city: city.to_owned(), ..hamburg("Ada Byron") },
            is_default: nth == 1,
            updated_at: chrono::DateTime::UNIX_EPOCH,
            version: 1,
        };
        vec![entry(1, "Home", "Hamburg"), entry(2, "Office", "Berlin"), entry(3, "Summer house", "Berlin")]
    }

    #[test]
    fn words_mean_an_entry_only_when_nothing_else_fits_as_well() {
        let book = book();
        let labels = |words: &str| called(&book, words).iter().map(|it| it.label.clone()).collect::<Vec<_>>();
        assert_eq!(labels("office"), ["Office"]);
        assert_eq!(labels("my office address"), ["Office"]);
        assert_eq!(labels("the summer house"), ["Summer house"]);
        assert_eq!(labels("the one in Hamburg"), ["Home"]);
        assert_eq!(labels("in Berlin"), ["Office", "Summer house"]);
        assert_eq!(labels("my default address"), ["Home"]);
        assert_eq!(labels(&book[2].id.to_string()), ["Summer house"]);
        assert!(labels("my usual place").is_empty() && labels("the moon").is_empty());
        assert_eq!(the_one(&book, "in Berlin"), None);
        let several = unknown(&book, "address_id", "in Berlin");
        assert_eq!((several.code, several.suggestions.len()), (Reason::Ambiguous, 2));
        let none = unknown(&book, "address_id", "the moon");
        assert_eq!((none.code, none.suggestions.len()), (Reason::NotFound, 3));
    }

    #[test]
    fn countries_are_known_by_name_and_left_alone_when_they_are_not() {
        for (said, code) in
            [("usa", "US"), ("U.S.A.", "US"), ("Germany", "DE"), ("at", "AT"), ("Atlantis", "ATLANTIS")]
        {
            let mut address = json!({ "country": said });
            tidy(&mut address);
            assert_eq!(address["country"], code);
        }
    }

    #[test]
    fn a_whole_address_stands_for_itself_and_a_part_leaves_the_rest() {
        let old = Address { line2: "Flat 3".to_owned(), region: "HH".to_owned(), ..hamburg("Ada Byron") };
        let part = object(json!({ "line1": " 5 Quay " }));
        let laid = laid_over(&part, "Ada", Some(&old)).unwrap();
        assert_eq!(
            (laid.line1.as_str(), laid.line2.as_str(), laid.name.as_str()),
            ("5 Quay", "Flat 3", "Ada Byron")
        );
        let whole =
            object(json!({ "line1": "5 Quay", "city": "Bremen", "postal_code": "28195", "country": "DE" }));
        let laid = laid_over(&whole, "Ada", Some(&old)).unwrap();
        assert_eq!((laid.line2.as_str(), laid.region.as_str(), laid.name.as_str()), ("", "", "Ada"));
        assert_eq!(laid_over(&part, "Ada", None), None);
    }
}

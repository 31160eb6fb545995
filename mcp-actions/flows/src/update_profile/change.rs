//! What can be changed about a profile, and which of it a patch speaks of.

use mcp_actions_engine::Map;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{ADDRESS, ADDRESS_ID, CONTACT, DEFAULT, LABEL, METHOD};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Change {
    Contact,
    AddAddress,
    EditAddress,
    RemoveAddress,
    DefaultAddress,
    DefaultPaymentMethod,
    RemovePaymentMethod,
}

impl Change {
    pub(super) const ALL: [Self; 7] = [
        Self::Contact,
        Self::AddAddress,
        Self::EditAddress,
        Self::RemoveAddress,
        Self::DefaultAddress,
        Self::DefaultPaymentMethod,
        Self::RemovePaymentMethod,
    ];

    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Contact => "contact",
            Self::AddAddress => "add_address",
            Self::EditAddress => "edit_address",
            Self::RemoveAddress => "remove_address",
            Self::DefaultAddress => "default_address",
            Self::DefaultPaymentMethod => "default_payment_method",
            Self::RemovePaymentMethod => "remove_payment_method",
        }
    }

    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Contact => "Email, phone, name or consent to marketing",
            Self::AddAddress => "Add an entry to the address book",
            Self::EditAddress => "Correct an entry of the address book",
            Self::RemoveAddress => "Remove an entry of the address book",
            Self::DefaultAddress => "Choose the address that new carts use",
            Self::DefaultPaymentMethod => "Choose the way to pay that checkout uses",
            Self::RemovePaymentMethod => "Remove a saved way to pay",
        }
    }

    pub(super) fn of(inputs: &Map) -> Option<Self> {
        serde_json::from_value(inputs.get(super::CHANGE)?.clone()).ok()
    }

    /// Whether it is about an entry that is there already.
    pub(super) const fn names_entry(self) -> bool {
        match self {
            Self::EditAddress | Self::RemoveAddress | Self::DefaultAddress => true,
            Self::Contact | Self::AddAddress | Self::DefaultPaymentMethod | Self::RemovePaymentMethod => {
                false
            }
        }
    }

    /// Whether it says a new address.
    pub(super) const fn says_address(self) -> bool {
        match self {
            Self::AddAddress | Self::EditAddress => true,
            Self::Contact
            | Self::RemoveAddress
            | Self::DefaultAddress
            | Self::DefaultPaymentMethod
            | Self::RemovePaymentMethod => false,
        }
    }

    /// Whether it is about a saved way to pay.
    pub(super) const fn names_method(self) -> bool {
        match self {
            Self::DefaultPaymentMethod | Self::RemovePaymentMethod => true,
            Self::Contact
            | Self::AddAddress
            | Self::EditAddress
            | Self::RemoveAddress
            | Self::DefaultAddress => false,
        }
    }

    /// What the fields that were said leave no doubt about. `edits_in_place` tells what a new address means where
    /// nobody says which entry: a second one, or the only one corrected.
    pub(super) fn meant_by(said: &Map, edits_in_place: bool) -> Option<Self> {
        let has = |field: &str| said.get(field).is_some_and(|value| !value.is_null());
        let is_contact = CONTACT.iter().any(|field| has(field));
        let is_address = [ADDRESS, ADDRESS_ID, LABEL].iter().any(|field| has(field));
        let becomes_default = said.get(DEFAULT) == Some(&json!(true));
        match (is_contact, is_address, has(METHOD)) {
            (true, false, false) => Some(Self::Contact),
            (false, false, true) if becomes_default => Some(Self::DefaultPaymentMethod),
            (false, true, false) if has(ADDRESS_ID) && (has(ADDRESS) || has(LABEL)) => {
                Some(Self::EditAddress)
            }
            (false, true, false) if has(ADDRESS) && edits_in_place => Some(Self::EditAddress),
            (false, true, false) if has(ADDRESS) => Some(Self::AddAddress),
            (false, true, false) if has(ADDRESS_ID) && becomes_default => Some(Self::DefaultAddress),
            (_, _, _) => None,
        }
    }
}

pub(super) fn schema() -> Value {
    json!({ "type": "string", "enum": Change::ALL.map(Change::word) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::object;

    #[test]
    fn fields_say_what_is_meant_or_leave_it_open() {
        let meant = |said: Value, in_place: bool| Change::meant_by(&object(said), in_place).map(Change::word);
        assert_eq!(meant(json!({ "email": "a@b.cc", "phone": "1" }), false), Some("contact"));
        assert_eq!(meant(json!({ "address": {} }), false), Some("add_address"));
        assert_eq!(meant(json!({ "address": {} }), true), Some("edit_address"));
        assert_eq!(meant(json!({ "address": {}, "address_id": "home" }), false), Some("edit_address"));
        assert_eq!(
            meant(json!({ "address_label": "Den", "address_id": "home" }), false),
            Some("edit_address")
        );
        assert_eq!(
            meant(json!({ "address_id": "home", "is_default": true }), false),
            Some("default_address")
        );
        assert_eq!(
            meant(json!({ "payment_method_id": "visa", "is_default": true }), false),
            Some("default_payment_method")
        );
        // Removing is never guessed, and two things at once are asked about.
        assert_eq!(meant(json!({ "address_id": "home" }), false), None);
        assert_eq!(meant(json!({ "payment_method_id": "visa" }), false), None);
        assert_eq!(meant(json!({ "email": "a@b.cc", "address": {} }), false), None);
        assert_eq!(meant(json!({ "email": null }), false), None);
    }

    #[test]
    fn words_and_wire_are_the_same() {
        for change in Change::ALL {
            assert_eq!(serde_json::to_value(change).unwrap(), change.word());
        }
    }
}

//! What the gateway's test tokens stand for. Its tokeniser tells a browser brand and last digits together with the
//! token; here the token alone says them, so that nobody can save one card under the face of another.

use shop_domain::status::InstrumentKind;

use crate::error::{Error, Result};

/// What may be shown of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Face {
    pub(super) token: &'static str,
    pub(super) brand: &'static str,
    pub(super) last4: &'static str,
}

const fn face(token: &'static str, brand: &'static str, last4: &'static str) -> Face {
    Face { token, brand, last4 }
}

pub(super) const FACES: [Face; 17] = [
    face("tok_visa", "visa", "4242"),
    face("tok_mastercard", "mastercard", "4444"),
    face("tok_amex", "amex", "0005"),
    face("tok_paypal", "paypal", ""),
    face("tok_decline_generic", "visa", "0002"),
    face("tok_insufficient_funds", "visa", "9995"),
    face("tok_expired_card", "visa", "0069"),
    face("tok_lost_card", "visa", "9987"),
    face("tok_stolen_card", "visa", "9979"),
    face("tok_incorrect_cvc", "visa", "0127"),
    face("tok_do_not_honor", "visa", "0119"),
    face("tok_fraud_suspected", "visa", "0019"),
    face("tok_3ds_required", "visa", "3184"),
    face("tok_partial_approval", "visa", "0028"),
    face("tok_dispute_later", "visa", "0259"),
    face("tok_slow", "visa", "0036"),
    face("tok_lost_answer", "visa", "0044"),
];

pub(super) fn find(token: &str) -> Option<Face> {
    FACES.into_iter().find(|face| face.token == token)
}

/// A card or wallet that can be paid with where nothing is saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    pub token: &'static str,
    /// As a person reads it.
    pub label: String,
    pub(crate) kind: InstrumentKind,
}

/// Every one the gateway knows.
pub(crate) fn cards() -> Vec<Card> {
    FACES.into_iter().map(Card::from).collect()
}

/// The card behind a token.
///
/// # Errors
/// When it is none of the gateway's.
pub(crate) fn card(token: &str) -> Result<Card> {
    find(token).map(Card::from).ok_or_else(unknown_token)
}

pub(super) fn unknown_token() -> Error {
    let some: Vec<&str> = FACES.iter().take(5).map(|face| face.token).collect();
    Error::invalid(
        "/token",
        format!(
            "this is no test token of the gateway; use one such as {}, never a card number",
            some.join(", ")
        ),
    )
}

impl From<Face> for Card {
    fn from(face: Face) -> Self {
        Self { token: face.token, label: face.label(), kind: face.kind() }
    }
}

impl Face {
    pub(super) fn kind(self) -> InstrumentKind {
        if self.brand == "paypal" { InstrumentKind::Paypal } else { InstrumentKind::Card }
    }

    /// `visa ending in 4242`, `paypal`.
    pub(super) fn label(self) -> String {
        if self.last4.is_empty() {
            return self.brand.to_owned();
        }
        format!("{} ending in {}", self.brand, self.last4)
    }
}

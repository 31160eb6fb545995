//! Test instruments: what you pay with decides what happens, without any script.
//!
//! One table of tokens and card numbers, and one of refund amounts. Both are data: the docs are rendered from
//! them.

use shop_gateway::wire::Instrument;

/// One token with the card numbers that stand for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestInstrument {
    pub token: &'static str,
    pub brand: &'static str,
    pub last4: &'static str,
    /// Digits only; a number may be sent with spaces.
    pub numbers: &'static [&'static str],
    pub behaviour: Behaviour,
    pub summary: &'static str,
}

/// What an authorisation with an instrument does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaviour {
    Approve,
    /// The bank says no, with this code.
    Decline(&'static str),
    /// Half of the amount is authorised.
    PartialApproval,
    /// Approved and captured as usual; days after the first capture the customer's bank takes the money back.
    DisputeLater,
    /// Approved, with this fault on the way.
    Fault(&'static str),
}

const fn card(
    token: &'static str,
    numbers: &'static [&'static str],
    last4: &'static str,
    behaviour: Behaviour,
    summary: &'static str,
) -> TestInstrument {
    TestInstrument { token, brand: "visa", last4, numbers, behaviour, summary }
}

use Behaviour::{Approve, Decline, DisputeLater, Fault, PartialApproval};

pub const INSTRUMENTS: [TestInstrument; 17] = [
    card("tok_visa", &["4242424242424242"], "4242", Approve, "always approved"),
    TestInstrument {
        brand: "mastercard",
        ..card("tok_mastercard", &["5555555555554444"], "4444", Approve, "always approved")
    },
    TestInstrument {
        brand: "amex",
        ..card("tok_amex", &["378282246310005"], "0005", Approve, "always approved")
    },
    TestInstrument { brand: "paypal", ..card("tok_paypal", &[], "", Approve, "always approved, not a card") },
    card(
        "tok_decline_generic",
        &["4000000000000002"],
        "0002",
        Decline("generic_decline"),
        "declined without a reason",
    ),
    card(
        "tok_insufficient_funds",
        &["4000000000009995"],
        "9995",
        Decline("insufficient_funds"),
        "not enough money",
    ),
    card("tok_expired_card", &["4000000000000069"], "0069", Decline("expired_card"), "expired"),
    card("tok_lost_card", &["4000000000009987"], "9987", Decline("lost_card"), "reported lost"),
    card("tok_stolen_card", &["4000000000009979"], "9979", Decline("stolen_card"), "reported stolen"),
    card("tok_incorrect_cvc", &["4000000000000127"], "0127", Decline("incorrect_cvc"), "wrong security code"),
    card(
        "tok_do_not_honor",
        &["4000000000000119"],
        "0119",
        Decline("do_not_honor"),
        "the bank will not say why",
    ),
    card(
        "tok_fraud_suspected",
        &["4100000000000019"],
        "0019",
        Decline("fraud_suspected"),
        "looks like fraud",
    ),
    card(
        "tok_3ds_required",
        &["4000002760003184"],
        "3184",
        Decline("authentication_required"),
        "3-D Secure required",
    ),
    card(
        "tok_partial_approval",
        &["4000000000000028"],
        "0028",
        PartialApproval,
        "half of the amount is approved",
    ),
    card(
        "tok_dispute_later",
        &["4000000000000259"],
        "0259",
        DisputeLater,
        "disputed three days after its capture",
    ),
    card("tok_slow", &["4000000000000036"], "0036", Fault("slow"), "approved, slowly"),
    card(
        "tok_lost_answer",
        &["4000000000000044"],
        "0044",
        Fault("lost_answer"),
        "approved, and the answer is lost",
    ),
];

/// Finds an instrument by its token or card number.
#[must_use]
pub fn find(text: &str) -> Option<&'static TestInstrument> {
    let digits: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    INSTRUMENTS.iter().find(|known| known.token == text || known.numbers.contains(&digits.as_str()))
}

impl TestInstrument {
    pub(crate) fn on_the_wire(&self) -> Instrument {
        Instrument {
            token: self.token.to_owned(),
            brand: self.brand.to_owned(),
            last4: self.last4.to_owned(),
        }
    }
}

/// A refund of exactly this amount behaves specially; nobody sells at such prices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MagicRefund {
    pub amount_minor: i64,
    pub behaviour: RefundBehaviour,
    pub summary: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefundBehaviour {
    /// The bank says no, with this code.
    Decline(&'static str),
    /// Accepted, pending for a day, then done.
    SucceedsLater,
    /// Accepted, pending for a day, then bounced.
    FailsLater,
    /// Done, with this fault on the way.
    Fault(&'static str),
}

pub const MAGIC_REFUNDS: [MagicRefund; 5] = [
    MagicRefund {
        amount_minor: 9_000_001,
        behaviour: RefundBehaviour::Decline("refund_declined"),
        summary: "declined",
    },
    MagicRefund {
        amount_minor: 9_000_002,
        behaviour: RefundBehaviour::SucceedsLater,
        summary: "pending for a day, then done",
    },
    MagicRefund {
        amount_minor: 9_000_003,
        behaviour: RefundBehaviour::FailsLater,
        summary: "accepted, and bounced a day later",
    },
    MagicRefund {
        amount_minor: 9_000_004,
        behaviour: RefundBehaviour::Fault("slow"),
        summary: "done, slowly",
    },
    MagicRefund {
        amount_minor: 9_000_005,
        behaviour: RefundBehaviour::Fault("lost_answer"),
        summary: "done, and the answer is lost",
    },
];

/// What a refund of this amount does, when it is a magic one.
#[must_use]
pub fn magic_refund(amount_minor: i64) -> Option<RefundBehaviour> {
    MAGIC_REFUNDS.iter().find(|magic| magic.amount_minor == amount_minor).map(|magic| magic.behaviour)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{faults, refusals};

    #[test]
    fn every_row_means_something_and_means_it_once() {
        for (index, row) in INSTRUMENTS.iter().enumerate() {
            assert_eq!(find(row.token), Some(row));
            for number in row.numbers {
                assert_eq!(find(number), Some(row), "{number}");
                assert!(number.ends_with(row.last4));
            }
            assert!(!INSTRUMENTS[..index].iter().any(|earlier| earlier.token == row.token));
            match row.behaviour {
                Behaviour::Decline(code) => assert!(refusals::find_decline(code).is_some(), "{code}"),
                Behaviour::Fault(name) => assert!(faults::find(name).is_some(), "{name}"),
                Behaviour::Approve | Behaviour::PartialApproval | Behaviour::DisputeLater => {}
            }
        }
        for row in MAGIC_REFUNDS {
            match row.behaviour {
                RefundBehaviour::Decline(code) => assert!(refusals::find_decline(code).is_some(), "{code}"),
                RefundBehaviour::Fault(name) => assert!(faults::find(name).is_some(), "{name}"),
                RefundBehaviour::SucceedsLater | RefundBehaviour::FailsLater => {}
            }
        }
    }

    #[test]
    fn a_card_number_may_be_written_with_spaces() {
        assert_eq!(find("4242 4242 4242 4242").map(|i| i.token), Some("tok_visa"));
        assert_eq!(find("4242 4242 4242 4243"), None);
    }
}

//! Every "no" of the gateway, in one table: its code, its HTTP status and its words.

use shop_gateway::Decline;
use shop_gateway::wire::code;

/// One way to say no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub code: &'static str,
    pub status: u16,
    pub message: &'static str,
}

const fn decline(code: &'static str, message: &'static str) -> Refusal {
    Refusal { code, status: 402, message }
}

const fn rule(code: &'static str, message: &'static str) -> Refusal {
    Refusal { code, status: 422, message }
}

pub const GENERIC_DECLINE: Refusal = decline("generic_decline", "the bank declined without a reason");

/// What a bank may answer. Each can be injected by its code.
pub const DECLINES: [Refusal; 10] = [
    GENERIC_DECLINE,
    decline("insufficient_funds", "the account does not hold enough money"),
    decline("expired_card", "the card has expired"),
    decline("lost_card", "the card was reported lost"),
    decline("stolen_card", "the card was reported stolen"),
    decline("incorrect_cvc", "the security code is wrong"),
    decline("do_not_honor", "the bank asks not to accept this card"),
    decline("fraud_suspected", "the payment looks like fraud"),
    decline("authentication_required", "the bank asks for 3-D Secure, which this call cannot do"),
    decline("refund_declined", "the bank does not accept this refund"),
];

pub const PAYMENT_NOT_FOUND: Refusal =
    Refusal { code: code::NOT_FOUND, status: 404, message: "there is no such payment" };
pub const CAPTURE_EXCEEDS_AUTHORIZED: Refusal =
    rule("capture_exceeds_authorized", "captures may not exceed the authorised amount");
pub const REFUND_EXCEEDS_CAPTURED: Refusal =
    rule("refund_exceeds_captured", "refunds may not exceed the captured amount");
pub const PAYMENT_VOIDED: Refusal = rule("payment_voided", "the payment was voided");
pub const ALREADY_CAPTURED: Refusal = rule("payment_captured", "a captured payment is refunded, not voided");
pub const PAYMENT_DISPUTED: Refusal =
    rule("payment_disputed", "a disputed payment cannot be refunded, unless the dispute is won");

pub const DISPUTE_NOT_FOUND: Refusal =
    Refusal { code: "dispute_not_found", status: 404, message: "there is no such dispute" };
pub const DISPUTE_ANSWERED: Refusal =
    rule("dispute_answered", "evidence was sent, or it is too late for it; a bank reads what comes first");
pub const DISPUTE_CLOSED: Refusal = rule("dispute_closed", "the dispute is decided");

const RULES: [Refusal; 9] = [
    PAYMENT_NOT_FOUND,
    CAPTURE_EXCEEDS_AUTHORIZED,
    REFUND_EXCEEDS_CAPTURED,
    PAYMENT_VOIDED,
    ALREADY_CAPTURED,
    PAYMENT_DISPUTED,
    DISPUTE_NOT_FOUND,
    DISPUTE_ANSWERED,
    DISPUTE_CLOSED,
];

// Refusals of the request itself. They say nothing about the key and are not written to the books.
pub const UNAUTHORIZED: Refusal =
    Refusal { code: "unauthorized", status: 401, message: "send `Authorization: Bearer gw_<account>`" };
pub const KEY_CANCELLED: Refusal = Refusal {
    code: code::KEY_CANCELLED,
    status: 410,
    message: "this key was cancelled and will never have an effect",
};
pub const KEY_CONFLICT: Refusal = Refusal {
    code: code::KEY_CONFLICT,
    status: 409,
    message: "this key belongs to another request; look it up",
};
pub const KEY_EXPIRED: Refusal = Refusal {
    code: code::KEY_EXPIRED,
    status: 409,
    message: "this key was used over 30 days ago; look it up",
};
pub const NOT_FOUND: Refusal =
    Refusal { code: code::NOT_FOUND, status: 404, message: "nothing is known under this name" };
pub const NO_SUCH_ROUTE: Refusal =
    Refusal { code: "no_such_route", status: 404, message: "there is no such call" };
pub const RATE_LIMITED: Refusal =
    Refusal { code: "rate_limited", status: 429, message: "too many requests; nothing was done" };
/// The books could not be written, and were left as they were.
pub const STORAGE: Refusal = Refusal { code: "internal_error", status: 500, message: "something went wrong" };

impl Refusal {
    #[must_use]
    pub fn decline(self) -> Decline {
        Decline { code: self.code.to_owned(), message: self.message.to_owned() }
    }
}

/// The decline with this code, if a bank may say it.
#[must_use]
pub fn find_decline(code: &str) -> Option<Refusal> {
    DECLINES.into_iter().find(|refusal| refusal.code == code)
}

/// The HTTP status of a refusal that is in the books.
pub(crate) fn status_of(decline: &Decline) -> u16 {
    RULES.iter().find(|refusal| refusal.code == decline.code).map_or(402, |refusal| refusal.status)
}

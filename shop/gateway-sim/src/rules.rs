//! What the gateway does with a request. Pure: books and request in, effect out.

use chrono::{DateTime, Utc};
use shop_gateway::wire::ledger::{Effect, Request, Settlement};
use shop_gateway::wire::{Authorize, CreateRefund, Dispute, DisputeStatus, PaymentStatus};

use crate::books::{Books, Charge};
use crate::instruments::{self, Behaviour, RefundBehaviour};
use crate::limits;
use crate::refusals::{self, Refusal};

/// How a fault bends what is done; the default is straight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bend {
    /// The bank says no.
    pub(crate) decline: Option<Refusal>,
    pub(crate) amount: Amount,
    /// The refund is accepted, and bounces later.
    pub(crate) refund_fails_later: bool,
    /// The effect happens a second time, by the gateway's own mistake.
    pub(crate) twice: bool,
}

/// Which amount moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Amount {
    #[default]
    AsAsked,
    Half,
    /// As far as the payment allows.
    TenFold,
}

impl Amount {
    fn of(self, asked: i64, most: i64) -> i64 {
        match self {
            Self::AsAsked => asked,
            Self::Half => (asked / 2).max(1),
            Self::TenFold => asked.saturating_mul(10).min(most),
        }
    }
}

/// What is needed besides the books: the time, and a new id for a prefix.
pub(crate) struct Means<'a> {
    pub(crate) now: DateTime<Utc>,
    pub(crate) new_id: &'a dyn Fn(&str) -> String,
}

/// Decides. A refusal is an effect too: it settles that nothing happens under this key.
pub(crate) fn decide(books: &Books, request: &Request, bend: Bend, means: &Means<'_>) -> Effect {
    let decided = match (request, bend.decline) {
        (Request::Fence, _) => Ok(Effect::Fenced),
        (
            Request::Authorize(_)
            | Request::Capture { .. }
            | Request::Void { .. }
            | Request::Refund(_)
            | Request::Contest { .. }
            | Request::Concede { .. },
            Some(refusal),
        ) => Err(refusal),
        (Request::Authorize(input), None) => authorize(input, bend, means),
        (Request::Capture { payment, amount_minor }, None) => capture(books, payment, *amount_minor, bend),
        (Request::Void { payment }, None) => void(books, payment),
        (Request::Refund(input), None) => refund(books, input, bend, means),
        (Request::Contest { dispute, text }, None) => contest(books, dispute, text),
        (Request::Concede { dispute }, None) => concede(books, dispute),
    };
    decided.unwrap_or_else(|refusal| Effect::Refused(refusal.decline()))
}

fn authorize(input: &Authorize, bend: Bend, means: &Means<'_>) -> Result<Effect, Refusal> {
    let instrument = instruments::find(&input.instrument).ok_or(refusals::GENERIC_DECLINE)?;
    let approved = match instrument.behaviour {
        Behaviour::Decline(code) => {
            return Err(refusals::find_decline(code).unwrap_or(refusals::GENERIC_DECLINE));
        }
        Behaviour::PartialApproval => Amount::Half.of(input.amount_minor, input.amount_minor),
        Behaviour::Approve | Behaviour::DisputeLater | Behaviour::Fault(_) => input.amount_minor,
    };
    Ok(Effect::Authorized {
        payment: (means.new_id)("ch"),
        requested_minor: input.amount_minor,
        amount_minor: bend.amount.of(approved, limits::AMOUNT_MINOR_MAX),
        currency: input.currency.clone(),
        instrument: instrument.on_the_wire(),
        reference: input.reference.clone(),
    })
}

fn capture(books: &Books, payment: &str, asked: i64, bend: Bend) -> Result<Effect, Refusal> {
    let charge = live(books, payment)?;
    let left = charge.payment.authorized_minor - charge.payment.captured_minor;
    if asked > left {
        return Err(refusals::CAPTURE_EXCEEDS_AUTHORIZED);
    }
    Ok(Effect::Captured { payment: payment.to_owned(), amount_minor: bend.amount.of(asked, left) })
}

fn void(books: &Books, payment: &str) -> Result<Effect, Refusal> {
    let charge = live(books, payment)?;
    match charge.payment.status {
        PaymentStatus::Authorized => {
            Ok(Effect::Voided { payment: payment.to_owned(), amount_minor: charge.payment.authorized_minor })
        }
        PaymentStatus::Captured => Err(refusals::ALREADY_CAPTURED),
        PaymentStatus::Voided => Err(refusals::PAYMENT_VOIDED),
    }
}

fn refund(books: &Books, input: &CreateRefund, bend: Bend, means: &Means<'_>) -> Result<Effect, Refusal> {
    let charge = live(books, &input.payment)?;
    // The bank has taken the money back already; a refund would pay it twice.
    if charge.payment.dispute.as_ref().is_some_and(|dispute| dispute.status != DisputeStatus::Won) {
        return Err(refusals::PAYMENT_DISPUTED);
    }
    let left = charge.payment.captured_minor - charge.payment.refunded_minor;
    if input.amount_minor > left {
        return Err(refusals::REFUND_EXCEEDS_CAPTURED);
    }
    let later = |failure| Some(Settlement { at: means.now + limits::REFUND_SETTLES_AFTER, failure });
    let bounced =
        || Some(refusals::find_decline("refund_declined").unwrap_or(refusals::GENERIC_DECLINE).decline());
    let settles = match instruments::magic_refund(input.amount_minor) {
        Some(RefundBehaviour::Decline(code)) => {
            return Err(refusals::find_decline(code).unwrap_or(refusals::GENERIC_DECLINE));
        }
        Some(RefundBehaviour::FailsLater) => later(bounced()),
        Some(RefundBehaviour::SucceedsLater) => later(None),
        Some(RefundBehaviour::Fault(_)) | None if bend.refund_fails_later => later(bounced()),
        Some(RefundBehaviour::Fault(_)) | None => None,
    };
    Ok(Effect::Refunded {
        payment: input.payment.clone(),
        refund: (means.new_id)("re"),
        amount_minor: bend.amount.of(input.amount_minor, left),
        reference: input.reference.clone(),
        settles,
    })
}

/// Evidence that a test bank is not convinced by; any other evidence wins.
const LOSING_EVIDENCE: &str = "losing_evidence";

fn contest(books: &Books, dispute: &str, text: &str) -> Result<Effect, Refusal> {
    let (payment, known) = disputed(books, dispute)?;
    match known.status {
        DisputeStatus::NeedsResponse => Ok(Effect::Contested {
            payment: payment.to_owned(),
            dispute: dispute.to_owned(),
            wins: !text.contains(LOSING_EVIDENCE),
        }),
        DisputeStatus::UnderReview => Err(refusals::DISPUTE_ANSWERED),
        DisputeStatus::Won | DisputeStatus::Lost => Err(refusals::DISPUTE_CLOSED),
    }
}

fn concede(books: &Books, dispute: &str) -> Result<Effect, Refusal> {
    let (payment, known) = disputed(books, dispute)?;
    match known.status {
        DisputeStatus::NeedsResponse | DisputeStatus::UnderReview => Ok(Effect::DisputeClosed {
            payment: payment.to_owned(),
            dispute: dispute.to_owned(),
            amount_minor: known.amount_minor,
            won: false,
        }),
        DisputeStatus::Won | DisputeStatus::Lost => Err(refusals::DISPUTE_CLOSED),
    }
}

/// A dispute with its payment.
fn disputed<'a>(books: &'a Books, dispute: &str) -> Result<(&'a str, &'a Dispute), Refusal> {
    let charge = books.disputed(dispute).ok_or(refusals::DISPUTE_NOT_FOUND)?;
    let known = charge.payment.dispute.as_ref().ok_or(refusals::DISPUTE_NOT_FOUND)?;
    Ok((&charge.payment.id, known))
}

/// The payment, unless it is unknown or voided.
fn live<'a>(books: &'a Books, payment: &str) -> Result<&'a Charge, Refusal> {
    let charge = books.charge(payment).ok_or(refusals::PAYMENT_NOT_FOUND)?;
    match charge.payment.status {
        PaymentStatus::Voided => Err(refusals::PAYMENT_VOIDED),
        PaymentStatus::Authorized | PaymentStatus::Captured => Ok(charge),
    }
}

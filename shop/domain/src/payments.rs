//! The life of one payment, and which gateway calls it allows.

use crate::machine::{IllegalMove, mermaid};
use crate::status::{AttemptOutcome, InstrumentKind, PaymentState, RefundDestination};
use crate::words::words;

words! {
    /// What can happen to a payment. What the gateway is asked and what it has answered are events of their own.
    pub enum PaymentEvent {
        AuthorizeSent = "authorize_sent",
        /// The call did not leave the building.
        AuthorizeNotSent = "authorize_not_sent",
        ActionRequired = "action_required",
        Authorized = "authorized",
        AuthorizeFailed = "authorize_failed",
        CaptureSent = "capture_sent",
        /// Some of the held money was taken; the rest is still held.
        PartlyCaptured = "partly_captured",
        Captured = "captured",
        /// Nothing was taken; the money is still held.
        CaptureFailed = "capture_failed",
        /// What a partial capture left was given back.
        RestReleased = "rest_released",
        PaidOffline = "paid_offline",
        Voided = "voided",
        /// Nothing was let go; the money is still held.
        VoidFailed = "void_failed",
        /// A call may have landed and its answer is missing.
        OutcomeLost = "outcome_lost",
    }
}

impl PaymentState {
    /// The whole life of a payment, in one table.
    pub fn after(self, event: PaymentEvent) -> Result<Self, IllegalMove> {
        use {PaymentEvent as E, PaymentState as S};
        match (self, event) {
            // After a clear decline the same payment may be tried again.
            (S::Created | S::RequiresAction | S::Failed, E::AuthorizeSent) => Ok(S::Authorizing),
            (S::Authorizing, E::AuthorizeNotSent) => Ok(S::Created),
            (S::Authorizing | S::Unknown, E::ActionRequired) => Ok(S::RequiresAction),
            // A look-up may find money behind a declined or lost answer; the gateway's truth wins.
            (S::Authorizing | S::RequiresAction | S::Failed | S::Unknown, E::Authorized) => Ok(S::Authorized),
            (S::Authorizing | S::RequiresAction | S::Unknown, E::AuthorizeFailed) => Ok(S::Failed),
            (S::Authorized, E::CaptureSent) => Ok(S::Capturing),
            (S::Capturing | S::Unknown, E::PartlyCaptured) => Ok(S::Authorized),
            (S::Capturing | S::Authorized | S::Failed | S::Unknown, E::Captured) => Ok(S::Captured),
            (S::Capturing | S::Unknown, E::CaptureFailed) => Ok(S::Authorized),
            (S::Authorized, E::RestReleased) => Ok(S::Captured),
            (S::Created, E::PaidOffline) => Ok(S::Captured),
            (S::Created | S::RequiresAction | S::Authorized | S::Failed | S::Unknown, E::Voided) => {
                Ok(S::Voided)
            }
            (S::Authorized | S::Unknown, E::VoidFailed) => Ok(S::Authorized),
            // A void can be lost too, which is why a held payment can become unknown.
            (S::Authorizing | S::Capturing | S::Authorized, E::OutcomeLost) => Ok(S::Unknown),
            (from, event) => Err(IllegalMove { noun: "payment", from: from.as_str(), event: event.as_str() }),
        }
    }

    /// The machine as a Mermaid diagram.
    #[must_use]
    pub fn diagram() -> String {
        mermaid(&[Self::Created], Self::ALL, PaymentEvent::ALL, Self::after)
    }
}

impl AttemptOutcome {
    /// Whether a gateway call is still open, so that no second one may start on the same payment or refund.
    #[must_use]
    pub const fn is_open(self) -> bool {
        match self {
            Self::Pending | Self::Unknown => true,
            Self::Done | Self::Refused | Self::NotSent | Self::Fenced => false,
        }
    }
}

/// Money that comes in or goes out travels one of these ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tender {
    /// Card and PayPal, through the gateway.
    Gateway,
    /// The customer's store credit.
    StoreCredit,
    /// A gift card.
    GiftCard,
    /// Cash or a bank transfer that no gateway sees.
    Offline,
}

impl From<InstrumentKind> for Tender {
    fn from(instrument: InstrumentKind) -> Self {
        match instrument {
            InstrumentKind::Card | InstrumentKind::Paypal => Self::Gateway,
            InstrumentKind::GiftCard => Self::GiftCard,
            InstrumentKind::StoreCredit => Self::StoreCredit,
        }
    }
}

impl Tender {
    /// The way a refund travels, for money that came in as `self`.
    #[must_use]
    pub const fn refunded_to(self, destination: RefundDestination) -> Self {
        match destination {
            RefundDestination::OriginalMethod => self,
            RefundDestination::StoreCredit => Self::StoreCredit,
            RefundDestination::GiftCard => Self::GiftCard,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::check_moves;

    #[test]
    fn a_payment_moves_only_along_its_table() {
        use {PaymentEvent as E, PaymentState as S};
        check_moves(
            S::ALL,
            E::ALL,
            S::after,
            &[
                (S::Created, E::AuthorizeSent, S::Authorizing),
                (S::Created, E::PaidOffline, S::Captured),
                (S::Created, E::Voided, S::Voided),
                (S::RequiresAction, E::AuthorizeSent, S::Authorizing),
                (S::RequiresAction, E::Authorized, S::Authorized),
                (S::RequiresAction, E::AuthorizeFailed, S::Failed),
                (S::RequiresAction, E::Voided, S::Voided),
                (S::Authorizing, E::AuthorizeNotSent, S::Created),
                (S::Authorizing, E::ActionRequired, S::RequiresAction),
                (S::Authorizing, E::Authorized, S::Authorized),
                (S::Authorizing, E::AuthorizeFailed, S::Failed),
                (S::Authorizing, E::OutcomeLost, S::Unknown),
                (S::Authorized, E::CaptureSent, S::Capturing),
                (S::Authorized, E::Captured, S::Captured),
                (S::Authorized, E::RestReleased, S::Captured),
                (S::Authorized, E::Voided, S::Voided),
                (S::Authorized, E::VoidFailed, S::Authorized),
                (S::Authorized, E::OutcomeLost, S::Unknown),
                (S::Capturing, E::PartlyCaptured, S::Authorized),
                (S::Capturing, E::Captured, S::Captured),
                (S::Capturing, E::CaptureFailed, S::Authorized),
                (S::Capturing, E::OutcomeLost, S::Unknown),
                (S::Failed, E::AuthorizeSent, S::Authorizing),
                (S::Failed, E::Authorized, S::Authorized),
                (S::Failed, E::Captured, S::Captured),
                (S::Failed, E::Voided, S::Voided),
                (S::Unknown, E::ActionRequired, S::RequiresAction),
                (S::Unknown, E::Authorized, S::Authorized),
                (S::Unknown, E::AuthorizeFailed, S::Failed),
                (S::Unknown, E::PartlyCaptured, S::Authorized),
                (S::Unknown, E::Captured, S::Captured),
                (S::Unknown, E::CaptureFailed, S::Authorized),
                (S::Unknown, E::Voided, S::Voided),
                (S::Unknown, E::VoidFailed, S::Authorized),
            ],
        );
    }

    #[test]
    fn nothing_new_is_sent_out_of_unknown() {
        for event in [PaymentEvent::AuthorizeSent, PaymentEvent::CaptureSent] {
            let refusal = PaymentState::Unknown.after(event).unwrap_err();
            assert!(refusal.to_string().starts_with("payment is unknown: the event"), "{refusal}");
        }
    }

    #[test]
    fn only_unanswered_attempts_block_the_next_one() {
        let open: Vec<_> = AttemptOutcome::ALL.iter().filter(|outcome| outcome.is_open()).collect();
        assert_eq!(open, [&AttemptOutcome::Pending, &AttemptOutcome::Unknown]);
    }

    #[test]
    fn refunds_travel_the_way_that_was_asked_for() {
        let card = Tender::from(InstrumentKind::Card);
        assert_eq!(card.refunded_to(RefundDestination::OriginalMethod), Tender::Gateway);
        assert_eq!(card.refunded_to(RefundDestination::GiftCard), Tender::GiftCard);
        assert_eq!(Tender::Offline.refunded_to(RefundDestination::OriginalMethod), Tender::Offline);
        let gift = Tender::from(InstrumentKind::GiftCard);
        assert_eq!(gift.refunded_to(RefundDestination::OriginalMethod), Tender::GiftCard);
        assert_eq!(gift.refunded_to(RefundDestination::StoreCredit), Tender::StoreCredit);
    }
}

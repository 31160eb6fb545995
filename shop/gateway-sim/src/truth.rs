//! The truth, for tests and for the judge: what was charged in the end, whatever anybody was told.

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::books::Books;
use shop_gateway::wire::{DisputeStatus, PaymentStatus};

/// Every charge of an account, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Truth {
    pub charges: Vec<ChargeTruth>,
}

/// What became of one hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChargeTruth {
    pub payment: String,
    /// The key of the call; absent when the gateway did it on its own, such as a duplicate.
    pub key: Option<String>,
    /// The merchant's reference.
    pub reference: String,
    pub currency: String,
    pub instrument: String,
    pub status: PaymentStatus,
    pub authorized_minor: i64,
    pub captured_minor: i64,
    /// Includes refunds on their way, not those that bounced.
    pub refunded_minor: i64,
    /// What banks took back in disputes that are not won.
    pub disputed_minor: i64,
    pub at: DateTime<Utc>,
}

impl Truth {
    pub(crate) fn of(books: &Books) -> Self {
        let mut charges: Vec<_> = books
            .charges()
            .map(|charge| {
                let payment = &charge.payment;
                let truth = ChargeTruth {
                    payment: payment.id.clone(),
                    key: charge.key(books).map(str::to_owned),
                    reference: payment.reference.clone(),
                    currency: payment.currency.clone(),
                    instrument: payment.instrument.token.clone(),
                    status: payment.status,
                    authorized_minor: payment.authorized_minor,
                    captured_minor: payment.captured_minor,
                    refunded_minor: payment.refunded_minor,
                    disputed_minor: match &payment.dispute {
                        Some(dispute) if dispute.status != DisputeStatus::Won => dispute.amount_minor,
                        Some(_) | None => 0,
                    },
                    at: payment.created_at,
                };
                (charge.first_line(), truth)
            })
            .collect();
        charges.sort_by_key(|(first_line, _)| *first_line);
        Self { charges: charges.into_iter().map(|(_, truth)| truth).collect() }
    }

    /// The charges with this reference: more than one is a double charge, unless all but one are voided.
    pub fn charges_for<'a>(&'a self, reference: &'a str) -> impl Iterator<Item = &'a ChargeTruth> {
        self.charges.iter().filter(move |charge| charge.reference == reference)
    }

    /// Taken, and neither given back nor taken back, over all charges with this reference.
    #[must_use]
    pub fn kept_minor(&self, reference: &str) -> i64 {
        self.charges_for(reference).map(ChargeTruth::kept_minor).sum()
    }
}

impl ChargeTruth {
    /// Taken, and neither given back nor taken back.
    #[must_use]
    pub const fn kept_minor(&self) -> i64 {
        self.captured_minor - self.refunded_minor - self.disputed_minor
    }
}

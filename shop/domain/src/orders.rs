//! The commercial life of an order, and what its payments and parcels make of its other two statuses.

use crate::machine::{IllegalMove, mermaid};
use crate::status::{OrderFulfillmentStatus, OrderPaymentStatus, OrderStatus, PaymentState};
use crate::words::words;

words! {
    /// What can happen to an order commercially.
    pub enum OrderEvent {
        /// A draft became an order: its customer paid it.
        Placed = "placed",
        /// Payment is secured, or staff accepted a draft.
        Confirmed = "confirmed",
        /// Fulfillment is paused for a check.
        Held = "held",
        /// The check found nothing.
        Released = "released",
        /// Everything is paid and delivered.
        Completed = "completed",
        Cancelled = "cancelled",
    }
}

impl OrderStatus {
    /// The whole commercial life of an order, in one table.
    pub fn after(self, event: OrderEvent) -> Result<Self, IllegalMove> {
        use {OrderEvent as E, OrderStatus as S};
        match (self, event) {
            (S::Draft, E::Placed) => Ok(S::Pending),
            (S::Draft | S::Pending, E::Confirmed) => Ok(S::Confirmed),
            (S::Pending | S::Confirmed, E::Held) => Ok(S::OnHold),
            // A hold ends in an accepted order: who releases it has looked at it.
            (S::OnHold, E::Released) => Ok(S::Confirmed),
            (S::Confirmed, E::Completed) => Ok(S::Completed),
            // Whether the goods have left is judged by the legality table, not here.
            (S::Draft | S::Pending | S::Confirmed | S::OnHold, E::Cancelled) => Ok(S::Cancelled),
            (from, event) => Err(IllegalMove { noun: "order", from: from.as_str(), event: event.as_str() }),
        }
    }

    /// The machine as a Mermaid diagram.
    #[must_use]
    pub fn diagram() -> String {
        mermaid(&[Self::Draft, Self::Pending], Self::ALL, OrderEvent::ALL, Self::after)
    }
}

/// What an order's money status is derived from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrderMoney {
    /// What the order costs now.
    pub total_minor: i64,
    /// Its payments.
    pub payments: Vec<PaymentMoney>,
    /// Sum of its succeeded refunds.
    pub refunded_minor: i64,
    /// Whether the outcome of any refund is unknown.
    pub has_unknown_refund: bool,
}

/// One payment of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaymentMoney {
    /// Its state.
    pub state: PaymentState,
    /// What was taken so far.
    pub captured_minor: i64,
}

/// The money status of an order.
#[must_use]
pub fn order_payment_status(money: &OrderMoney) -> OrderPaymentStatus {
    use OrderPaymentStatus as Status;
    let any = |state| money.payments.iter().any(|payment| payment.state == state);
    if any(PaymentState::Unknown) || money.has_unknown_refund {
        return Status::Unknown;
    }
    let captured = money.payments.iter().fold(0_i64, |sum, p| sum.saturating_add(p.captured_minor));
    if captured > 0 {
        return match money.refunded_minor {
            refunded if refunded >= captured => Status::Refunded,
            // What went back was paid beyond what the order costs now, so it is paid as before.
            refunded if captured.saturating_sub(refunded) >= money.total_minor => Status::Paid,
            refunded if refunded > 0 => Status::PartiallyRefunded,
            _ => Status::PartiallyPaid,
        };
    }
    if any(PaymentState::Authorized) || any(PaymentState::Capturing) {
        Status::Authorized
    } else if any(PaymentState::Voided) {
        Status::Voided
    } else if money.total_minor == 0 {
        // Nothing is due, so nothing is missing.
        Status::Paid
    } else {
        Status::Unpaid
    }
}

/// What an order's goods status is derived from, in units over all lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OrderGoods {
    /// Units ordered and not cancelled.
    pub units: u32,
    /// Of these, handed to a carrier, whatever became of them.
    pub shipped: u32,
    /// Of these, delivered.
    pub delivered: u32,
    /// Of these, back at a location.
    pub returned: u32,
    /// Whether a parcel is lost, damaged or refused and nothing was done about it yet.
    pub has_open_exception: bool,
}

/// The goods status of an order.
#[must_use]
pub fn order_fulfillment_status(goods: &OrderGoods) -> OrderFulfillmentStatus {
    use OrderFulfillmentStatus as Status;
    if goods.has_open_exception {
        Status::Exception
    } else if goods.shipped == 0 {
        Status::Unfulfilled
    } else if goods.shipped < goods.units {
        Status::Partial
    } else if goods.returned >= goods.units {
        Status::Returned
    } else if goods.delivered >= goods.units {
        Status::Delivered
    } else {
        Status::Shipped
    }
}

#[cfg(test)]
mod tests;

//! The life of one order edit, and which orders and lines can be edited.

use thiserror::Error;

use crate::machine::{IllegalMove, mermaid};
use crate::policy::Policy;
use crate::status::{OrderEditStatus, OrderFulfillmentStatus, OrderStatus};
use crate::words::words;

words! {
    /// What can happen to an order edit.
    pub enum OrderEditEvent {
        Committed = "committed",
        Discarded = "discarded",
    }
}

impl OrderEditStatus {
    /// The whole life of an order edit, in one table.
    pub fn after(self, event: OrderEditEvent) -> Result<Self, IllegalMove> {
        use {OrderEditEvent as E, OrderEditStatus as S};
        match (self, event) {
            (S::Open, E::Committed) => Ok(S::Committed),
            (S::Open, E::Discarded) => Ok(S::Discarded),
            (from, event) => {
                Err(IllegalMove { noun: "order edit", from: from.as_str(), event: event.as_str() })
            }
        }
    }

    /// The machine as a Mermaid diagram.
    #[must_use]
    pub fn diagram() -> String {
        mermaid(&[Self::Open], Self::ALL, OrderEditEvent::ALL, Self::after)
    }
}

/// What the rules look at, of the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EditFacts {
    /// Where it stands commercially.
    pub status: OrderStatus,
    /// Where its goods stand.
    pub goods: OrderFulfillmentStatus,
    /// Whether an edit has changed its items before.
    pub was_edited: bool,
}

/// Why an order or a line of it cannot be edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EditRefusal {
    /// It is over.
    #[error("the order is {0}; only an order that goes on can be edited")]
    NotOpen(OrderStatus),
    /// Nothing of it is still here.
    #[error("all goods of the order have shipped; return or exchange them, or order anew")]
    HasShipped,
    /// The store's policy allows one edit.
    #[error("its items were changed, which this store allows once and finally")]
    WasEdited,
    /// Units with the carrier or the customer stay in the order.
    #[error("{0} units of this line have shipped; the line keeps at least those")]
    BelowShipped(i64),
    /// Money of this line went back at the old price.
    #[error("a part of this line was cancelled or refunded at its old price; add a new line instead")]
    PartlyBack,
}

impl EditRefusal {
    /// Stable name of the rule.
    #[must_use]
    pub const fn rule(self) -> &'static str {
        match self {
            Self::NotOpen(_) => "order_not_open",
            Self::HasShipped => "order_has_shipped",
            Self::WasEdited => "order_was_edited",
            Self::BelowShipped(_) => "line_has_shipped",
            Self::PartlyBack => "line_partly_refunded",
        }
    }
}

/// Whether the items of an order can be changed.
pub const fn may_edit(order: EditFacts, policy: &Policy) -> Result<(), EditRefusal> {
    match order.status {
        OrderStatus::Cancelled | OrderStatus::Completed => return Err(EditRefusal::NotOpen(order.status)),
        OrderStatus::Draft | OrderStatus::Pending | OrderStatus::Confirmed | OrderStatus::OnHold => {}
    }
    match order.goods {
        OrderFulfillmentStatus::Shipped
        | OrderFulfillmentStatus::Delivered
        | OrderFulfillmentStatus::Exception
        | OrderFulfillmentStatus::Returned => return Err(EditRefusal::HasShipped),
        OrderFulfillmentStatus::Unfulfilled | OrderFulfillmentStatus::Partial => {}
    }
    if policy.edit_once && order.was_edited {
        return Err(EditRefusal::WasEdited);
    }
    Ok(())
}

/// What the rules look at, of one line. Units and minor units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineFacts {
    /// Units that have left.
    pub shipped: i64,
    /// Units that were cancelled.
    pub cancelled: i64,
    /// Units that refunds claim.
    pub refunded: i64,
    /// Money that refunds claim.
    pub refunded_minor: i64,
}

/// Whether a line can have this quantity from now on.
pub const fn may_become(line: LineFacts, quantity: i64) -> Result<(), EditRefusal> {
    if line.cancelled > 0 || line.refunded > 0 || line.refunded_minor > 0 {
        return Err(EditRefusal::PartlyBack);
    }
    if quantity < line.shipped {
        return Err(EditRefusal::BelowShipped(line.shipped));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::check_moves;

    #[test]
    fn an_order_edit_moves_only_along_its_table() {
        use {OrderEditEvent as E, OrderEditStatus as S};
        check_moves(
            S::ALL,
            E::ALL,
            S::after,
            &[(S::Open, E::Committed, S::Committed), (S::Open, E::Discarded, S::Discarded)],
        );
    }

    #[test]
    fn an_order_is_edited_while_goods_of_it_are_here() {
        use {OrderFulfillmentStatus as G, OrderStatus as S};
        let open = [S::Draft, S::Pending, S::Confirmed, S::OnHold];
        let here = [G::Unfulfilled, G::Partial];
        for &status in S::ALL {
            for &goods in G::ALL {
                let order = EditFacts { status, goods, was_edited: true };
                let may = open.contains(&status) && here.contains(&goods);
                assert_eq!(may_edit(order, &Policy::default()).is_ok(), may, "{status} {goods}");
                let once = may_edit(order, &Policy::tau2());
                assert_eq!(once.is_err_and(|refusal| refusal == EditRefusal::WasEdited), may);
                let first = EditFacts { was_edited: false, ..order };
                assert_eq!(may_edit(first, &Policy::tau2()), may_edit(order, &Policy::default()));
            }
        }
    }

    #[test]
    fn a_line_keeps_what_has_shipped_and_is_left_alone_once_money_went_back() {
        let line = LineFacts { shipped: 2, ..LineFacts::default() };
        assert_eq!(may_become(line, 2), Ok(()));
        assert_eq!(may_become(line, 9), Ok(()));
        assert_eq!(may_become(line, 1), Err(EditRefusal::BelowShipped(2)));
        for back in [
            LineFacts { cancelled: 1, ..line },
            LineFacts { refunded: 1, ..line },
            LineFacts { refunded_minor: 1, ..line },
        ] {
            assert_eq!(may_become(back, 9), Err(EditRefusal::PartlyBack));
        }
    }
}

//! The life of one exchange: goods come back, other goods go out.

use crate::machine::{IllegalMove, mermaid};
use crate::money::{MoneyError, scale};
use crate::status::ExchangeStatus;
use crate::words::words;

words! {
    /// What can happen to an exchange.
    pub enum ExchangeEvent {
        Approved = "approved",
        /// The store's policy wants the old goods back before the new ones leave.
        ReturnAwaited = "return_awaited",
        /// The new goods have left.
        Shipped = "shipped",
        /// The old goods are back and the difference is settled.
        Completed = "completed",
        Cancelled = "cancelled",
    }
}

impl ExchangeStatus {
    /// The whole life of an exchange, in one table.
    pub fn after(self, event: ExchangeEvent) -> Result<Self, IllegalMove> {
        use {ExchangeEvent as E, ExchangeStatus as S};
        match (self, event) {
            (S::Requested, E::Approved) => Ok(S::Approved),
            (S::Approved, E::ReturnAwaited) => Ok(S::AwaitingReturn),
            (S::Approved | S::AwaitingReturn, E::Shipped) => Ok(S::Shipped),
            (S::Shipped, E::Completed) => Ok(S::Completed),
            (S::Requested | S::Approved | S::AwaitingReturn, E::Cancelled) => Ok(S::Cancelled),
            (from, event) => {
                Err(IllegalMove { noun: "exchange", from: from.as_str(), event: event.as_str() })
            }
        }
    }

    /// The machine as a Mermaid diagram.
    #[must_use]
    pub fn diagram() -> String {
        mermaid(&[Self::Requested], Self::ALL, ExchangeEvent::ALL, Self::after)
    }
}

/// Units of one order line with their price, as prices without tax have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PricedUnits {
    /// Units.
    pub quantity: i64,
    /// Price of one, in minor units.
    pub unit_price_minor: i64,
    /// What was taken off all of them, in minor units.
    pub discount_minor: i64,
    /// Tax on the rest, in minor units.
    pub tax_minor: i64,
}

impl PricedUnits {
    /// Price times quantity, in minor units.
    pub fn subtotal_minor(&self) -> Result<i64, MoneyError> {
        self.unit_price_minor.checked_mul(self.quantity).ok_or(MoneyError::Overflow)
    }

    /// What the customer pays for them, in minor units.
    pub fn total_minor(&self) -> Result<i64, MoneyError> {
        let net = self.subtotal_minor()?.checked_sub(self.discount_minor);
        net.and_then(|net| net.checked_add(self.tax_minor)).ok_or(MoneyError::Overflow)
    }

    /// Takes some of these units out; the others keep the rest of discount and tax.
    pub fn take(&mut self, quantity: i64) -> Result<Self, MoneyError> {
        let taken = self.part(quantity)?;
        self.quantity -= taken.quantity;
        self.discount_minor -= taken.discount_minor;
        self.tax_minor -= taken.tax_minor;
        Ok(taken)
    }

    /// Some of these units with their share of discount and tax.
    pub fn part(&self, quantity: i64) -> Result<Self, MoneyError> {
        Ok(Self {
            quantity,
            unit_price_minor: self.unit_price_minor,
            discount_minor: scale(self.discount_minor, quantity, self.quantity)?,
            tax_minor: scale(self.tax_minor, quantity, self.quantity)?,
        })
    }

    /// As many units at another price. They keep the discount of those they take the place of, and are taxed at
    /// the rate the order was: an exchange is no new purchase, and one at the same price costs nothing.
    pub fn at_price(&self, unit_price_minor: i64) -> Result<Self, MoneyError> {
        let swapped = Self { unit_price_minor, ..*self };
        let discount_minor = self.discount_minor.min(swapped.subtotal_minor()?);
        let old_net = self.subtotal_minor()? - self.discount_minor;
        let tax_minor = match old_net {
            0 => 0,
            old_net => scale(swapped.subtotal_minor()? - discount_minor, self.tax_minor, old_net)?,
        };
        Ok(Self { discount_minor, tax_minor, ..swapped })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::check_moves;

    /// Three units at 25.00, 10 % off, 19 % tax on the rest.
    const SHIRTS: PricedUnits =
        PricedUnits { quantity: 3, unit_price_minor: 2_500, discount_minor: 750, tax_minor: 1_283 };

    #[test]
    fn an_exchange_at_the_same_price_costs_nothing() {
        assert_eq!(SHIRTS.at_price(2_500), Ok(SHIRTS));
    }

    #[test]
    fn the_discount_stays_and_the_tax_rate_too() {
        let dearer = SHIRTS.at_price(2_700).unwrap();
        // 3 × 27.00 less 7.50, and 19 % of that.
        assert_eq!((dearer.discount_minor, dearer.tax_minor), (750, 1_397));
        assert_eq!(dearer.total_minor().unwrap() - SHIRTS.total_minor().unwrap(), 600 + 114);
    }

    #[test]
    fn a_discount_is_never_more_than_the_new_price() {
        let cheap = SHIRTS.at_price(100).unwrap();
        assert_eq!((cheap.discount_minor, cheap.tax_minor, cheap.total_minor()), (300, 0, Ok(0)));
        let free = PricedUnits { discount_minor: 7_500, tax_minor: 0, ..SHIRTS };
        assert_eq!(free.at_price(2_700).unwrap().tax_minor, 0);
    }

    #[test]
    fn a_part_has_its_share() {
        let one = SHIRTS.part(1).unwrap();
        assert_eq!((one.discount_minor, one.tax_minor), (250, 428));
        assert_eq!(SHIRTS.part(3), Ok(SHIRTS));
    }

    #[test]
    fn units_taken_one_by_one_are_the_whole() {
        let mut left = SHIRTS;
        let taken = [left.take(1).unwrap(), left.take(1).unwrap(), left.take(1).unwrap()];
        assert_eq!((left.quantity, left.discount_minor, left.tax_minor), (0, 0, 0));
        let total: i64 = taken.iter().map(|one| one.total_minor().unwrap()).sum();
        assert_eq!(total, SHIRTS.total_minor().unwrap());
    }

    #[test]
    fn an_exchange_moves_only_along_its_table() {
        use {ExchangeEvent as E, ExchangeStatus as S};
        check_moves(
            S::ALL,
            E::ALL,
            S::after,
            &[
                (S::Requested, E::Approved, S::Approved),
                (S::Requested, E::Cancelled, S::Cancelled),
                (S::Approved, E::ReturnAwaited, S::AwaitingReturn),
                (S::Approved, E::Shipped, S::Shipped),
                (S::Approved, E::Cancelled, S::Cancelled),
                (S::AwaitingReturn, E::Shipped, S::Shipped),
                (S::AwaitingReturn, E::Cancelled, S::Cancelled),
                (S::Shipped, E::Completed, S::Completed),
            ],
        );
    }
}

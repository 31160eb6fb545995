//! When a promotion gives its discount.

use chrono::{DateTime, Utc};
use thiserror::Error;

use crate::status::PromotionStatus;
use crate::words::words;

words! {
    /// What a promotion gives.
    pub enum PromotionKind {
        Percentage = "percentage",
        Fixed = "fixed",
        FreeShipping = "free_shipping",
        BuyXGetY = "buy_x_get_y",
    }
}

/// What decides whether a promotion holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Whether it is switched on.
    pub status: PromotionStatus,
    /// From when.
    pub starts_at: Option<DateTime<Utc>>,
    /// Until when, that moment excluded.
    pub ends_at: Option<DateTime<Utc>>,
    /// How many orders may use it; any number when `None`.
    pub usage_limit: Option<i64>,
    /// How many orders use it.
    pub used: i64,
    /// What it may take off in all, in minor units; any amount when `None`.
    pub budget_minor: Option<i64>,
    /// What it takes off orders already.
    pub spent_minor: i64,
}

/// Why a promotion gives nothing. It reads on after the name of a coupon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// Somebody has switched it off.
    #[error("belongs to a promotion that is switched off")]
    SwitchedOff,
    /// Its time has not come.
    #[error("is not valid yet")]
    NotYet,
    /// Its time is over.
    #[error("has expired")]
    Over,
    /// As many orders use it as may.
    #[error("belongs to a promotion that is used up")]
    UsedUp,
    /// Too little of its budget is left.
    #[error("belongs to a promotion whose budget is spent")]
    BudgetSpent,
}

impl Terms {
    /// Whether one more order may use it now.
    ///
    /// # Errors
    /// Why not.
    pub fn hold(&self, now: DateTime<Utc>) -> Result<(), Refusal> {
        if self.status != PromotionStatus::Active {
            return Err(Refusal::SwitchedOff);
        }
        if self.starts_at.is_some_and(|start| start > now) {
            return Err(Refusal::NotYet);
        }
        if self.ends_at.is_some_and(|end| end <= now) {
            return Err(Refusal::Over);
        }
        if self.usage_limit.is_some_and(|limit| self.used >= limit) {
            return Err(Refusal::UsedUp);
        }
        if self.budget_minor.is_some_and(|budget| self.spent_minor >= budget) {
            return Err(Refusal::BudgetSpent);
        }
        Ok(())
    }

    /// Whether what is left of the budget covers the whole of a discount: a part of one is never given.
    #[must_use]
    pub fn afford(&self, discount_minor: i64) -> bool {
        self.budget_minor.is_none_or(|budget| discount_minor <= budget.saturating_sub(self.spent_minor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_promotion_holds_within_its_terms() {
        let at = |second| DateTime::from_timestamp(second, 0);
        let free = Terms {
            status: PromotionStatus::Active,
            starts_at: None,
            ends_at: None,
            usage_limit: None,
            used: 0,
            budget_minor: None,
            spent_minor: 0,
        };
        for (terms, expected) in [
            (free, Ok(())),
            (Terms { status: PromotionStatus::Disabled, ..free }, Err(Refusal::SwitchedOff)),
            (Terms { starts_at: at(10), ends_at: at(11), ..free }, Ok(())),
            (Terms { starts_at: at(11), ..free }, Err(Refusal::NotYet)),
            (Terms { ends_at: at(10), ..free }, Err(Refusal::Over)),
            (Terms { usage_limit: Some(2), used: 1, ..free }, Ok(())),
            (Terms { usage_limit: Some(2), used: 2, ..free }, Err(Refusal::UsedUp)),
            (Terms { budget_minor: Some(500), spent_minor: 499, ..free }, Ok(())),
            (Terms { budget_minor: Some(500), spent_minor: 500, ..free }, Err(Refusal::BudgetSpent)),
        ] {
            assert_eq!(terms.hold(at(10).unwrap()), expected, "{terms:?}");
        }
        let nearly = Terms { budget_minor: Some(500), spent_minor: 400, ..free };
        assert_eq!([100, 101].map(|minor| nearly.afford(minor)), [true, false]);
        assert!(free.afford(i64::MAX));
    }
}

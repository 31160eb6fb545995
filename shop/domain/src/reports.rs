//! How reports are put together: what their rows stand for, and how old stock is.

use crate::words::words;

words! {
    /// What one row of a report stands for.
    pub enum ReportGroup {
        /// One day in UTC.
        Day = "day",
        Store = "store",
        Brand = "brand",
    }

    /// What one row of a stock report stands for; stock is what there is now, so never a day.
    pub enum StockGroup {
        Store = "store",
        Brand = "brand",
    }

    /// How long ago a variant was last sold, or came into the shop if it never was.
    pub enum StockAge {
        /// Up to 30 days.
        Fresh = "fresh",
        /// Up to 90 days.
        Slow = "slow",
        /// Longer.
        Old = "old",
    }
}

impl StockAge {
    /// The age of stock that nobody bought for so many days.
    #[must_use]
    pub const fn of(days: i64) -> Self {
        match days {
            ..=30 => Self::Fresh,
            31..=90 => Self::Slow,
            91.. => Self::Old,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stock_grows_old() {
        use StockAge as A;
        for (days, age) in
            [(-1, A::Fresh), (0, A::Fresh), (30, A::Fresh), (31, A::Slow), (90, A::Slow), (91, A::Old)]
        {
            assert_eq!(StockAge::of(days), age, "{days}");
        }
    }
}

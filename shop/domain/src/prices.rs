//! Which of a variant's prices a buyer pays.

use chrono::{DateTime, Utc};

/// For whom and when the prices of a list hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListTerms<'a> {
    /// The tag of the customers it is for; everybody's when `None`.
    pub customer_tag: Option<&'a str>,
    /// From when.
    pub starts_at: Option<DateTime<Utc>>,
    /// Until when, that moment excluded.
    pub ends_at: Option<DateTime<Utc>>,
}

impl ListTerms<'_> {
    /// Whether the list holds for a customer with these tags.
    #[must_use]
    pub fn hold(&self, tags: &[String], now: DateTime<Utc>) -> bool {
        self.customer_tag.is_none_or(|wanted| tags.iter().any(|tag| tag == wanted))
            && self.starts_at.is_none_or(|start| start <= now)
            && self.ends_at.is_none_or(|end| now < end)
    }
}

/// What a buyer pays for one unit: the lowest of the base price and of all lists that hold for them.
#[must_use]
pub fn unit_price(base_minor: i64, listed: impl IntoIterator<Item = i64>) -> i64 {
    listed.into_iter().fold(base_minor, Ord::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_holds_for_its_group_and_time() {
        let at = |second| DateTime::from_timestamp(second, 0).unwrap();
        let (trade, nobody) = (["trade".to_owned()], []);
        let terms = |customer_tag, starts_at, ends_at| ListTerms { customer_tag, starts_at, ends_at };
        for (terms, tags, expected) in [
            (terms(None, None, None), &nobody[..], true),
            (terms(Some("trade"), None, None), &nobody[..], false),
            (terms(Some("trade"), None, None), &trade[..], true),
            (terms(Some("vip"), None, None), &trade[..], false),
            (terms(None, Some(at(10)), None), &nobody[..], true),
            (terms(None, Some(at(11)), None), &nobody[..], false),
            (terms(None, None, Some(at(11))), &nobody[..], true),
            (terms(None, None, Some(at(10))), &nobody[..], false),
        ] {
            assert_eq!(terms.hold(tags, at(10)), expected, "{terms:?} {tags:?}");
        }
    }

    #[test]
    fn the_lowest_price_counts_and_none_is_higher_than_the_base() {
        assert_eq!(unit_price(1_990, []), 1_990);
        assert_eq!(unit_price(1_990, [2_500]), 1_990);
        assert_eq!(unit_price(1_990, [1_800, 1_500, 1_700]), 1_500);
    }
}

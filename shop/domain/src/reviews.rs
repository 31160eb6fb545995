//! The life of one product review, who may write one, and what they add up to.

use crate::machine::{IllegalMove, mermaid};
use crate::status::ReviewStatus;
use crate::words::words;

words! {
    /// What a moderator may do with a review.
    pub enum ReviewDecision {
        Publish = "publish",
        Hide = "hide",
        Flag = "flag",
    }

    /// What can happen to a review.
    pub enum ReviewEvent {
        Published = "published",
        Hidden = "hidden",
        /// Somebody must look at it more closely.
        Flagged = "flagged",
    }
}

impl ReviewDecision {
    /// What it makes happen.
    #[must_use]
    pub const fn event(self) -> ReviewEvent {
        match self {
            Self::Publish => ReviewEvent::Published,
            Self::Hide => ReviewEvent::Hidden,
            Self::Flag => ReviewEvent::Flagged,
        }
    }
}

impl ReviewStatus {
    /// The whole life of a review, in one table.
    pub fn after(self, event: ReviewEvent) -> Result<Self, IllegalMove> {
        use {ReviewEvent as E, ReviewStatus as S};
        match (self, event) {
            (S::Pending | S::Flagged | S::Hidden, E::Published) => Ok(S::Published),
            (S::Pending | S::Flagged | S::Published, E::Hidden) => Ok(S::Hidden),
            (S::Pending | S::Published, E::Flagged) => Ok(S::Flagged),
            (from, event) => Err(IllegalMove { noun: "review", from: from.as_str(), event: event.as_str() }),
        }
    }

    /// The machine as a Mermaid diagram.
    #[must_use]
    pub fn diagram() -> String {
        mermaid(&[Self::Pending], Self::ALL, ReviewEvent::ALL, Self::after)
    }
}

/// The stars a review may give.
pub const STARS: std::ops::RangeInclusive<i64> = 1..=5;

/// The average of some reviews in hundredths of a star, half rounded up; none when there are none.
#[must_use]
pub fn average_hundredths(count: i64, stars: i64) -> Option<i64> {
    let doubled = stars.checked_mul(200)?.checked_add(count)?;
    doubled.checked_div(count.checked_mul(2)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::check_moves;

    #[test]
    fn a_review_moves_only_along_its_table() {
        use {ReviewEvent as E, ReviewStatus as S};
        check_moves(
            S::ALL,
            E::ALL,
            S::after,
            &[
                (S::Pending, E::Published, S::Published),
                (S::Pending, E::Hidden, S::Hidden),
                (S::Pending, E::Flagged, S::Flagged),
                (S::Published, E::Hidden, S::Hidden),
                (S::Published, E::Flagged, S::Flagged),
                (S::Hidden, E::Published, S::Published),
                (S::Flagged, E::Published, S::Published),
                (S::Flagged, E::Hidden, S::Hidden),
            ],
        );
    }

    #[test]
    fn the_average_is_rounded_once() {
        for (count, stars, average) in
            [(0, 0, None), (1, 5, Some(500)), (2, 9, Some(450)), (3, 13, Some(433)), (3, 14, Some(467))]
        {
            assert_eq!(average_hundredths(count, stars), average, "{stars} stars in {count}");
        }
    }
}

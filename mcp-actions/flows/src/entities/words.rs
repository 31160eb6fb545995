//! What is in a phrase: the words that name things, when it was, and which of several.

use std::collections::BTreeSet;

use chrono::{DateTime, Days, NaiveDate, TimeDelta, Utc};

/// Words that name nothing.
const EMPTY: &[&str] = &[
    "a", "about", "an", "and", "any", "at", "been", "bought", "can", "did", "do", "does", "for", "from",
    "had", "has", "have", "i", "in", "is", "it", "item", "items", "made", "me", "my", "number", "of", "on",
    "one", "order", "ordered", "orders", "our", "placed", "please", "purchase", "that", "the", "thing",
    "this", "those", "to", "was", "were", "what", "when", "where", "which", "with", "yet", "you", "your",
];

/// A phrase taken apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Phrase {
    /// What has to fit, in its simplest form.
    pub(super) names: BTreeSet<String>,
    pub(super) which: Option<Which>,
    /// From this moment on, and before that one.
    pub(super) when: Option<(DateTime<Utc>, DateTime<Utc>)>,
}

/// Which of several that fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    Newest,
    Oldest,
}

impl Phrase {
    pub(super) fn of(text: &str, now: DateTime<Utc>) -> Self {
        let tokens = tokens(text);
        let mut phrase = Self::default();
        let mut rest = tokens.as_slice();
        while let Some((first, after)) = rest.split_first() {
            let second = after.first().map(String::as_str).unwrap_or_default();
            let (used, when) = period(first, second, now);
            if when.is_some() {
                phrase.when = when;
                rest = rest.get(used..).unwrap_or_default();
                continue;
            }
            match first.as_str() {
                "last" | "latest" | "newest" | "recent" => phrase.which = Some(Which::Newest),
                "first" | "oldest" => phrase.which = Some(Which::Oldest),
                word if EMPTY.contains(&word) => {}
                word => {
                    phrase.names.insert(simplest(word));
                }
            }
            rest = after;
        }
        phrase
    }

    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// How many of the names occur in a text; `None` when none of the two has any.
    pub(super) fn hits(&self, text: &str) -> usize {
        let there: BTreeSet<String> = tokens(text).iter().map(|word| simplest(word)).collect();
        self.names.intersection(&there).count()
    }

    pub(super) fn fits(&self, text: &str) -> bool {
        self.hits(text) == self.names.len()
    }

    pub(super) fn covers(&self, at: DateTime<Utc>) -> bool {
        self.when.is_none_or(|(from, to)| from <= at && at < to)
    }
}

/// The words of a phrase that name something, in their simplest form.
pub(crate) fn names(text: &str) -> BTreeSet<String> {
    tokens(text).iter().filter(|word| !EMPTY.contains(&word.as_str())).map(|word| simplest(word)).collect()
}

/// The same as they stand: names of people have no plural.
pub(super) fn plain(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || "-'’@.+_".contains(c);
    let words =
        text.split(|c: char| !is_part(c)).map(|word| word.trim_matches(['.', '\'', '’']).to_lowercase());
    words.filter(|word| !word.is_empty() && !EMPTY.contains(&word.as_str())).collect()
}

/// Whether a phrase contains one of some words.
pub(crate) fn mentions(text: &str, words: &[&str]) -> bool {
    tokens(text).iter().any(|token| words.contains(&simplest(token).as_str()))
}

fn tokens(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '-';
    text.split(|c: char| !is_part(c)).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// Without its plural.
fn simplest(word: &str) -> String {
    match word.strip_suffix('s') {
        Some(stem) if stem.len() > 2 && !stem.ends_with('s') => stem.to_owned(),
        Some(_) | None => word.to_owned(),
    }
}

/// From and until.
type Span = (DateTime<Utc>, DateTime<Utc>);

/// The period that one or two words name, and how many words that took.
fn period(first: &str, second: &str, now: DateTime<Utc>) -> (usize, Option<Span>) {
    let today = now.date_naive();
    let back = |days: u64| today.checked_sub_days(Days::new(days)).unwrap_or(today);
    let span = |from: NaiveDate, days: i64| {
        let from = from.and_time(chrono::NaiveTime::MIN).and_utc();
        Some((from, from + TimeDelta::days(days)))
    };
    match (first, second) {
        ("today", _) => (1, span(today, 1)),
        ("yesterday", _) => (1, span(back(1), 1)),
        ("this", "week") => (2, span(back(6), 7)),
        ("last", "week") => (2, span(back(13), 14)),
        ("this", "month") => (2, span(back(30), 31)),
        ("last", "month") => (2, span(back(61), 62)),
        (date, _) => match date.parse::<NaiveDate>() {
            Ok(date) => (1, span(date, 1)),
            Err(_) => (0, None),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> DateTime<Utc> {
        "2026-01-15T09:00:00Z".parse().unwrap()
    }

    #[test]
    fn a_phrase_comes_apart_into_names_time_and_choice() {
        let phrase = Phrase::of("my last order with the blue mugs", now());
        assert_eq!(phrase.names, BTreeSet::from(["blue".to_owned(), "mug".to_owned()]));
        assert_eq!((phrase.which, phrase.when), (Some(Which::Newest), None));
        assert!(phrase.fits("Blue mug") && !phrase.fits("Red mug"));
        let phrase = Phrase::of("the running shoes from last week", now());
        assert_eq!(phrase.which, None);
        assert!(phrase.covers("2026-01-08T12:00:00Z".parse().unwrap()));
        assert!(!phrase.covers("2025-12-30T12:00:00Z".parse().unwrap()));
        assert!(Phrase::of("ordered on 2026-01-02", now()).covers("2026-01-02T23:00:00Z".parse().unwrap()));
        assert!(Phrase::of("my order", now()).is_empty());
    }
}

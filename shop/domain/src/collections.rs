//! Which products belong to a rule-based collection.

use sea_orm::FromJsonQueryResult;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::money::Currency;

/// What stands between the parts of a category's path.
const PATH_SEPARATOR: char = '/';

/// What a product must be to belong. Everything that is said must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult, ToSchema)]
#[schema(as = CollectionRule)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// In this category or one below it.
    #[schema(example = "kitchen")]
    pub category: Option<String>,
    /// With these words in its title, whatever their case.
    #[schema(example = "mug")]
    pub title_contains: Option<String>,
    /// With a variant at such a price.
    pub price: Option<PriceRange>,
}

/// Base prices in one currency, in minor units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = CollectionPriceRange)]
#[serde(deny_unknown_fields)]
pub struct PriceRange {
    /// Of which currency.
    pub currency: Currency,
    /// At least this; anything when null.
    #[schema(example = 1000)]
    pub min_minor: Option<i64>,
    /// At most this; anything when null.
    #[schema(example = 3000)]
    pub max_minor: Option<i64>,
}

/// What a rule looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProductFacts<'a> {
    /// Path of its category.
    pub category: &'a str,
    /// Its title.
    pub title: &'a str,
    /// Base prices of its variants.
    pub prices: Vec<(Currency, i64)>,
}

impl Rule {
    /// Whether the rule says anything at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a product belongs.
    #[must_use]
    pub fn takes(&self, product: &ProductFacts<'_>) -> bool {
        let in_category = self.category.as_ref().is_none_or(|path| is_within(product.category, path));
        let has_words = self
            .title_contains
            .as_ref()
            .is_none_or(|words| product.title.to_lowercase().contains(&words.to_lowercase()));
        let has_price = self.price.is_none_or(|range| {
            product.prices.iter().any(|(currency, minor)| range.takes(*currency, *minor))
        });
        in_category && has_words && has_price
    }
}

impl PriceRange {
    fn takes(self, currency: Currency, minor: i64) -> bool {
        currency == self.currency
            && self.min_minor.is_none_or(|min| minor >= min)
            && self.max_minor.is_none_or(|max| minor <= max)
    }
}

fn is_within(category: &str, path: &str) -> bool {
    category.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(PATH_SEPARATOR))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_takes_what_fulfils_all_of_it() {
        let mug = ProductFacts {
            category: "kitchen/mugs",
            title: "Harbour Mug",
            prices: vec![(Currency::Eur, 1_990), (Currency::Usd, 2_490)],
        };
        let within = |path: &str| Rule { category: Some(path.to_owned()), ..Rule::default() };
        let named = |words: &str| Rule { title_contains: Some(words.to_owned()), ..Rule::default() };
        let price = |currency, min_minor, max_minor| Rule {
            price: Some(PriceRange { currency, min_minor, max_minor }),
            ..Rule::default()
        };
        for (rule, expected) in [
            (within("kitchen"), true),
            (within("kitchen/mugs"), true),
            (within("kit"), false),
            (within("kitchen/mugs/blue"), false),
            (named("harbour mug"), true),
            (named("lamp"), false),
            (price(Currency::Eur, Some(1_990), Some(1_990)), true),
            (price(Currency::Eur, Some(1_991), None), false),
            (price(Currency::Usd, None, Some(2_489)), false),
            (price(Currency::Gbp, None, None), false),
            (Rule { category: Some("home".to_owned()), ..named("mug") }, false),
        ] {
            assert_eq!(rule.takes(&mug), expected, "{rule:?}");
        }
        assert!(Rule::default().is_empty() && !named("mug").is_empty());
    }
}

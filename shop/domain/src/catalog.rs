//! The life of one product, and which variants it can have.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::machine::{IllegalMove, mermaid};
use crate::status::ProductStatus;
use crate::words::words;

words! {
    /// What can happen to a product.
    pub enum ProductEvent {
        /// It is sold in more stores, or again.
        Published = "published",
        Archived = "archived",
    }

    /// What a file of a product is.
    pub enum MediaKind {
        Image = "image",
        /// Anything else, such as a manual.
        File = "file",
    }
}

impl ProductStatus {
    /// The whole life of a product, in one table.
    pub fn after(self, event: ProductEvent) -> Result<Self, IllegalMove> {
        use {ProductEvent as E, ProductStatus as S};
        match (self, event) {
            (S::Draft | S::Published | S::Archived, E::Published) => Ok(S::Published),
            (S::Draft | S::Published, E::Archived) => Ok(S::Archived),
            (from, event) => Err(IllegalMove { noun: "product", from: from.as_str(), event: event.as_str() }),
        }
    }

    /// The machine as a Mermaid diagram.
    #[must_use]
    pub fn diagram() -> String {
        mermaid(&[Self::Draft], Self::ALL, ProductEvent::ALL, Self::after)
    }
}

/// A variant's option values, such as `size → M`.
pub type Choice = BTreeMap<String, String>;

/// Why a product cannot have a variant with these option values.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ChoiceError {
    /// It names too few options, too many, or other ones.
    #[error("a variant of this product has a value for each of: {}", expected.join(", "))]
    OtherOptions {
        /// The options the product has.
        expected: Vec<String>,
    },
    /// A value that the product does not have.
    #[error("{option} is one of {}", allowed.join(", "))]
    UnknownValue {
        /// Which option.
        option: String,
        /// The values it has.
        allowed: Vec<String>,
    },
    /// Another variant is the same.
    #[error("another variant of this product has the same option values")]
    Taken,
}

/// Checks the option values of one variant against what the product declares and what its other variants are. Where
/// nothing is declared, the first of the others says which options there are.
///
/// # Errors
/// When the variant would not fit.
pub fn check_choice(
    declared: &BTreeMap<String, Vec<String>>,
    others: &[&Choice],
    choice: &Choice,
) -> Result<(), ChoiceError> {
    let expected: Option<Vec<String>> = match others.first() {
        _ if !declared.is_empty() => Some(declared.keys().cloned().collect()),
        Some(other) => Some(other.keys().cloned().collect()),
        None => None,
    };
    if let Some(expected) = expected
        && !expected.iter().eq(choice.keys())
    {
        return Err(ChoiceError::OtherOptions { expected });
    }
    for (option, value) in choice {
        if let Some(allowed) = declared.get(option)
            && !allowed.contains(value)
        {
            return Err(ChoiceError::UnknownValue { option: option.clone(), allowed: allowed.clone() });
        }
    }
    if others.contains(&choice) {
        return Err(ChoiceError::Taken);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::check_moves;

    #[test]
    fn a_product_moves_only_along_its_table() {
        use {ProductEvent as E, ProductStatus as S};
        check_moves(
            S::ALL,
            E::ALL,
            S::after,
            &[
                (S::Draft, E::Published, S::Published),
                (S::Draft, E::Archived, S::Archived),
                (S::Published, E::Published, S::Published),
                (S::Published, E::Archived, S::Archived),
                (S::Archived, E::Published, S::Published),
            ],
        );
    }

    fn choice(values: &[(&str, &str)]) -> Choice {
        values.iter().map(|(option, value)| ((*option).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn a_variant_has_the_options_of_its_product() {
        let declared = BTreeMap::from([("size".to_owned(), vec!["S".to_owned(), "M".to_owned()])]);
        let none = BTreeMap::new();
        let (small, medium, large) =
            (choice(&[("size", "S")]), choice(&[("size", "M")]), choice(&[("size", "L")]));
        let blue = choice(&[("colour", "blue")]);
        let other = || Err(ChoiceError::OtherOptions { expected: vec!["size".to_owned()] });
        let unknown = ChoiceError::UnknownValue {
            option: "size".to_owned(),
            allowed: vec!["S".to_owned(), "M".to_owned()],
        };
        for (declared, others, choice, expected) in [
            (&declared, vec![&small], &medium, Ok(())),
            (&declared, vec![&small], &small, Err(ChoiceError::Taken)),
            (&declared, vec![], &large, Err(unknown)),
            (&declared, vec![], &blue, other()),
            (&none, vec![], &blue, Ok(())),
            (&none, vec![&small], &large, Ok(())),
            (&none, vec![&small], &blue, other()),
            (&none, vec![&Choice::new()], &Choice::new(), Err(ChoiceError::Taken)),
        ] {
            assert_eq!(check_choice(declared, &others, choice), expected, "{choice:?}");
        }
    }
}

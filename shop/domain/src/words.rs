//! Enums whose variants are words of the public contract: each word is written once and is the JSON value, the
//! column value, the OpenAPI `enum` entry and the text in logs.

use thiserror::Error;

/// A text that is not one of the words of an enum.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown {kind} `{given}`: use one of {}", .allowed.join(", "))]
pub struct UnknownWord {
    /// The enum, as a type name.
    pub kind: &'static str,
    /// What was given.
    pub given: String,
    /// All words that would have been accepted.
    pub allowed: &'static [&'static str],
}

/// Declares enums of words. A hand-written enum would repeat every word in serde, sea-orm, utoipa and `as_str`,
/// and the four copies could drift apart.
macro_rules! words {
    ($(
        $(#[doc = $about:literal])+
        pub enum $name:ident {
            $( $(#[doc = $doc:literal])* $variant:ident = $word:literal, )+
        }
    )+) => { $(
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, sea_orm::DeriveValueType)]
        #[sea_orm(value_type = "String", column_type = "Text")]
        pub enum $name {
            $( $(#[doc = $doc])* #[doc = concat!("On the wire: `", $word, "`.")] $variant, )+
        }

        impl $name {
            /// Every variant, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Every word, in the same order.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word on the wire and in the database.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::words::UnknownWord;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($word => Ok(Self::$variant),)+
                    _ => Err($crate::words::UnknownWord {
                        kind: stringify!($name),
                        given: text.to_owned(),
                        allowed: Self::WORDS,
                    }),
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(|_| serde::de::Error::unknown_variant(&text, Self::WORDS))
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .description(Some(concat!($($about),+).trim()))
                    .enum_values(Some(Self::WORDS.iter().copied()))
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {
            fn name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
        }
    )+ };
}
pub(crate) use words;

/// `==` on texts, which constants do not have.
pub(crate) const fn same_text(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    while let (Some((x, a_rest)), Some((y, b_rest))) = (a.split_first(), b.split_first()) {
        if *x != *y {
            return false;
        }
        (a, b) = (a_rest, b_rest);
    }
    a.is_empty() && b.is_empty()
}

#[cfg(test)]
mod tests {
    use crate::status::OrderStatus;

    #[test]
    fn a_word_is_the_same_in_json_text_and_column() {
        for &status in OrderStatus::ALL {
            assert_eq!(serde_json::to_value(status).unwrap(), status.as_str());
            assert_eq!(serde_json::from_value::<OrderStatus>(status.as_str().into()).unwrap(), status);
            assert_eq!(sea_orm::Value::from(status), sea_orm::Value::from(status.as_str()));
            assert_eq!(status.as_str().parse(), Ok(status));
        }
    }

    #[test]
    fn an_unknown_word_names_the_known_ones() {
        let error = "paid".parse::<OrderStatus>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown OrderStatus `paid`: use one of draft, pending, confirmed, on_hold, completed, cancelled"
        );
        assert!(serde_json::from_str::<OrderStatus>("\"paid\"").unwrap_err().to_string().contains("on_hold"));
    }
}

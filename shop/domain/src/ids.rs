//! Typed ids: a prefix that says the kind, and a lower-case ULID (`ord_01jz…`).
//!
//! Agents mix ids up; the prefix is what catches it, so a wrong kind is a parse error that names both kinds.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;
use ulid::{ULID_LEN, Ulid};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

/// A text that is not the id it should be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseIdError {
    /// A well-known prefix of another kind.
    #[error("expected an id of kind {expected} ({prefix}_…), got one of kind {given} ({given_prefix}_…)")]
    WrongKind {
        /// The kind that was asked for.
        expected: &'static str,
        /// Its prefix.
        prefix: &'static str,
        /// The kind that was given.
        given: &'static str,
        /// Its prefix.
        given_prefix: &'static str,
    },
    /// Anything else.
    #[error("expected an id of kind {expected}: {prefix}_ and 26 lower-case characters")]
    Malformed {
        /// The kind that was asked for.
        expected: &'static str,
        /// Its prefix.
        prefix: &'static str,
    },
}

/// One kind of id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// What stands before the underscore.
    pub prefix: &'static str,
    /// What such an id names, in words.
    pub noun: &'static str,
}

/// A ULID whose text has the characters that no person confuses, the same for every kind.
const EXAMPLE: &str = "01jz8q4w7c5v6n3m2k1h0g9f8e";

fn parse(kind: Kind, text: &str) -> Result<Ulid, ParseIdError> {
    let malformed = ParseIdError::Malformed { expected: kind.noun, prefix: kind.prefix };
    let Some((prefix, rest)) = text.split_once('_') else { return Err(malformed) };
    if prefix != kind.prefix {
        return match KINDS.iter().find(|known| known.prefix == prefix) {
            Some(given) => Err(ParseIdError::WrongKind {
                expected: kind.noun,
                prefix: kind.prefix,
                given: given.noun,
                given_prefix: given.prefix,
            }),
            None => Err(malformed),
        };
    }
    match Ulid::from_string(rest) {
        // Only the one canonical text is an id: two spellings of one id would be two texts in a log or a digest.
        Ok(ulid) if lower(ulid).as_deref() == Ok(rest) => Ok(ulid),
        Ok(_) | Err(_) => Err(malformed),
    }
}

/// The canonical text of a ULID here.
fn lower(ulid: Ulid) -> Result<String, fmt::Error> {
    let mut text = String::with_capacity(ULID_LEN);
    fmt::Write::write_fmt(&mut text, format_args!("{ulid}"))?;
    text.make_ascii_lowercase();
    Ok(text)
}

fn schema(kind: Kind) -> RefOr<Schema> {
    let Kind { prefix, noun } = kind;
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(format!("Id of kind {noun}.")))
        .pattern(Some(format!("^{prefix}_[0-7][0-9a-hjkmnp-tv-z]{{25}}$")))
        .examples([format!("{prefix}_{EXAMPLE}")])
        .into()
}

macro_rules! ids {
    ($($name:ident $prefix:literal $noun:literal,)+) => {
        /// Every kind of id, for messages and for telling what a text names.
        pub const KINDS: &[Kind] = &[$($name::KIND),+];

        /// The schema of every kind, by name. Parameters refer to them and do not register them by themselves.
        #[must_use]
        pub fn schemas() -> Vec<(&'static str, RefOr<Schema>)> {
            vec![$((stringify!($name), schema($name::KIND))),+]
        }

        $(
            #[doc = concat!("Id of kind ", $noun, ": `", $prefix, "_…`.")]
            #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, sea_orm::DeriveValueType)]
            #[sea_orm(value_type = "String", column_type = "Text")]
            pub struct $name(Ulid);

            impl $name {
                /// What stands before the underscore, and the name of the id stream.
                pub const PREFIX: &'static str = $prefix;

                /// The kind of these ids.
                pub const KIND: Kind = Kind { prefix: $prefix, noun: $noun };

                /// Gives a drawn ULID its kind.
                #[must_use]
                pub const fn new(ulid: Ulid) -> Self {
                    Self(ulid)
                }

                /// The part behind the prefix.
                #[must_use]
                pub const fn ulid(self) -> Ulid {
                    self.0
                }
            }

            impl fmt::Display for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    write!(f, "{}_{}", $prefix, lower(self.0)?)
                }
            }

            impl fmt::Debug for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    fmt::Display::fmt(self, f)
                }
            }

            impl FromStr for $name {
                type Err = ParseIdError;

                fn from_str(text: &str) -> Result<Self, Self::Err> {
                    parse(Self::KIND, text).map(Self)
                }
            }

            impl Serialize for $name {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    serializer.collect_str(self)
                }
            }

            impl<'de> Deserialize<'de> for $name {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    let text = <Cow<'de, str>>::deserialize(deserializer)?;
                    text.parse().map_err(serde::de::Error::custom)
                }
            }

            impl utoipa::PartialSchema for $name {
                fn schema() -> RefOr<Schema> {
                    schema(Self::KIND)
                }
            }

            impl utoipa::ToSchema for $name {
                fn name() -> Cow<'static, str> {
                    stringify!($name).into()
                }
            }

            impl sea_orm::TryFromU64 for $name {
                // A primary key must say how it would come from a row number; ours never does.
                fn try_from_u64(_: u64) -> Result<Self, sea_orm::DbErr> {
                    Err(sea_orm::DbErr::ConvertFromU64(stringify!($name)))
                }
            }
        )+
    };
}

ids! {
    BrandId "brd" "brand",
    StoreId "sto" "store",
    PrincipalId "prn" "principal",
    ProductId "prd" "product",
    VariantId "var" "variant",
    MediaId "med" "product media",
    LocationId "loc" "location",
    ReservationId "rsv" "reservation",
    PromotionId "prm" "promotion",
    CouponId "cpn" "coupon",
    CartId "crt" "cart",
    CartLineId "crl" "cart line",
    CustomerId "cus" "customer",
    AddressId "adr" "address",
    PaymentMethodId "pm" "payment method",
    GiftCardId "gft" "gift card",
    CreditEntryId "crd" "store credit entry",
    OrderId "ord" "order",
    OrderLineId "orl" "order line",
    OrderEditId "oed" "order edit",
    PaymentId "pay" "payment",
    AttemptId "att" "gateway attempt",
    RefundId "rfd" "refund",
    LedgerTransactionId "ltx" "ledger transaction",
    ShippingZoneId "szn" "shipping zone",
    ShippingMethodId "shm" "shipping method",
    FulfillmentId "ful" "fulfillment",
    ReturnId "ret" "return",
    ExchangeId "exc" "exchange",
    ApprovalId "apr" "approval",
    EventId "evt" "event",
    AuditId "aud" "audit entry",
    ActionId "act" "action",
    ConsentId "con" "consent",
    JobId "job" "job",
    TaxRateId "txr" "tax rate",
    TicketId "tkt" "ticket",
    TicketMessageId "tkm" "ticket message",
    NoteId "nte" "note",
    DisputeId "dsp" "dispute",
    WebhookEndpointId "whe" "webhook endpoint",
    WebhookDeliveryId "whd" "webhook delivery",
    ReviewId "rev" "review",
    StaffId "stf" "staff member",
    RoleId "rol" "role",
    RoleGrantId "rgr" "role grant",
    CategoryId "cat" "category",
    CollectionId "col" "collection",
    PriceListId "prl" "price list",
    TransferId "trf" "inventory transfer",
    AdjustmentId "adj" "inventory adjustment",
    PaymentLinkId "pln" "payment link",
}

#[cfg(test)]
mod tests;

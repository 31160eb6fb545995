//! What is kept as JSON inside a row: small lists and maps that are always read whole.

use std::collections::BTreeMap;

use sea_orm::FromJsonQueryResult;
use serde::{Deserialize, Serialize};
use shop_domain::governance::Capability;
use shop_domain::ids::{OrderLineId, ProductId, StoreId, VariantId};
use shop_domain::money::Currency;

/// A variant's option values, such as `size → M`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct Options(pub BTreeMap<String, String>);

/// The options a product declares, each with its values; empty where its variants say it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct DeclaredOptions(pub BTreeMap<String, Vec<String>>);

/// The stores that sell a product while it is published.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct StoreIds(pub Vec<StoreId>);

/// The products of a hand-picked collection, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct ProductIds(pub Vec<ProductId>);

/// A variant's prices in currencies other than its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct Prices(pub BTreeMap<Currency, Price>);

/// One price of a variant, in minor units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Price {
    pub price_minor: i64,
    pub compare_at_minor: Option<i64>,
}

/// A customer's tags.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct Tags(pub Vec<String>);

/// What a role holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct Capabilities(pub Vec<Capability>);

/// What a webhook endpoint subscribes to, such as `order.placed` or `refund.*`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct Subscriptions(pub Vec<String>);

/// ISO 3166 country codes of a zone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct Countries(pub Vec<String>);

/// Units of order lines, with the money that goes with them where there is any.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct Lines(pub Vec<Line>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    pub line_id: OrderLineId,
    pub quantity: i64,
    #[serde(default)]
    pub amount_minor: i64,
}

/// The units of a return, and what became of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct ReturnLines(pub Vec<ReturnLine>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReturnLine {
    pub line_id: OrderLineId,
    pub quantity: i64,
    pub received: i64,
    /// Units good enough to be paid for.
    pub accepted: i64,
    /// Units that went back on the shelf.
    pub restocked: i64,
    pub refunded: i64,
}

/// The lines of an exchange: this unit out, that variant in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct ExchangeLines(pub Vec<ExchangeLine>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExchangeLine {
    pub line_id: OrderLineId,
    /// What comes back.
    pub old_variant_id: VariantId,
    /// What goes out.
    pub variant_id: VariantId,
    pub quantity: i64,
    /// Of one unit.
    pub old_price_minor: i64,
    /// Of all units of what comes back.
    pub old_discount_minor: i64,
    /// Of all units of what comes back.
    pub old_tax_minor: i64,
    /// Of one unit.
    pub new_price_minor: i64,
}

/// The units of a transfer, and how many of them have arrived.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct TransferLines(pub Vec<TransferLine>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransferLine {
    pub variant_id: VariantId,
    pub quantity: i64,
    pub received: i64,
}

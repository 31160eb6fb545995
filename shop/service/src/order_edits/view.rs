use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{OrderEditId, OrderId, OrderLineId, VariantId};
use shop_domain::money::Currency;
use shop_domain::status::OrderEditStatus;
use shop_domain::totals::LineTotals;
use shop_store::columns::EditLine;
use shop_store::entities::{order_edits, orders, variants};

use super::quote::Quote;

/// One order edit. Amounts are in minor units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = OrderEdit)]
pub struct View {
    pub id: OrderEditId,
    pub order_id: OrderId,
    pub status: OrderEditStatus,
    /// The lines as they would be, those that are taken out included.
    pub lines: Vec<Line>,
    pub currency: Currency,
    pub subtotal_minor: i64,
    /// What is taken off lines and shipping.
    pub discount_minor: i64,
    /// Shipping without its tax, after discount.
    pub shipping_minor: i64,
    pub tax_minor: i64,
    /// What the order would cost.
    #[schema(example = 5311)]
    pub total_minor: i64,
    /// What it costs without the edit.
    #[schema(example = 4597)]
    pub before_minor: i64,
    /// What it costs more; negative when it becomes cheaper. After the commit, more is paid with `create_payment` or
    /// `create_payment_link`, and less goes back with `refund_price_adjustment` and the reason `order_edit`.
    #[schema(example = 714)]
    pub difference_minor: i64,
    /// The order's version, for what comes after the commit.
    pub order_version: i64,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub closed_at: Option<DateTime<Utc>>,
    /// Grows with every change; the ETag.
    pub version: i64,
}

/// One line of an order edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = OrderEditLine)]
pub struct Line {
    /// The order line's id, also of a line that is new.
    pub line_id: OrderLineId,
    pub variant_id: VariantId,
    #[schema(example = "Blue mug")]
    pub title: String,
    pub sku: String,
    pub options: BTreeMap<String, String>,
    /// The line whose position it takes.
    pub replaces_line_id: Option<OrderLineId>,
    /// Units in the order when the edit began; none of a new line.
    pub before_quantity: i64,
    /// Units as staged; none of a line that is taken out.
    pub quantity: i64,
    pub unit_price_minor: i64,
    pub discount_minor: i64,
    pub tax_minor: i64,
    pub total_minor: i64,
}

impl View {
    pub(super) fn new(row: order_edits::Model, order: &orders::Model, quote: &Quote) -> Self {
        let totals = &quote.totals;
        let lines = row.lines.0.iter().zip(&totals.lines);
        let before_minor = match row.status {
            OrderEditStatus::Open => order.total_minor,
            OrderEditStatus::Committed | OrderEditStatus::Discarded => row.before_minor,
        };
        Self {
            id: row.id,
            order_id: row.order_id,
            status: row.status,
            lines: lines.map(|(line, totals)| Line::new(line, totals, &quote.variants)).collect(),
            currency: totals.currency,
            subtotal_minor: totals.subtotal_minor,
            discount_minor: totals.discount_minor,
            shipping_minor: totals.shipping.total_minor - totals.shipping.tax_minor,
            tax_minor: totals.tax_minor,
            total_minor: totals.total_minor,
            before_minor,
            difference_minor: totals.total_minor - before_minor,
            order_version: order.version,
            created_at: row.created_at,
            updated_at: row.updated_at,
            closed_at: row.closed_at,
            version: row.version,
        }
    }
}

impl Line {
    fn new(line: &EditLine, totals: &LineTotals, variants: &[variants::Model]) -> Self {
        let variant = variants.iter().find(|variant| variant.id == line.variant_id);
        Self {
            line_id: line.line_id,
            variant_id: line.variant_id,
            title: variant.map_or_else(String::new, |variant| variant.title.clone()),
            sku: variant.map_or_else(String::new, |variant| variant.sku.clone()),
            options: variant.map(|variant| variant.options.0.clone()).unwrap_or_default(),
            replaces_line_id: line.replaces_line_id,
            before_quantity: line.before,
            quantity: line.quantity,
            unit_price_minor: line.unit_price_minor,
            discount_minor: totals.discount_minor,
            tax_minor: totals.tax_minor,
            total_minor: totals.total_minor,
        }
    }
}

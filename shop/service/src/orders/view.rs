use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::address::Address;
use shop_domain::ids::{
    CouponId, CustomerId, OrderId, OrderLineId, ProductId, ShippingMethodId, StoreId, VariantId,
};
use shop_domain::money::Currency;
use shop_domain::status::{OrderFulfillmentStatus, OrderPaymentStatus, OrderStatus};
use shop_store::entities::{order_lines, orders};

/// One order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Order)]
pub struct View {
    pub id: OrderId,
    /// The number people use.
    #[schema(example = "#1042")]
    pub number: String,
    pub store_id: StoreId,
    pub customer_id: Option<CustomerId>,
    /// Where it stands commercially.
    pub status: OrderStatus,
    /// Where its money stands.
    pub payment_status: OrderPaymentStatus,
    /// Where its goods stand.
    pub fulfillment_status: OrderFulfillmentStatus,
    pub currency: Currency,
    /// Lines before discount, in minor units.
    #[schema(example = 3980)]
    pub subtotal_minor: i64,
    /// What promotions took off, in minor units.
    pub discount_minor: i64,
    /// In minor units.
    pub shipping_minor: i64,
    /// In minor units.
    pub tax_minor: i64,
    /// What the order costs, in minor units.
    #[schema(example = 4470)]
    pub total_minor: i64,
    pub lines: Vec<Line>,
    pub coupon_id: Option<CouponId>,
    pub shipping_address: Address,
    pub shipping_method_id: Option<ShippingMethodId>,
    pub contact_email: String,
    pub contact_phone: Option<String>,
    pub cancel_reason: Option<String>,
    pub placed_at: DateTime<Utc>,
    pub cancelled_at: Option<DateTime<Utc>>,
    pub delivered_at: Option<DateTime<Utc>>,
    pub updated_at: DateTime<Utc>,
    /// Grows with every change; the ETag.
    pub version: i64,
}

/// One line of an order, with its units' whereabouts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = OrderLine)]
pub struct Line {
    pub id: OrderLineId,
    pub variant_id: VariantId,
    pub product_id: ProductId,
    #[schema(example = "Blue mug")]
    pub title: String,
    pub sku: String,
    pub options: BTreeMap<String, String>,
    pub quantity: i64,
    /// In minor units.
    pub unit_price_minor: i64,
    /// In minor units.
    pub discount_minor: i64,
    /// In minor units.
    pub tax_minor: i64,
    /// In minor units.
    pub total_minor: i64,
    pub shipped_quantity: i64,
    pub delivered_quantity: i64,
    pub cancelled_quantity: i64,
    /// Units in a return or exchange that is open or done.
    pub return_quantity: i64,
    pub refunded_quantity: i64,
}

/// An order after a change that may have changed its price.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = RequotedOrder)]
pub struct Requoted {
    pub order: View,
    /// What it cost before, in minor units.
    #[schema(example = 5311)]
    pub before_minor: i64,
    /// What it costs more now, in minor units; negative when it became cheaper. A captured order that became
    /// cheaper is paid back by `refund_price_adjustment` with reason `order_edit`.
    #[schema(example = 952)]
    pub difference_minor: i64,
    /// The order's version; the ETag.
    pub version: i64,
}

impl View {
    pub(crate) fn new(row: orders::Model, lines: Vec<order_lines::Model>) -> Self {
        Self {
            id: row.id,
            number: number(&row),
            store_id: row.store_id,
            customer_id: row.customer_id,
            status: row.status,
            payment_status: row.payment_status,
            fulfillment_status: row.fulfillment_status,
            currency: row.currency,
            subtotal_minor: row.subtotal_minor,
            discount_minor: row.discount_minor,
            shipping_minor: row.shipping_minor,
            tax_minor: row.tax_minor,
            total_minor: row.total_minor,
            lines: lines.into_iter().map(Line::from).collect(),
            coupon_id: row.coupon_id,
            shipping_address: row.shipping_address,
            shipping_method_id: row.shipping_method_id,
            contact_email: row.contact_email,
            contact_phone: row.contact_phone,
            cancel_reason: row.cancel_reason,
            placed_at: row.placed_at,
            cancelled_at: row.cancelled_at,
            delivered_at: row.delivered_at,
            updated_at: row.updated_at,
            version: row.version,
        }
    }
}

/// `#1042`; an imported order keeps the number it had.
pub(crate) fn number(row: &orders::Model) -> String {
    row.external_id.clone().unwrap_or_else(|| format!("#{}", row.number))
}

impl From<order_lines::Model> for Line {
    fn from(row: order_lines::Model) -> Self {
        Self {
            id: row.id,
            variant_id: row.variant_id,
            product_id: row.product_id,
            title: row.title,
            sku: row.sku,
            options: row.options.0,
            quantity: row.quantity,
            unit_price_minor: row.unit_price_minor,
            discount_minor: row.discount_minor,
            tax_minor: row.tax_minor,
            total_minor: row.total_minor,
            shipped_quantity: row.shipped_quantity,
            delivered_quantity: row.delivered_quantity,
            cancelled_quantity: row.cancelled_quantity,
            return_quantity: row.return_quantity,
            refunded_quantity: row.refunded_quantity,
        }
    }
}

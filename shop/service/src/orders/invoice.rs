use chrono::{DateTime, Utc};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use serde::{Deserialize, Serialize};
use shop_domain::address::Address;
use shop_domain::ids::{OrderId, PaymentId};
use shop_domain::money::Currency;
use shop_domain::operations::operation;
use shop_domain::status::{InstrumentKind, RefundStatus};
use shop_store::entities::{refunds, stores};

use super::read::{find, lines_of};
use super::view::number;
use crate::error::{Error, Result};
use crate::{Ctx, payments};

/// The data of an order's invoice. Amounts are in minor units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = OrderInvoice)]
pub struct Invoice {
    /// The invoice's number.
    #[schema(example = "INV-1042")]
    pub number: String,
    pub order_id: OrderId,
    /// The order's number.
    #[schema(example = "#1042")]
    pub order_number: String,
    /// Who sells.
    #[schema(example = "Harbour Hamburg")]
    pub seller: String,
    /// Where the seller is taxed, as ISO 3166-1 alpha-2.
    #[schema(example = "DE")]
    pub seller_country: String,
    pub bill_to: Address,
    pub contact_email: String,
    pub issued_at: DateTime<Utc>,
    pub currency: Currency,
    pub lines: Vec<InvoiceLine>,
    pub subtotal_minor: i64,
    pub discount_minor: i64,
    pub shipping_minor: i64,
    pub tax_minor: i64,
    pub total_minor: i64,
    pub payments: Vec<InvoicePayment>,
    /// What went back so far.
    pub refunded_minor: i64,
    /// What is still to be paid.
    pub due_minor: i64,
}

/// One line of an invoice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct InvoiceLine {
    #[schema(example = "Blue mug")]
    pub title: String,
    pub sku: String,
    pub quantity: i64,
    pub unit_price_minor: i64,
    pub discount_minor: i64,
    pub tax_minor: i64,
    pub total_minor: i64,
}

/// Money that was taken for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct InvoicePayment {
    pub payment_id: PaymentId,
    pub instrument: InstrumentKind,
    pub captured_minor: i64,
}

/// The invoice of an order, as it stands now.
///
/// # Errors
/// When the order is out of sight.
pub async fn invoice(ctx: &Ctx, id: OrderId) -> Result<Invoice> {
    ctx.may(operation("get_order_invoice"))?;
    let conn = ctx.read()?;
    let order = find(ctx, conn, id).await?;
    let store = stores::Entity::find_by_id(order.store_id).one(conn).await?;
    let store = store.ok_or_else(|| Error::internal("an order without a store"))?;
    let refunded = refunds::Entity::find()
        .filter(refunds::Column::OrderId.eq(id))
        .filter(refunds::Column::Status.eq(RefundStatus::Succeeded))
        .order_by_asc(refunds::Column::Id)
        .all(conn)
        .await?;
    let taken: Vec<InvoicePayment> = payments::of_order(conn, id)
        .await?
        .into_iter()
        .filter(|payment| payment.captured_minor > 0)
        .map(|payment| InvoicePayment {
            payment_id: payment.id,
            instrument: payment.instrument,
            captured_minor: payment.captured_minor,
        })
        .collect();
    let captured: i64 = taken.iter().map(|payment| payment.captured_minor).sum();
    let lines = lines_of(conn, id).await?.into_iter().map(|line| InvoiceLine {
        title: line.title,
        sku: line.sku,
        quantity: line.quantity,
        unit_price_minor: line.unit_price_minor,
        discount_minor: line.discount_minor,
        tax_minor: line.tax_minor,
        total_minor: line.total_minor,
    });
    let order_number = number(&order);
    let is_cancelled = order.cancelled_at.is_some();
    Ok(Invoice {
        number: format!("INV-{}", order_number.trim_start_matches('#')),
        order_id: id,
        order_number,
        seller: store.name,
        seller_country: store.country,
        bill_to: order.shipping_address,
        contact_email: order.contact_email,
        issued_at: order.placed_at,
        currency: order.currency,
        lines: lines.collect(),
        subtotal_minor: order.subtotal_minor,
        discount_minor: order.discount_minor,
        shipping_minor: order.shipping_minor,
        tax_minor: order.tax_minor,
        total_minor: order.total_minor,
        payments: taken,
        refunded_minor: refunded.iter().map(|refund| refund.amount_minor).sum(),
        due_minor: if is_cancelled { 0 } else { (order.total_minor - captured).max(0) },
    })
}

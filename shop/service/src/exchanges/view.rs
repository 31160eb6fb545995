use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{
    ApprovalId, ExchangeId, FulfillmentId, GiftCardId, OrderId, OrderLineId, PaymentMethodId, ReturnId,
    VariantId,
};
use shop_domain::money::Currency;
use shop_domain::reasons::ReturnReason;
use shop_domain::status::ExchangeStatus;
use shop_store::columns::ExchangeLine;
use shop_store::entities::exchanges;

/// Goods swapped for other variants of the same product.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Exchange)]
pub struct View {
    pub id: ExchangeId,
    pub order_id: OrderId,
    /// The old goods on their way back; ask `get_return` how far they are.
    pub return_id: Option<ReturnId>,
    /// The parcel with the new goods, once it has left.
    pub fulfillment_id: Option<FulfillmentId>,
    pub status: ExchangeStatus,
    pub reason: ReturnReason,
    pub lines: Vec<Line>,
    /// What the new goods cost more, tax included, in minor units; negative where money goes back. A quote until it
    /// is approved.
    #[schema(example = 238)]
    pub difference_minor: i64,
    /// What is due on the whole order now, in minor units; negative where the shop owes money that no refund claims.
    #[schema(example = 238)]
    pub order_due_minor: i64,
    pub currency: Currency,
    pub settle_method_id: Option<PaymentMethodId>,
    pub settle_gift_card_id: Option<GiftCardId>,
    /// The approval it was asked with.
    pub approval_id: Option<ApprovalId>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// Grows with every change; the ETag.
    pub version: i64,
}

/// Units of one line, and what takes their place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ExchangeLine)]
pub struct Line {
    /// The line of these units; a line of their own from approval on, where only some of its units are swapped.
    pub line_id: OrderLineId,
    /// What comes back.
    pub old_variant_id: VariantId,
    /// What goes out.
    pub variant_id: VariantId,
    pub quantity: i64,
    /// Price of one old unit on this order, in minor units without tax.
    #[schema(example = 2500)]
    pub old_price_minor: i64,
    /// Price of one new unit when the exchange was asked for, in minor units without tax.
    #[schema(example = 2700)]
    pub new_price_minor: i64,
}

impl View {
    pub(super) fn new(row: exchanges::Model, order_due_minor: i64) -> Self {
        Self {
            id: row.id,
            order_id: row.order_id,
            return_id: row.return_id,
            fulfillment_id: row.fulfillment_id,
            status: row.status,
            reason: row.reason,
            lines: row.lines.0.into_iter().map(Line::from).collect(),
            difference_minor: row.difference_minor,
            order_due_minor,
            currency: row.currency,
            settle_method_id: row.settle_method_id,
            settle_gift_card_id: row.settle_gift_card_id,
            approval_id: row.approval_id,
            created_at: row.created_at,
            updated_at: row.updated_at,
            version: row.version,
        }
    }
}

impl From<ExchangeLine> for Line {
    fn from(line: ExchangeLine) -> Self {
        Self {
            line_id: line.line_id,
            old_variant_id: line.old_variant_id,
            variant_id: line.variant_id,
            quantity: line.quantity,
            old_price_minor: line.old_price_minor,
            new_price_minor: line.new_price_minor,
        }
    }
}

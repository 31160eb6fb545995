//! An order's three statuses, derived by the domain after every step, and the facts its rules look at.

use shop_domain::after_sales::OrderFacts;
use shop_domain::fulfillments::FulfillmentPurpose;
use shop_domain::orders::{
    OrderEvent, OrderGoods, OrderMoney, PaymentMoney, order_fulfillment_status, order_payment_status,
};
use shop_domain::status::{
    ExchangeStatus, FulfillmentStatus, OrderFulfillmentStatus, OrderPaymentStatus, OrderStatus, PaymentState,
    RefundStatus, ReturnStatus,
};
use shop_service::after_sales::line_facts;
use shop_store::entities::{fulfillments, order_lines};

use super::History;

impl History<'_> {
    pub(super) fn refresh(&mut self) {
        let order = &mut self.order;
        order.payment_status = order_payment_status(&OrderMoney {
            total_minor: order.total_minor,
            payments: self
                .payments
                .iter()
                .map(|payment| PaymentMoney { state: payment.status, captured_minor: payment.captured_minor })
                .collect(),
            refunded_minor: self
                .refunds
                .iter()
                .filter(|refund| refund.status == RefundStatus::Succeeded)
                .map(|refund| refund.amount_minor)
                .sum(),
            has_unknown_refund: self.refunds.iter().any(|refund| refund.status == RefundStatus::Unknown),
        });
        let sum = |units: fn(&order_lines::Model) -> i64| count(self.lines.iter().map(units).sum());
        order.fulfillment_status = order_fulfillment_status(&OrderGoods {
            units: sum(|line| line.quantity - line.cancelled_quantity),
            shipped: sum(|line| line.shipped_quantity),
            delivered: sum(|line| line.delivered_quantity),
            returned: sum(|line| line.received_quantity),
            has_open_exception: self.lines.iter().any(|line| is_lost(&self.parcels, line)),
        });
        let is_secured =
            matches!(order.payment_status, OrderPaymentStatus::Authorized | OrderPaymentStatus::Paid);
        let is_done = order.payment_status == OrderPaymentStatus::Paid
            && order.fulfillment_status == OrderFulfillmentStatus::Delivered;
        if order.status == OrderStatus::Pending && is_secured {
            order.status = order.status.after(OrderEvent::Confirmed).unwrap_or(order.status);
        } else if order.status == OrderStatus::Confirmed && is_done {
            order.status = order.status.after(OrderEvent::Completed).unwrap_or(order.status);
        }
        if order.fulfillment_status == OrderFulfillmentStatus::Delivered && order.delivered_at.is_none() {
            order.delivered_at = Some(self.at);
        }
        order.updated_at = self.at;
        order.version += 1;
    }

    pub(super) fn facts(&self) -> OrderFacts {
        let claims = |status: RefundStatus| status.claims_its_amount() && status != RefundStatus::Failed;
        let captured: i64 = self.payments.iter().map(|payment| payment.captured_minor).sum();
        let claimed: i64 =
            self.refunds.iter().filter(|row| claims(row.status)).map(|row| row.amount_minor).sum();
        let days = self.order.delivered_at.map_or(0, |at| (self.at - at).num_days());
        OrderFacts {
            is_cancelled: self.order.status == OrderStatus::Cancelled,
            holds_money: self.payments.iter().any(|payment| payment.status == PaymentState::Authorized),
            has_captured: captured > 0,
            has_refundable: captured > claimed,
            was_edited: self.order.is_edited,
            has_after_sales: self
                .returns
                .iter()
                .any(|row| !matches!(row.status, ReturnStatus::Rejected | ReturnStatus::Cancelled))
                || self.exchanges.iter().any(|row| row.status != ExchangeStatus::Cancelled),
            lines: self
                .lines
                .iter()
                .map(|line| line_facts(line, days, is_lost(&self.parcels, line)))
                .collect(),
        }
    }
}

/// Units of a line that a carrier lost, and that were neither refunded nor sent again.
pub(crate) fn is_lost(parcels: &[fulfillments::Model], line: &order_lines::Model) -> bool {
    let units = |wanted: fn(&fulfillments::Model) -> bool| -> i64 {
        let packed = parcels.iter().filter(|parcel| wanted(parcel)).flat_map(|parcel| &parcel.lines.0);
        packed.filter(|packed| packed.line_id == line.id).map(|packed| packed.quantity).sum()
    };
    let lost = units(|parcel| {
        parcel.status == FulfillmentStatus::Exception && parcel.purpose != FulfillmentPurpose::Replacement
    });
    let sent_again = units(|parcel| {
        parcel.purpose == FulfillmentPurpose::Replacement
            && !matches!(parcel.status, FulfillmentStatus::Cancelled | FulfillmentStatus::Exception)
    });
    lost > sent_again + (line.refunded_quantity - line.cancelled_quantity).max(0)
}

fn count(units: i64) -> u32 {
    u32::try_from(units.max(0)).unwrap_or(u32::MAX)
}

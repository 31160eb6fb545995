use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder};
use shop_domain::after_sales::{RulesMode, Trust};
use shop_domain::ids::{OrderLineId, PaymentId};
use shop_domain::money::scale;
use shop_domain::payments::Tender;
use shop_domain::refunds::may_refund;
use shop_domain::status::RefundKind;
use shop_domain::totals::{LineTotals, PaidLine, PaidOrder, Refundable, refundable, refundable_units};
use shop_store::entities::{
    fulfillments as parcel_rows, order_lines, orders as order_rows, payments as payment_rows, refunds,
};

use crate::error::{Error, Result};
use crate::units::{LineUnits, pick};
use crate::{Ctx, disputes, fulfillments, orders, payments};

/// An order's money and goods as its refunds see them, read in one transaction.
pub(super) struct Books {
    pub(super) order: order_rows::Model,
    pub(super) lines: Vec<order_lines::Model>,
    /// In the order in which money goes back: through the gateway first, then our own promises.
    pub(super) payments: Vec<payment_rows::Model>,
    /// Those that claim their amount; a failed one does too, until it is cancelled.
    pub(super) refunds: Vec<refunds::Model>,
    /// What banks took back of which payment and did not give back.
    taken_back: Vec<(PaymentId, i64)>,
    parcels: Vec<parcel_rows::Model>,
    rules: RulesMode,
}

impl Books {
    pub(super) async fn load(
        conn: &impl ConnectionTrait,
        ctx: &Ctx,
        order: order_rows::Model,
    ) -> Result<Self> {
        let lines = orders::lines_of(conn, order.id).await?;
        let mut payments = payments::of_order(conn, order.id).await?;
        payments.sort_by_key(|payment| (Tender::from(payment.instrument) != Tender::Gateway, payment.id));
        let refunds = refunds::Entity::find()
            .filter(refunds::Column::OrderId.eq(order.id))
            .order_by_asc(refunds::Column::Id)
            .all(conn)
            .await?;
        let refunds = refunds.into_iter().filter(|refund| refund.status.claims_its_amount()).collect();
        let parcels = fulfillments::of_order(conn, order.id).await?;
        let taken_back = disputes::taken_back(conn, order.id).await?;
        Ok(Self { order, lines, payments, refunds, taken_back, parcels, rules: ctx.shop.settings.rules })
    }

    pub(super) fn captured_minor(&self) -> i64 {
        self.payments.iter().map(|payment| payment.captured_minor).sum()
    }

    fn claimed_minor(&self) -> i64 {
        self.refunds.iter().map(|refund| refund.amount_minor).sum()
    }

    fn taken_back_minor(&self) -> i64 {
        self.taken_back.iter().map(|(_, minor)| minor).sum()
    }

    /// Captured money that no refund claims and no bank took back.
    pub(super) fn left_minor(&self) -> i64 {
        (self.captured_minor() - self.claimed_minor() - self.taken_back_minor()).max(0)
    }

    /// The same, of one payment.
    pub(super) fn left_of(&self, payment: &payment_rows::Model) -> i64 {
        let of_it = self.refunds.iter().filter(|refund| refund.payment_id == Some(payment.id));
        let claimed: i64 = of_it.map(|refund| refund.amount_minor).sum();
        let disputed = self.taken_back.iter().filter(|(disputed, _)| *disputed == payment.id);
        let disputed: i64 = disputed.map(|(_, minor)| minor).sum();
        (payment.captured_minor - claimed - disputed).max(0)
    }

    /// The shipping that was paid and no refund claims, tax included.
    pub(super) fn shipping_left_minor(&self) -> i64 {
        let order = &self.order;
        (order.shipping_minor + order.shipping_tax_minor - order.shipping_refunded_minor)
            .clamp(0, self.left_minor())
    }

    /// # Errors
    /// When more would go back than was taken.
    pub(super) fn must_allow(&self, amount_minor: i64) -> Result<()> {
        if amount_minor > self.left_minor() && self.taken_back_minor() > 0 {
            let detail = format!(
                "banks took {} minor units of this order back in disputes; that money is not here to be refunded",
                self.taken_back_minor()
            );
            return Err(Error::not_eligible("payment_disputed", detail));
        }
        may_refund(self.captured_minor(), self.claimed_minor(), amount_minor)
            .map_err(|why| Error::not_eligible("refund_exceeds_captured", why.to_string()))
    }

    pub(super) fn refundable(&self) -> Result<Refundable> {
        let order = &self.order;
        let lines = self.lines.iter().map(paid_line).collect::<Result<_>>()?;
        Ok(refundable(&PaidOrder {
            lines,
            shipping: LineTotals {
                subtotal_minor: order.shipping_minor,
                discount_minor: 0,
                tax_minor: order.shipping_tax_minor,
                total_minor: order.shipping_minor + order.shipping_tax_minor,
            },
            shipping_refunded_minor: order.shipping_refunded_minor,
            captured_minor: self.captured_minor() - self.taken_back_minor(),
            refunded_minor: self.claimed_minor(),
        })?)
    }

    pub(super) fn line(&self, id: OrderLineId) -> Result<&order_lines::Model> {
        let line = self.lines.iter().find(|line| line.id == id);
        line.ok_or_else(|| Error::internal("a line of another order"))
    }

    /// Units of a line that refunds of one kind claim.
    fn claimed_units(&self, kind: RefundKind, line: OrderLineId) -> i64 {
        let lines =
            self.refunds.iter().filter(|refund| refund.kind == kind).flat_map(|refund| &refund.lines.0);
        lines.filter(|claimed| claimed.line_id == line).map(|claimed| claimed.quantity).sum()
    }

    /// Units that never left and are not refunded, cancelled ones included.
    pub(super) fn unshipped_units(&self, line: &order_lines::Model) -> i64 {
        let never_left = line.quantity - line.shipped_quantity;
        self.at_most_unrefunded(line, never_left - self.claimed_units(RefundKind::Unshipped, line.id))
    }

    /// Units with the carrier or the customer that are neither refunded, replaced nor in a return.
    pub(super) fn kept_units(&self, line: &order_lines::Model) -> i64 {
        let replaced = fulfillments::replaced_units(&self.parcels, line.id);
        let gone = line.shipped_quantity - line.return_quantity.max(line.received_quantity);
        self.at_most_unrefunded(line, gone - replaced - self.claimed_units(RefundKind::NoReturn, line.id))
    }

    /// Units that are back and not paid for.
    pub(super) fn received_units(&self, line: &order_lines::Model) -> i64 {
        self.at_most_unrefunded(
            line,
            line.received_quantity - self.claimed_units(RefundKind::Returned, line.id),
        )
    }

    /// Where goods are is a rule of the legality table, which the legacy shop leaves to its caller; how many units
    /// there are is not.
    fn at_most_unrefunded(&self, line: &order_lines::Model, units: i64) -> i64 {
        let unrefunded = line.quantity - line.refunded_quantity;
        if self.rules.trusts_caller_on(Trust::Legality) {
            return unrefunded.max(0);
        }
        units.clamp(0, unrefunded.max(0))
    }

    /// The units that were asked for, or all that are eligible.
    ///
    /// # Errors
    /// When a line is not of this order, comes twice, or has fewer eligible units; or when there are none at all.
    pub(super) fn choose(
        &self,
        asked: Option<&[LineUnits]>,
        eligible: impl Fn(&order_lines::Model) -> i64,
    ) -> Result<Vec<(OrderLineId, i64)>> {
        let picked = pick(&self.lines, asked, eligible, "to be refunded this way")?;
        Ok(picked.into_iter().map(|(line, units)| (line.id, units)).collect())
    }

    /// What units of a line are worth, tax included.
    pub(super) fn worth(&self, id: OrderLineId, units: i64) -> Result<i64> {
        let units = u32::try_from(units).map_err(|_| Error::internal("units below zero"))?;
        Ok(refundable_units(&paid_line(self.line(id)?)?, units)?)
    }
}

/// The tax within the next part of a line. Cumulative, so that all parts together have exactly all the tax.
pub(super) fn tax_within(line: &order_lines::Model, from_minor: i64, minor: i64) -> Result<i64> {
    tax_of_part(line.tax_minor, line.total_minor, from_minor, minor)
}

pub(super) fn tax_of_part(tax_minor: i64, total_minor: i64, from_minor: i64, minor: i64) -> Result<i64> {
    if total_minor <= 0 {
        return Ok(0);
    }
    let upto = |minor: i64| scale(minor.min(total_minor), tax_minor, total_minor);
    Ok(upto(from_minor + minor)? - upto(from_minor)?)
}

fn paid_line(line: &order_lines::Model) -> Result<PaidLine> {
    let units = |n: i64| u32::try_from(n).map_err(|_| Error::internal("a line with negative units"));
    Ok(PaidLine {
        totals: LineTotals {
            subtotal_minor: line.total_minor - line.tax_minor + line.discount_minor,
            discount_minor: line.discount_minor,
            tax_minor: line.tax_minor,
            total_minor: line.total_minor,
        },
        quantity: units(line.quantity)?,
        refunded_quantity: units(line.refunded_quantity)?,
        refunded_minor: line.refunded_minor,
    })
}

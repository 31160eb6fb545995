//! How much of an order may still go back: per line, for shipping, and in all.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::LineTotals;
use crate::money::{MoneyError, scale};

/// An order as its refunds see it. Refunds count whatever their outcome, unless they are cancelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaidOrder {
    /// Its lines.
    pub lines: Vec<PaidLine>,
    /// Its shipping.
    pub shipping: LineTotals,
    /// What refunds of shipping claim already.
    pub shipping_refunded_minor: i64,
    /// What was captured in all.
    pub captured_minor: i64,
    /// What all refunds claim already, those of no line included.
    pub refunded_minor: i64,
}

/// One line of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaidLine {
    /// What the line came to.
    pub totals: LineTotals,
    /// Units ordered.
    pub quantity: u32,
    /// Units that refunds claim already.
    pub refunded_quantity: u32,
    /// What refunds of this line claim already, price adjustments included.
    pub refunded_minor: i64,
}

/// What may still go back of one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LineRefundable {
    /// Units.
    pub quantity: u32,
    /// Amount in minor units, tax included.
    pub max_minor: i64,
    /// The tax within it, in minor units.
    pub tax_minor: i64,
}

/// What may still go back of an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Refundable {
    /// Per line, in the order of the lines.
    pub lines: Vec<LineRefundable>,
    /// Shipping, in minor units, tax included.
    pub shipping_minor: i64,
    /// In all, in minor units: never more than was captured and is not refunded.
    pub total_minor: i64,
}

/// What may still go back of an order.
pub fn refundable(order: &PaidOrder) -> Result<Refundable, MoneyError> {
    let left = order.captured_minor.saturating_sub(order.refunded_minor).max(0);
    let mut lines = Vec::with_capacity(order.lines.len());
    let mut sum = 0_i64;
    for line in &order.lines {
        let max_minor = line.totals.total_minor.saturating_sub(line.refunded_minor).clamp(0, left);
        let tax_minor = tax_within(&line.totals, max_minor)?;
        let quantity = line.quantity.saturating_sub(line.refunded_quantity);
        sum = sum.checked_add(max_minor).ok_or(MoneyError::Overflow)?;
        lines.push(LineRefundable { quantity, max_minor, tax_minor });
    }
    let shipping_left = order.shipping.total_minor.saturating_sub(order.shipping_refunded_minor);
    let shipping_minor = shipping_left.clamp(0, left);
    let total_minor = sum.checked_add(shipping_minor).ok_or(MoneyError::Overflow)?.min(left);
    Ok(Refundable { lines, shipping_minor, total_minor })
}

/// What the next units of a line are worth. Cumulative, so that refunding unit by unit gives exactly the whole, and
/// never more than earlier adjustments left.
pub fn refundable_units(line: &PaidLine, units: u32) -> Result<i64, MoneyError> {
    let upto = |units: u32| match line.quantity {
        0 => Ok(0),
        quantity => scale(line.totals.total_minor, i64::from(units.min(quantity)), i64::from(quantity)),
    };
    let after = line.refunded_quantity.saturating_add(units);
    let worth = upto(after)?.saturating_sub(upto(line.refunded_quantity)?);
    let left = line.totals.total_minor.saturating_sub(line.refunded_minor).max(0);
    Ok(worth.min(left))
}

/// The tax within a part of a line's total.
fn tax_within(totals: &LineTotals, part_minor: i64) -> Result<i64, MoneyError> {
    if totals.total_minor == 0 {
        return Ok(0);
    }
    scale(part_minor, totals.tax_minor, totals.total_minor)
}

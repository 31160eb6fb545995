//! What things cost: one pure function for cart, quote, order and edit, and what of it may go back.
//!
//! Order of computation: subtotals → discounts, shared among their lines by largest remainder → shipping → tax per
//! line on what is left. So the parts of every line sum to its total, and the lines and shipping to the whole.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::limits;
use crate::money::{Bps, Currency, MoneyError, split};
use crate::words::words;

mod refundable;

pub use refundable::{LineRefundable, PaidLine, PaidOrder, Refundable, refundable, refundable_units};

words! {
    /// Whether prices contain their tax.
    pub enum TaxMode {
        /// Tax is added to prices.
        Exclusive = "exclusive",
        /// Prices contain tax.
        Inclusive = "inclusive",
    }
}

/// Everything that decides what a cart or an order costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Basket {
    /// Currency of all amounts.
    pub currency: Currency,
    /// Whether prices contain their tax.
    pub tax_mode: TaxMode,
    /// What is bought.
    pub lines: Vec<BasketLine>,
    /// Discounts, applied one after the other to what the earlier ones left.
    pub discounts: Vec<Discount>,
    /// How it is shipped; `None` while that is open.
    pub shipping: Option<Shipping>,
}

/// One line of a basket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BasketLine {
    /// Price of one unit, in minor units.
    pub unit_price_minor: i64,
    /// Units.
    pub quantity: u32,
    /// Tax rate of this line; 0 for an exempt customer.
    pub tax: Bps,
}

/// The price of shipping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shipping {
    /// Price, in minor units.
    pub price_minor: i64,
    /// Tax rate on it.
    pub tax: Bps,
}

/// One discount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discount {
    /// What it gives.
    pub kind: DiscountKind,
    /// Positions of the lines it is for; `None` for all.
    pub lines: Option<Vec<usize>>,
    /// Subtotal of these lines, before any discount, from which it applies.
    pub min_subtotal_minor: i64,
}

/// What a discount gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum DiscountKind {
    /// A rate off its lines.
    Percentage {
        /// Rate in ten thousandths: 1000 is 10 %.
        rate_bps: Bps,
    },
    /// An amount off its lines together.
    Fixed {
        /// Amount in minor units.
        amount_minor: i64,
    },
    /// No price for shipping.
    FreeShipping,
    /// Of every `buy + get` units of one line, `get` are free.
    BuyXGetY {
        /// Units to pay for.
        buy: u32,
        /// Units that come with them.
        get: u32,
    },
}

/// What one line comes to. Amounts are in minor units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LineTotals {
    /// Unit price times quantity.
    pub subtotal_minor: i64,
    /// This line's share of all discounts.
    pub discount_minor: i64,
    /// Tax on the rest: added to it, or contained in it where prices are inclusive.
    pub tax_minor: i64,
    /// What the customer pays for the line, tax included.
    pub total_minor: i64,
}

/// What a basket comes to. Amounts are in minor units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Totals {
    /// Currency of all amounts.
    pub currency: Currency,
    /// Per line, in the order of the lines.
    pub lines: Vec<LineTotals>,
    /// Shipping, as a line of its own.
    pub shipping: LineTotals,
    /// Sum of the lines' subtotals.
    pub subtotal_minor: i64,
    /// What each discount took off, in the order of the discounts.
    pub discounts_minor: Vec<i64>,
    /// Sum of all discounts, shipping included.
    pub discount_minor: i64,
    /// Sum of all tax, shipping included.
    pub tax_minor: i64,
    /// What the customer pays.
    pub total_minor: i64,
}

/// What a basket costs.
pub fn totals(basket: &Basket) -> Result<Totals, MoneyError> {
    let subtotals: Vec<i64> = basket.lines.iter().map(subtotal).collect::<Result<_, _>>()?;
    let mut discounts = vec![0_i64; subtotals.len()];
    let mut discounts_minor = Vec::with_capacity(basket.discounts.len());
    let mut shipping_left = basket.shipping.map_or(0, |shipping| shipping.price_minor);
    for discount in &basket.discounts {
        let taken = match discount.kind {
            _ if !applies(discount, &subtotals)? => 0,
            DiscountKind::FreeShipping => std::mem::take(&mut shipping_left),
            DiscountKind::Percentage { .. } | DiscountKind::Fixed { .. } | DiscountKind::BuyXGetY { .. } => {
                let shares = shares(discount, basket, &subtotals, &discounts)?;
                for (sum, share) in discounts.iter_mut().zip(&shares) {
                    *sum = checked_sum([*sum, *share])?;
                }
                checked_sum(shares)?
            }
        };
        discounts_minor.push(taken);
    }
    let mut lines = Vec::with_capacity(subtotals.len());
    for ((line, &subtotal), &discount) in basket.lines.iter().zip(&subtotals).zip(&discounts) {
        lines.push(taxed(subtotal, discount, line.tax, basket.tax_mode)?);
    }
    let shipping = match basket.shipping {
        None => LineTotals::default(),
        Some(Shipping { price_minor, .. }) if price_minor < 0 => return Err(MoneyError::Negative),
        Some(Shipping { price_minor, tax }) => {
            taxed(price_minor, price_minor - shipping_left, tax, basket.tax_mode)?
        }
    };
    let over = |part: fn(&LineTotals) -> i64| checked_sum(lines.iter().chain([&shipping]).map(part));
    Ok(Totals {
        currency: basket.currency,
        subtotal_minor: checked_sum(subtotals)?,
        discounts_minor,
        discount_minor: over(|line| line.discount_minor)?,
        tax_minor: over(|line| line.tax_minor)?,
        total_minor: over(|line| line.total_minor)?,
        lines,
        shipping,
    })
}

/// Whether a discount's lines reach its minimum; one that is for no line at all never applies.
fn applies(discount: &Discount, subtotals: &[i64]) -> Result<bool, MoneyError> {
    let is_for = |position: &usize| is_for(discount, *position);
    let reached: Vec<i64> =
        subtotals.iter().enumerate().filter(|(at, _)| is_for(at)).map(|(_, minor)| *minor).collect();
    Ok(!reached.is_empty() && checked_sum(reached)? >= discount.min_subtotal_minor)
}

fn is_for(discount: &Discount, position: usize) -> bool {
    discount.lines.as_ref().is_none_or(|lines| lines.contains(&position))
}

/// What a discount takes off each line: never more than earlier discounts left of it.
fn shares(
    discount: &Discount,
    basket: &Basket,
    subtotals: &[i64],
    taken: &[i64],
) -> Result<Vec<i64>, MoneyError> {
    let left: Vec<i64> = subtotals
        .iter()
        .zip(taken)
        .enumerate()
        .map(|(at, (subtotal, taken))| if is_for(discount, at) { subtotal - taken } else { 0 })
        .collect();
    let all_left = checked_sum(left.iter().copied())?;
    match discount.kind {
        DiscountKind::Percentage { rate_bps } if rate_bps < Bps(0) => Err(MoneyError::Negative),
        DiscountKind::Percentage { rate_bps } => split(rate_bps.min(Bps::WHOLE).of(all_left)?, &left),
        DiscountKind::Fixed { amount_minor } if amount_minor < 0 => Err(MoneyError::Negative),
        DiscountKind::Fixed { amount_minor } => split(amount_minor.min(all_left), &left),
        DiscountKind::FreeShipping => Ok(vec![0; left.len()]),
        DiscountKind::BuyXGetY { buy, get } => {
            let free = |line: &BasketLine| match line.quantity.checked_div(buy.saturating_add(get)) {
                Some(sets) => line.unit_price_minor.checked_mul(i64::from(sets) * i64::from(get)),
                None => Some(0),
            };
            let lines = basket.lines.iter().zip(&left);
            lines.map(|(line, left)| Ok(free(line).ok_or(MoneyError::Overflow)?.min(*left))).collect()
        }
    }
}

fn subtotal(line: &BasketLine) -> Result<i64, MoneyError> {
    if line.unit_price_minor < 0 || line.tax < Bps(0) {
        return Err(MoneyError::Negative);
    }
    if line.unit_price_minor > limits::UNIT_PRICE_MINOR_MAX {
        return Err(MoneyError::Overflow);
    }
    line.unit_price_minor.checked_mul(i64::from(line.quantity)).ok_or(MoneyError::Overflow)
}

fn taxed(
    subtotal_minor: i64,
    discount_minor: i64,
    tax: Bps,
    mode: TaxMode,
) -> Result<LineTotals, MoneyError> {
    let price = subtotal_minor.checked_sub(discount_minor).ok_or(MoneyError::Overflow)?;
    let (tax_minor, total_minor) = match mode {
        TaxMode::Exclusive => {
            let tax_minor = tax.of(price)?;
            (tax_minor, checked_sum([price, tax_minor])?)
        }
        TaxMode::Inclusive => (tax.contained_in(price)?, price),
    };
    Ok(LineTotals { subtotal_minor, discount_minor, tax_minor, total_minor })
}

/// The sum, or an error where it does not fit.
fn checked_sum(amounts: impl IntoIterator<Item = i64>) -> Result<i64, MoneyError> {
    amounts.into_iter().try_fold(0_i64, |sum, minor| sum.checked_add(minor)).ok_or(MoneyError::Overflow)
}

#[cfg(test)]
mod tests;

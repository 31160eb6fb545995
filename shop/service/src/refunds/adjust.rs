use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use shop_domain::after_sales::AfterSalesOperation;
use shop_domain::ids::{OrderId, OrderLineId, PaymentId};
use shop_domain::money::{scale, split};
use shop_domain::operations::operation;
use shop_domain::reasons::RefundReason;
use shop_domain::status::RefundKind;
use shop_store::entities::{promotions as promotion_rows, shipping_methods, variants};

use super::books::Books;
use super::decide::decide;
use super::input::{PriceAdjustment, one_of};
use super::plan::{Part, Plan, where_to};
use super::send::{Begin, begin, finish};
use super::view::Batch;
use crate::after_sales::{self, Ask};
use crate::error::{Error, Result};
use crate::{Ctx, LineUnits, Reply, orders, prices, pricing, promotions};

const REASONS: [RefundReason; 4] = [
    RefundReason::PriceDrop,
    RefundReason::MissedCoupon,
    RefundReason::OrderEdit,
    RefundReason::PaymentReplaced,
];

const WINDOW_CLOSED: &str = "price_match_window_closed";

/// The true gap: how much there is to give back, and of what.
struct Gap {
    of: Vec<(Of, i64)>,
    /// It is in the books as owed to the customer already.
    is_overpaid: bool,
    payment_id: Option<PaymentId>,
}

#[derive(Clone, Copy)]
enum Of {
    Line(OrderLineId),
    Shipping,
    Order,
}

impl Gap {
    fn minor(&self) -> i64 {
        self.of.iter().map(|(_, minor)| minor).sum()
    }

    /// An amount within the gap, in proportion to what it consists of.
    fn parts(&self, amount_minor: i64) -> Result<Vec<Part>> {
        let weights: Vec<i64> = self.of.iter().map(|(_, minor)| *minor).collect();
        let shares = split(amount_minor, &weights)?;
        let part = |(of, minor): (Of, i64)| match of {
            Of::Line(line_id) => Part::Line { line_id, quantity: 0, minor },
            Of::Shipping => Part::Shipping { minor },
            Of::Order => Part::Overpaid { minor },
        };
        let parts = self.of.iter().map(|(of, _)| *of).zip(shares).map(part);
        Ok(parts.filter(|part| part.minor() > 0).collect())
    }
}

/// Gives back what was paid beyond what the order should have cost, or costs now. The goods stay where they are.
///
/// # Errors
/// When there is no such gap, or it is smaller than what was asked for; the message names it.
pub async fn price_adjustment(ctx: &Ctx, order_id: OrderId, input: PriceAdjustment) -> Result<Reply<Batch>> {
    let operation = operation("refund_price_adjustment");
    let tx = match begin(ctx, operation).await? {
        Begin::Decide(tx) => tx,
        Begin::Done(reply) => return Ok(reply),
    };
    let order = orders::find(ctx, &*tx, order_id).await?;
    ctx.must_match(order.version)?;
    one_of(input.reason, &REASONS)?;
    if input.amount_minor.is_some_and(|minor| minor < 1) {
        return Err(Error::invalid("/amount_minor", "an amount is at least 1 minor unit"));
    }
    let books = Books::load(&*tx, ctx, order).await?;
    let line = match input.line_id {
        Some(line_id) => Some(books.choose(Some(&[LineUnits { line_id, quantity: 1 }]), |_| 1)?),
        None => None,
    };
    let gap = gap(&*tx, ctx, &books, &input).await;
    let amount_minor = match (input.amount_minor, &gap) {
        (Some(minor), _) => minor,
        (None, Ok(gap)) => gap.minor().min(books.left_minor()),
        // The rule that says no is the better answer; where none does, the gap's own error follows.
        (None, Err(_)) => 0,
    };
    let ask = || Ask {
        lines: line.as_deref(),
        outflow_minor: amount_minor,
        subject: order_id.to_string(),
        approval_id: input.approval_id,
        input: &input,
    };
    let op = AfterSalesOperation::RefundPriceAdjustment;
    let is_owed = gap.as_ref().is_ok_and(|gap| gap.is_overpaid && gap.minor() > 0);
    let approval_id = match after_sales::permit(&*tx, ctx, op, &books.order, ask()).await {
        // The window is for prices that fell: what an edit or an exchange left with the shop is owed for ever.
        Err(no) if is_owed && no.rule.as_deref() == Some(WINDOW_CLOSED) => {
            Box::pin(after_sales::sign_off(&*tx, ctx, operation, &books.order, ask())).await?
        }
        permit => permit?.approval_id,
    };
    let gap = gap?;
    must_be_within(&gap, &books, input.reason, amount_minor)?;
    let plan = Plan {
        kind: RefundKind::PriceAdjustment,
        reason: input.reason.to_string(),
        to: where_to(&*tx, &books, input.destination, input.gift_card_id).await?,
        parts: gap.parts(amount_minor)?,
        is_overpaid: gap.is_overpaid,
        payment_id: gap.payment_id,
        return_id: None,
        approval_id,
    };
    let batch_id = decide(&*tx, ctx, operation, &books, &plan).await?;
    finish(tx, ctx, order_id, batch_id).await
}

fn must_be_within(gap: &Gap, books: &Books, reason: RefundReason, amount_minor: i64) -> Result<()> {
    let most = gap.minor().min(books.left_minor());
    if most <= 0 {
        let detail = match reason {
            RefundReason::PriceDrop => "nothing of it costs less now than was paid and is not paid back",
            RefundReason::MissedCoupon => "the coupon would not have made this order cheaper",
            RefundReason::OrderEdit => "not more was paid than the order costs",
            RefundReason::PaymentReplaced => "no payment of this order was replaced by another captured one",
            RefundReason::Cancelled
            | RefundReason::Lost
            | RefundReason::Damaged
            | RefundReason::Goodwill
            | RefundReason::SlowerShipping => "there is no gap",
        };
        return Err(Error::not_eligible("no_price_gap", detail));
    }
    if amount_minor > most {
        let message = format!("the gap is {most} minor units; ask for at most that");
        return Err(Error::invalid("/amount_minor", message));
    }
    Ok(())
}

async fn gap(tx: &impl ConnectionTrait, ctx: &Ctx, books: &Books, input: &PriceAdjustment) -> Result<Gap> {
    match input.reason {
        RefundReason::PriceDrop => price_drop(tx, ctx, books, input.line_id).await,
        RefundReason::MissedCoupon => missed_coupon(tx, ctx, books, input).await,
        RefundReason::OrderEdit => {
            let of = vec![(Of::Order, overpaid(books))];
            Ok(Gap { of, is_overpaid: true, payment_id: None })
        }
        RefundReason::PaymentReplaced => payment_replaced(books, input.payment_id),
        RefundReason::Cancelled
        | RefundReason::Lost
        | RefundReason::Damaged
        | RefundReason::Goodwill
        | RefundReason::SlowerShipping => Ok(Gap { of: Vec::new(), is_overpaid: false, payment_id: None }),
    }
}

/// What was paid for each line beyond its price now, with the discount and tax that were paid on it.
async fn price_drop(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    books: &Books,
    only: Option<OrderLineId>,
) -> Result<Gap> {
    let ids = books.lines.iter().map(|line| line.variant_id);
    let bought = variants::Entity::find().filter(variants::Column::Id.is_in(ids)).all(tx).await?;
    let seller = (books.order.store_id, books.order.currency);
    let now = prices::unit_prices(ctx, tx, seller, books.order.customer_id, &bought).await?;
    let mut of = Vec::new();
    for line in books.lines.iter().filter(|line| only.is_none_or(|only| only == line.id)) {
        let Some(price) = now.get(&line.variant_id) else { continue };
        let drop = (line.unit_price_minor - price).max(0);
        let units = line.quantity - line.refunded_quantity;
        let paid = line.unit_price_minor * line.quantity;
        if drop == 0 || units <= 0 || paid <= 0 {
            continue;
        }
        let gap = scale(line.total_minor, drop * units, paid)? - given_back(books, line.id);
        let gap = gap.clamp(0, (line.total_minor - line.refunded_minor).max(0));
        of.push((Of::Line(line.id), gap));
    }
    Ok(Gap { of, is_overpaid: false, payment_id: None })
}

/// What earlier adjustments gave back of a line for a price drop.
fn given_back(books: &Books, line: OrderLineId) -> i64 {
    let is_drop = |reason: &str| reason == RefundReason::PriceDrop.as_str();
    let earlier = books
        .refunds
        .iter()
        .filter(|refund| refund.kind == RefundKind::PriceAdjustment && is_drop(&refund.reason));
    let lines = earlier.flat_map(|refund| &refund.lines.0).filter(|claimed| claimed.line_id == line);
    lines.map(|claimed| claimed.amount_minor).sum()
}

/// What the order would have cost less with the coupon. The coupon is used up.
async fn missed_coupon(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    books: &Books,
    input: &PriceAdjustment,
) -> Result<Gap> {
    let Some(code) = &input.coupon_code else {
        return Err(Error::invalid("/coupon_code", "name the coupon that was missed"));
    };
    let order = &books.order;
    let is_missed = |refund: &&shop_store::entities::refunds::Model| {
        refund.kind == RefundKind::PriceAdjustment && refund.reason == RefundReason::MissedCoupon.as_str()
    };
    if order.coupon_id.is_some() || books.refunds.iter().any(|refund| is_missed(&refund)) {
        return Err(Error::not_eligible("coupon_used", "this order used a coupon; coupons do not add up"));
    }
    let (coupon, promotion) = pricing::find_coupon(tx, code).await?;
    pricing::usable(ctx, &coupon, &promotion, order.customer_id).map_err(|why| {
        let detail = format!("coupon {code} {why}");
        Error::new(shop_domain::code::ErrorCode::CouponInvalid, detail)
    })?;
    let method = method_of(tx, books).await?;
    let without = totals(tx, books, method.as_ref(), None).await?;
    let with = totals(tx, books, method.as_ref(), Some(&promotion)).await?;
    pricing::take_use(tx, coupon.id).await?;
    let mut of = Vec::new();
    for ((line, before), after) in books.lines.iter().zip(&without.lines).zip(&with.lines) {
        let left = (line.total_minor - line.refunded_minor).max(0);
        of.push((Of::Line(line.id), (before.total_minor - after.total_minor).clamp(0, left)));
    }
    let shipping = without.shipping.total_minor - with.shipping.total_minor;
    of.push((Of::Shipping, shipping.clamp(0, books.shipping_left_minor())));
    let gives = with.discounts_minor.last().copied().unwrap_or(0);
    promotions::count(tx, promotion.id, gives).await?;
    Ok(Gap { of, is_overpaid: false, payment_id: None })
}

async fn totals(
    tx: &impl ConnectionTrait,
    books: &Books,
    method: Option<&shipping_methods::Model>,
    extra: Option<&promotion_rows::Model>,
) -> Result<shop_domain::totals::Totals> {
    let change = pricing::Change { address: &books.order.shipping_address, method, extra };
    pricing::reprice(tx, &books.order, &books.lines, change).await
}

async fn method_of(tx: &impl ConnectionTrait, books: &Books) -> Result<Option<shipping_methods::Model>> {
    match books.order.shipping_method_id {
        Some(id) => Ok(shipping_methods::Entity::find_by_id(id).one(tx).await?),
        None => Ok(None),
    }
}

/// What was taken beyond what the order costs now and has not gone back for that reason.
fn overpaid(books: &Books) -> i64 {
    let reasons = [RefundReason::OrderEdit, RefundReason::PaymentReplaced].map(RefundReason::as_str);
    let back: i64 = books
        .refunds
        .iter()
        .filter(|refund| refund.kind == RefundKind::PriceAdjustment)
        .filter(|refund| reasons.contains(&refund.reason.as_str()))
        .map(|refund| refund.amount_minor)
        .sum();
    (books.captured_minor() - books.order.total_minor - back).max(0)
}

/// The old payment, once another captured one has taken its place.
fn payment_replaced(books: &Books, named: Option<PaymentId>) -> Result<Gap> {
    let replaced = books.payments.iter().filter_map(|old| {
        let new = books.payments.iter().find(|new| new.replaces_payment_id == Some(old.id))?;
        (new.captured_minor > 0).then(|| (old, books.left_of(old).min(new.captured_minor)))
    });
    let mut replaced = replaced.filter(|(old, left)| *left > 0 && named.is_none_or(|named| named == old.id));
    let Some((old, left)) = replaced.next() else {
        return Ok(Gap { of: Vec::new(), is_overpaid: true, payment_id: None });
    };
    let of = vec![(Of::Order, left.min(overpaid(books)))];
    Ok(Gap { of, is_overpaid: true, payment_id: Some(old.id) })
}

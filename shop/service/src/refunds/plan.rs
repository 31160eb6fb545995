use sea_orm::{ConnectionTrait, EntityTrait};
use shop_domain::code::ErrorCode;
use shop_domain::ids::{ApprovalId, GiftCardId, OrderLineId, PaymentId, ReturnId};
use shop_domain::ledger::RefundParts;
use shop_domain::status::{GiftCardStatus, RefundDestination, RefundKind};
use shop_store::columns::Line;
use shop_store::entities::{gift_cards, payments};

use super::books::{Books, tax_of_part, tax_within};
use crate::after_sales;
use crate::error::{Error, Result};

/// What is to be given back, and where to.
pub(super) struct Plan {
    pub(super) kind: RefundKind,
    pub(super) reason: String,
    pub(super) to: To,
    pub(super) parts: Vec<Part>,
    /// The order costs that much less already, so the money is owed to the customer and no revenue is taken back.
    pub(super) is_overpaid: bool,
    /// Only from this payment.
    pub(super) payment_id: Option<PaymentId>,
    pub(super) return_id: Option<ReturnId>,
    pub(super) approval_id: Option<ApprovalId>,
}

/// Where the money goes.
#[derive(Clone, Copy)]
pub(super) struct To {
    pub(super) destination: RefundDestination,
    /// The customer's card that was named for `gift_card`.
    pub(super) gift_card_id: Option<GiftCardId>,
}

/// What some money is for.
#[derive(Clone, Copy)]
pub(super) enum Part {
    Line {
        line_id: OrderLineId,
        quantity: i64,
        minor: i64,
    },
    Shipping {
        minor: i64,
    },
    /// Paid beyond what the order costs, for no line in particular.
    Overpaid {
        minor: i64,
    },
}

/// What goes back of one payment.
pub(super) struct Share<'a> {
    pub(super) payment: &'a payments::Model,
    pub(super) lines: Vec<Line>,
    pub(super) shipping_minor: i64,
    pub(super) amount_minor: i64,
    /// Where the books take it from.
    pub(super) from: RefundParts,
}

impl Part {
    pub(super) const fn minor(&self) -> i64 {
        match *self {
            Self::Line { minor, .. } | Self::Shipping { minor } | Self::Overpaid { minor } => minor,
        }
    }

    /// Splits off the first part; units go with it, since they are refunded once.
    const fn cut(self, at_minor: i64) -> (Self, Self) {
        match self {
            Self::Line { line_id, quantity, minor } => (
                Self::Line { line_id, quantity, minor: at_minor },
                Self::Line { line_id, quantity: 0, minor: minor - at_minor },
            ),
            Self::Shipping { minor } => {
                (Self::Shipping { minor: at_minor }, Self::Shipping { minor: minor - at_minor })
            }
            Self::Overpaid { minor } => {
                (Self::Overpaid { minor: at_minor }, Self::Overpaid { minor: minor - at_minor })
            }
        }
    }
}

impl Plan {
    pub(super) fn amount_minor(&self) -> i64 {
        self.parts.iter().map(Part::minor).sum()
    }
}

/// Units as parts of a plan, each with what it is worth; together at most what was captured and is not claimed.
pub(super) fn units(books: &Books, chosen: &[(OrderLineId, i64)]) -> Result<Vec<Part>> {
    let mut left = books.left_minor();
    let mut parts = Vec::with_capacity(chosen.len());
    for (line_id, quantity) in chosen {
        let minor = books.worth(*line_id, *quantity)?.min(left);
        left -= minor;
        parts.push(Part::Line { line_id: *line_id, quantity: *quantity, minor });
    }
    Ok(parts)
}

/// Where the money may go by the policy of the store; back to what paid when the caller does not say.
///
/// # Errors
/// When the store does not offer it, or the gift card is not the customer's.
pub(super) async fn where_to(
    conn: &impl ConnectionTrait,
    books: &Books,
    destination: Option<RefundDestination>,
    gift_card_id: Option<GiftCardId>,
) -> Result<To> {
    let order = &books.order;
    let destination = destination.unwrap_or(RefundDestination::OriginalMethod);
    let policy = after_sales::policy_of(conn, order).await?;
    if !policy.refund_destinations.contains(&destination) {
        let words: Vec<&str> = policy.refund_destinations.iter().map(|offered| offered.as_str()).collect();
        let detail = format!("this store refunds to {}, not to {destination}", words.join(" or "));
        return Err(Error::not_eligible("destination_not_offered", detail));
    }
    if destination == RefundDestination::StoreCredit && order.customer_id.is_none() {
        let detail = "a guest order has no store credit; refund to the original method or a gift card";
        return Err(Error::not_eligible("no_customer", detail));
    }
    let Some(id) = gift_card_id else { return Ok(To { destination, gift_card_id: None }) };
    if destination != RefundDestination::GiftCard {
        return Err(Error::invalid(
            "/gift_card_id",
            "a gift card is only named for the destination gift_card",
        ));
    }
    let card = gift_cards::Entity::find_by_id(id).one(conn).await?;
    let card = card.filter(|card| card.customer_id.is_some() && card.customer_id == order.customer_id);
    let card = card.ok_or_else(|| Error::not_found(format!("gift card {id} of this customer")))?;
    if card.currency != order.currency || card.status == GiftCardStatus::Disabled {
        let detail = format!("gift card {id} is {} in {}; choose another", card.status, card.currency);
        return Err(Error::not_eligible("gift_card_unusable", detail));
    }
    Ok(To { destination, gift_card_id: Some(id) })
}

/// Divides a plan over the payments: each gives back at most what it took and no refund claims.
///
/// # Errors
/// When more would go back than was taken.
pub(super) fn shares<'a>(books: &'a Books, plan: &Plan) -> Result<Vec<Share<'a>>> {
    books.must_allow(plan.amount_minor())?;
    let mut queue: Vec<Part> =
        plan.parts.iter().copied().filter(|part| part.minor() > 0 || is_units(part)).collect();
    queue.reverse();
    let mut taken = Taken::of(books);
    let mut shares = Vec::new();
    for payment in &books.payments {
        if plan.payment_id.is_some_and(|only| only != payment.id) {
            continue;
        }
        let mut room = books.left_of(payment);
        if room == 0 || queue.is_empty() {
            continue;
        }
        let mut share = Share {
            payment,
            lines: Vec::new(),
            shipping_minor: 0,
            amount_minor: 0,
            from: RefundParts::default(),
        };
        while let Some(part) = queue.pop() {
            if room == 0 && part.minor() > 0 {
                queue.push(part);
                break;
            }
            let (now, rest) = part.cut(part.minor().min(room));
            taken.add(&mut share, now, plan.is_overpaid)?;
            room -= now.minor();
            if rest.minor() > 0 {
                queue.push(rest);
                break;
            }
        }
        if share.amount_minor > 0 {
            shares.push(share);
        }
    }
    if queue.iter().any(|part| part.minor() > 0) {
        return Err(Error::new(
            ErrorCode::NotEligible,
            "the payments of this order do not hold that much any more; calculate_refund says what is left",
        )
        .with_rule("refund_exceeds_captured"));
    }
    Ok(shares)
}

const fn is_units(part: &Part) -> bool {
    matches!(part, Part::Line { .. })
}

/// How much of each line and of shipping went back so far, which decides the tax within the next part.
struct Taken<'a> {
    books: &'a Books,
    lines: Vec<(OrderLineId, i64)>,
    shipping_minor: i64,
}

impl<'a> Taken<'a> {
    fn of(books: &'a Books) -> Self {
        Self {
            books,
            lines: books.lines.iter().map(|line| (line.id, line.refunded_minor)).collect(),
            shipping_minor: books.order.shipping_refunded_minor,
        }
    }

    fn add(&mut self, share: &mut Share<'_>, part: Part, is_overpaid: bool) -> Result<()> {
        share.amount_minor += part.minor();
        match part {
            Part::Line { line_id, quantity, minor } => {
                share.lines.push(Line { line_id, quantity, amount_minor: minor });
                let so_far = self.lines.iter_mut().find(|(id, _)| *id == line_id);
                let (_, so_far) = so_far.ok_or_else(|| Error::internal("a line of another order"))?;
                let tax = tax_within(self.books.line(line_id)?, *so_far, minor)?;
                *so_far += minor;
                share.from.goods_minor += minor - tax;
                share.from.tax_minor += tax;
            }
            Part::Shipping { minor } => {
                share.shipping_minor += minor;
                let order = &self.books.order;
                let total = order.shipping_minor + order.shipping_tax_minor;
                let tax = tax_of_part(order.shipping_tax_minor, total, self.shipping_minor, minor)?;
                self.shipping_minor += minor;
                share.from.shipping_minor += minor - tax;
                share.from.tax_minor += tax;
            }
            Part::Overpaid { minor } => share.from.overpaid_minor += minor,
        }
        if is_overpaid {
            share.from = RefundParts { overpaid_minor: share.amount_minor, ..RefundParts::default() };
        }
        Ok(())
    }
}

//! Orders by number, words or id, and the whole of one.

use mcp_actions_engine::parts::{Candidate, Map, NextAction};
use mcp_actions_engine::{Caller as _, Failure, Opened};
use serde_json::{Value, json};
use shop_domain::after_sales::Door;
use shop_domain::ids::OrderId;
use shop_domain::status::{OrderFulfillmentStatus, OrderPaymentStatus, OrderStatus};
use shop_service::after_sales::{self, DoorView};
use shop_service::orders::{self, Filter, View};
use shop_service::{Ctx, fulfillments, payments, refunds, returns};

use super::words::{Phrase, Which};
use super::{Found, candidate, opened, start, unclear, whole_page};
use crate::caller::Caller;
use crate::failure::failure;
use crate::wire::{block, object};

/// How many orders a question offers.
const CANDIDATES_MAX: usize = 5;

/// What the words may mean among the orders in sight.
pub(crate) async fn find(caller: &Caller, words: &str) -> Result<Found, Failure> {
    let ctx = caller.ctx();
    let words = words.trim();
    if let Ok(id) = words.parse::<OrderId>() {
        return Ok(match orders::get(&ctx, id).await {
            Ok(order) => Found::only(named(&order, 1.0, "it has this id")),
            Err(_) => Found::default(),
        });
    }
    if let Some(order) = numbered(&ctx, words).await? {
        return Ok(Found::only(named(&order, 1.0, "it has this number")));
    }
    let phrase = Phrase::of(words, caller.ctx().now());
    let all = orders::list(&ctx, Filter::default(), whole_page()).await.map_err(failure)?.items;
    Ok(fitting(&phrase, &all))
}

/// An order whose number stands in the words: `#1042`, `order 1042`, `#W2378156`.
async fn numbered(ctx: &Ctx, words: &str) -> Result<Option<View>, Failure> {
    let is_number = |token: &&str| {
        let bare = token.trim_start_matches('#');
        let has_digits = bare.chars().filter(char::is_ascii_digit).count() >= 3;
        has_digits && bare.chars().all(|c| c.is_ascii_alphanumeric())
    };
    let tokens = words.split(|c: char| c.is_whitespace() || c == ',' || c == '?' || c == '.');
    for token in tokens.filter(is_number) {
        for number in [token.to_owned(), format!("#{}", token.trim_start_matches('#'))] {
            let filter = Filter { number: Some(number), ..Filter::default() };
            let found = orders::list(ctx, filter, whole_page()).await.map_err(failure)?.items;
            if let [only] = found.as_slice() {
                return Ok(Some(only.clone()));
            }
        }
    }
    Ok(None)
}

/// Orders come newest first.
fn fitting(phrase: &Phrase, all: &[View]) -> Found {
    if phrase.is_empty() {
        let any = all.iter().take(CANDIDATES_MAX);
        return Found::fitting(
            any.map(|order| named(order, 0.5, "it is one of the orders in sight")).collect(),
        );
    }
    let fits: Vec<&View> =
        all.iter().filter(|order| phrase.covers(order.placed_at) && phrase.fits(&text(order))).collect();
    let chosen = match phrase.which {
        Some(Which::Newest) => fits.first(),
        Some(Which::Oldest) => fits.last(),
        None => None,
    };
    if let Some(order) = chosen {
        return Found::only(named(order, 0.9, "it is the one of this kind that was asked for"));
    }
    if let [only] = fits.as_slice() {
        return Found::only(named(only, 0.9, "it is the only order that fits all words"));
    }
    if !fits.is_empty() {
        let several = fits.into_iter().take(CANDIDATES_MAX);
        return Found::fitting(
            several.map(|order| named(order, 0.5, "it fits all words, and so do others")).collect(),
        );
    }
    let mut near: Vec<(usize, &View)> = all.iter().map(|order| (phrase.hits(&text(order)), order)).collect();
    near.sort_by_key(|(hits, _)| std::cmp::Reverse(*hits));
    let near = near.into_iter().take(3).map(|(hits, order)| {
        let reason =
            if hits == 0 { "it is recent, but none of the words fit" } else { "only some of the words fit" };
        named(order, 0.1, reason)
    });
    Found { near_misses: near.collect(), ..Found::default() }
}

/// Everything about an order that people name it by.
fn text(order: &View) -> String {
    let lines = order.lines.iter().map(|line| {
        let options: Vec<&str> = line.options.values().map(String::as_str).collect();
        format!("{} {} {}", line.title, line.sku, options.join(" "))
    });
    let lines: Vec<String> = lines.collect();
    let words = headline(order).to_lowercase().replace('_', " ");
    format!("{} {} {} {words}", order.number, lines.join(" "), order.status)
}

fn named(order: &View, confidence: f64, reason: &str) -> Candidate {
    candidate("Order", order.id, label(order), confidence, reason)
}

fn label(order: &View) -> String {
    let titles: Vec<String> =
        order.lines.iter().map(|line| format!("{} × {}", line.quantity, line.title)).collect();
    format!("{} of {}: {}", order.number, order.placed_at.format("%-d %B %Y"), titles.join(", "))
}

/// Where an order stands, in one word.
pub(crate) fn headline(order: &View) -> &'static str {
    use {OrderFulfillmentStatus as Goods, OrderPaymentStatus as Money};
    match (order.status, order.fulfillment_status, order.payment_status) {
        (OrderStatus::Cancelled, _, _) => "CANCELLED",
        (OrderStatus::Draft, _, _) => "DRAFT",
        (_, Goods::Exception, _) => "DELIVERY_EXCEPTION",
        (_, Goods::Returned, _) => "RETURNED",
        (_, Goods::Delivered, _) => "DELIVERED",
        (_, Goods::Shipped, _) => "SHIPPED",
        (_, Goods::Partial, _) => "PARTIALLY_SHIPPED",
        (OrderStatus::OnHold, Goods::Unfulfilled, _) => "ON_HOLD",
        (_, Goods::Unfulfilled, Money::Unknown) => "PAYMENT_UNKNOWN",
        (_, Goods::Unfulfilled, Money::Refunded) => "REFUNDED",
        (_, Goods::Unfulfilled, Money::Unpaid | Money::Voided | Money::PartiallyPaid) => "AWAITING_PAYMENT",
        (_, Goods::Unfulfilled, Money::Authorized | Money::Paid | Money::PartiallyRefunded) => "CONFIRMED",
    }
}

/// The whole of one order: lines, money, goods, what can be done about it and why not, and where that begins.
pub(super) async fn view(caller: &Caller, reference: &str) -> Result<Map, Failure> {
    let found = find(caller, reference).await?;
    let Some(id) = found.clear.as_ref().and_then(|clear| clear.id.parse::<OrderId>().ok()) else {
        return Err(unclear("order", reference, &found));
    };
    let ctx = caller.ctx();
    // Looking lets parcels catch up with the clock, so it comes before what depends on them.
    let tracking = fulfillments::track_order(&ctx, id).await.map_err(failure)?;
    let order = orders::get(&ctx, id).await.map_err(failure)?;
    let doors = after_sales::eligibility(&ctx, id).await.map_err(failure)?;
    let paid = payments::Filter { order_id: Some(id), ..payments::Filter::default() };
    let paid = payments::list(&ctx, paid, whole_page()).await.map_err(failure)?.items;
    let back = refunds::Filter { order_id: Some(id), ..refunds::Filter::default() };
    let back = refunds::list(&ctx, back, whole_page()).await.map_err(failure)?.items;
    let coming = returns::Filter { order_id: Some(id), ..returns::Filter::default() };
    let coming = returns::list(&ctx, coming, whole_page()).await.map_err(failure)?.items;
    let mut view = object(json!({
        "entity": "Order",
        "id": order.id,
        "number": order.number,
        "label": label(&order),
        "status": headline(&order),
        "statuses": {
            "status": order.status,
            "payment_status": order.payment_status,
            "fulfillment_status": order.fulfillment_status,
        },
        "placed_at": order.placed_at,
        "delivered_at": order.delivered_at,
        "cancel_reason": order.cancel_reason,
        "lines": order.lines.iter().map(block).collect::<Vec<_>>(),
        "money": {
            "currency": order.currency,
            "subtotal": order.subtotal_minor,
            "discount": order.discount_minor,
            "shipping": order.shipping_minor,
            "tax": order.tax_minor,
            "total": order.total_minor,
            "payments": paid.iter().map(block).collect::<Vec<_>>(),
            "refunds": back.iter().map(block).collect::<Vec<_>>(),
        },
        "goods": {
            "ship_to": block(&order.shipping_address),
            "parcels": tracking.parcels.iter().map(block).collect::<Vec<_>>(),
            "returns": coming.iter().map(block).collect::<Vec<_>>(),
        },
        "requires_approval": false,
        "version": order.version,
        "observed_at": caller.world().clock.now(),
    }));
    view.extend(doors.iter().map(|door| (door.door.to_string(), eligibility(door))));
    view.insert("next_actions".to_owned(), block(&next_actions(&order, &doors)));
    Ok(view)
}

fn eligibility(door: &DoorView) -> Value {
    json!({
        "eligible": door.eligible,
        "reason": door.reason,
        "hint": door.hint,
        "requires_staff_approval": door.needs_approval,
    })
}

/// The flows that can be entered from here. What a parcel has to arrive for first can be started while it travels.
pub(crate) fn next_actions(order: &View, doors: &[DoorView]) -> Vec<NextAction> {
    let is_open = |wanted: Door| doors.iter().any(|door| door.door == wanted && door.eligible);
    let travels = matches!(
        order.fulfillment_status,
        OrderFulfillmentStatus::Shipped | OrderFulfillmentStatus::Partial | OrderFulfillmentStatus::Exception
    );
    let offers = [
        (is_open(Door::Refund), "refund_only", "Refund without goods coming back"),
        (is_open(Door::ReturnRefund) || travels, "return_refund", "Request a return and refund"),
        (is_open(Door::Exchange) || travels, "exchange", "Request an exchange"),
        (is_open(Door::Cancel), "cancel_order", "Cancel the order"),
        (is_open(Door::Cancel), "modify_order", "Change items, shipping or payment of the order"),
        (
            // What was reported lost, damaged or refused is on no carrier's way any more.
            is_open(Door::ChangeAddress)
                || (is_open(Door::Redirect) && order.fulfillment_status != OrderFulfillmentStatus::Exception),
            "change_delivery_address",
            "Send it to another address",
        ),
        (order.status != OrderStatus::Cancelled, "track_order", "See where it is and when it arrives"),
        (order.status != OrderStatus::Draft, "after_sales", "Say what is wrong; the right way is found"),
    ];
    let open = offers.into_iter().filter(|(is_open, _, _)| *is_open);
    open.map(|(_, capability, words)| start(capability, order.id, words)).collect()
}

/// The order as it is now, in the few words that tell whether a claim about it is true.
pub(crate) async fn state(caller: &Caller, id: OrderId) -> Result<Map, Failure> {
    let order = orders::get(&caller.ctx(), id).await.map_err(failure)?;
    Ok(object(json!({
        "type": "Order",
        "id": order.id,
        "number": order.number,
        "status": order.status,
        "payment_status": order.payment_status,
        "fulfillment_status": order.fulfillment_status,
        "total": order.total_minor,
        "currency": order.currency,
        "version": order.version,
    })))
}

/// Begins an action about the order that the words mean, where that is clear.
pub(crate) async fn open(caller: &Caller, target: Option<&str>) -> Result<Opened, Failure> {
    let found = find(caller, target.unwrap_or_default()).await?;
    Ok(opened(found, "orders in sight", "number, words, date and status"))
}

use std::collections::BTreeMap;

use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, Set};
use serde_json::json;
use shop_domain::after_sales::AfterSalesOperation;
use shop_domain::code::ErrorCode;
use shop_domain::ids::{ExchangeId, GiftCardId, OrderId, OrderLineId};
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_domain::status::{ExchangeStatus, GiftCardStatus, RefundDestination};
use shop_store::columns::ExchangeLines;
use shop_store::entities::{exchanges, gift_cards, order_lines, orders};

use super::input::{Request, SettleWith};
use super::quote::{Quoted, quote};
use super::read::view;
use super::view::View;
use crate::after_sales::{self, Ask};
use crate::error::{Error, Result};
use crate::returns::{self, Wish};
use crate::start::Start;
use crate::tenders::{self, Instrument};
use crate::units::{LineUnits, pick};
use crate::{Ctx, Reply, events, fulfillments, inventory, orders as order_service, payments};

/// Asks for delivered units to be swapped: holds the new goods, opens the return of the old ones and quotes the
/// difference. Moves no money.
///
/// # Errors
/// `not_eligible` before delivery; `approval_pending` when the window is closed; `out_of_stock`; when a variant is
/// of another product, or the gift card does not cover the difference.
pub async fn request(ctx: &Ctx, order_id: OrderId, input: Request) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("request_exchange")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let order = order_service::find(ctx, &*tx, order_id).await?;
    let order = fulfillments::catch_up(&*tx, ctx, order).await?;
    ctx.must_match(order.version)?;
    let outgoing = units_out(&input)?;
    let pairs: Vec<_> = outgoing.iter().map(LineUnits::pair).collect();
    let ask = Ask {
        lines: Some(&pairs),
        outflow_minor: 0,
        subject: order_id.to_string(),
        approval_id: input.approval_id,
        input: &input,
    };
    let permit = after_sales::permit(&*tx, ctx, AfterSalesOperation::RequestExchange, &order, ask).await?;
    let lines = order_service::lines_of(&*tx, order_id).await?;
    let earlier = returns::of_order(&*tx, order_id).await?;
    let rules = ctx.shop.settings.rules;
    let free = |line: &order_lines::Model| returns::returnable(line, &earlier, rules);
    pick(&lines, Some(&outgoing), free, "delivered and with the customer")?;
    let (quoted, difference) = quote(ctx, &*tx, &order, &lines, &input.lines).await?;
    ctx.must_agree(difference)?;
    let instrument = match input.settle_with {
        Some(with) => Some(settle_with(&*tx, &order, with, difference).await?),
        None => None,
    };
    let id = ctx.id(ExchangeId::new);
    for Quoted { line, variant } in &quoted {
        inventory::reserve(&*tx, ctx, variant, line.quantity, &id.to_string(), None).await?;
    }
    let wish = Wish {
        exchange_id: Some(id),
        reason: input.reason,
        note: None,
        lines: quoted.iter().map(|quoted| (quoted.line.line_id, quoted.line.quantity)).collect(),
        refund_to: RefundDestination::OriginalMethod,
        refund_method_id: None,
        approval_id: permit.approval_id,
    };
    let inbound = returns::open(&*tx, ctx, &order, wish).await?;
    let row = exchanges::ActiveModel {
        id: Set(id),
        order_id: Set(order_id),
        return_id: Set(Some(inbound.id)),
        fulfillment_id: Set(None),
        status: Set(ExchangeStatus::Requested),
        reason: Set(input.reason),
        lines: Set(ExchangeLines(quoted.into_iter().map(|quoted| quoted.line).collect())),
        difference_minor: Set(difference),
        currency: Set(order.currency),
        settle_method_id: Set(instrument.as_ref().and_then(|instrument| instrument.payment_method_id)),
        settle_gift_card_id: Set(instrument.as_ref().and_then(|instrument| instrument.gift_card_id)),
        approval_id: Set(permit.approval_id),
        created_at: Set(ctx.now()),
        updated_at: Set(ctx.now()),
        version: Set(1),
    };
    let row = row.insert(&*tx).await?;
    let data = json!({ "difference_minor": difference, "return_id": inbound.id });
    events::record(&*tx, ctx, "exchange.requested", id, Some(order_id), data).await?;
    order_service::refresh(&*tx, ctx, order_id).await?;
    let view = view(&*tx, row).await?;
    tx.finish(ctx, id, view).await
}

/// The units that come back, line by line; a line may be swapped for several variants.
fn units_out(input: &Request) -> Result<Vec<LineUnits>> {
    if input.lines.is_empty() || input.lines.len() > limits::LINES_MAX {
        return Err(Error::invalid("/lines", format!("name 1 to {} lines", limits::LINES_MAX)));
    }
    let mut units: BTreeMap<OrderLineId, i64> = BTreeMap::new();
    for (at, swap) in input.lines.iter().enumerate() {
        if !(1..=i64::from(limits::QUANTITY_MAX)).contains(&swap.quantity) {
            let message = format!("a quantity is 1 to {}", limits::QUANTITY_MAX);
            return Err(Error::invalid(format!("/lines/{at}/quantity"), message));
        }
        *units.entry(swap.line_id).or_default() += swap.quantity;
    }
    Ok(units.into_iter().map(|(line_id, quantity)| LineUnits { line_id, quantity }).collect())
}

/// The instrument that was named: the customer's own, and a gift card with enough on it.
async fn settle_with(
    tx: &impl ConnectionTrait,
    order: &orders::Model,
    with: SettleWith,
    difference: i64,
) -> Result<Instrument> {
    let wanted = payments::Create {
        payment_method_id: with.payment_method_id,
        gift_card_id: with.gift_card_id,
        ..payments::Create::default()
    };
    if with.payment_method_id.is_some() == with.gift_card_id.is_some() {
        let message = "give payment_method_id or gift_card_id, one of the two";
        return Err(Error::invalid("/settle_with", message));
    }
    let instrument = tenders::choose(tx, order, &wanted).await?;
    if let Some(card) = instrument.gift_card_id {
        must_cover(tx, card, difference).await?;
    }
    Ok(instrument)
}

async fn must_cover(tx: &impl ConnectionTrait, card: GiftCardId, difference: i64) -> Result<()> {
    let row = gift_cards::Entity::find_by_id(card).one(tx).await?;
    let row = row.ok_or_else(|| Error::not_found(format!("gift card {card}")))?;
    let free = match row.status {
        GiftCardStatus::Active => row.balance_minor - row.held_minor,
        GiftCardStatus::Disabled | GiftCardStatus::Spent => 0,
    };
    if free >= difference {
        return Ok(());
    }
    Err(Error::new(
        ErrorCode::PaymentDeclined,
        format!("the gift card has {free} minor units and the difference is {difference}; settle with another method"),
    )
    .with_rule("insufficient_balance"))
}

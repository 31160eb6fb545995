use chrono::TimeDelta;
use sea_orm::{ActiveModelTrait, Set};
use serde_json::json;
use shop_domain::ids::{OrderId, PaymentLinkId};
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_domain::status::PaymentLinkStatus;
use shop_store::entities::payment_links;

use super::input::Create;
use super::read::due;
use super::view::View;
use crate::error::{Error, Result};
use crate::shop::Shop;
use crate::start::Start;
use crate::{Ctx, Reply, events, orders, payments};

/// Makes a page on which what is due on an order, or a draft, can be paid. Charges nothing.
///
/// # Errors
/// When nothing is due, or more is asked for.
pub async fn create(ctx: &Ctx, order_id: OrderId, input: Create) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("create_payment_link")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let order = orders::find(ctx, &*tx, order_id).await?;
    let hours = input.expires_in_hours.unwrap_or(limits::PAYMENT_LINK_HOURS);
    if !(1..=limits::PAYMENT_LINK_HOURS_MAX).contains(&hours) {
        let message = format!("a link is good for 1 to {} hours", limits::PAYMENT_LINK_HOURS_MAX);
        return Err(Error::invalid("/expires_in_hours", message));
    }
    let amount = payments::amount_within(input.amount_minor, due(&*tx, &order, None).await?)?;
    let nonce = ctx.shop.world.ids.next("payment_link_nonce").to_string().to_lowercase();
    let row = payment_links::ActiveModel {
        id: Set(ctx.id(PaymentLinkId::new)),
        order_id: Set(order_id),
        nonce: Set(nonce),
        amount_minor: Set(amount),
        currency: Set(order.currency),
        payment_id: Set(None),
        created_by: Set(ctx.principal.id),
        expires_at: Set(ctx.now() + TimeDelta::hours(hours)),
        created_at: Set(ctx.now()),
    };
    let row = row.insert(&*tx).await?;
    let data = json!({ "amount_minor": amount });
    events::record(&*tx, ctx, "payment_link.created", row.id, Some(order_id), data).await?;
    let view = view(&ctx.shop, row, PaymentLinkStatus::Open);
    tx.finish(ctx, view.id, view).await
}

fn view(shop: &Shop, row: payment_links::Model, status: PaymentLinkStatus) -> View {
    View {
        id: row.id,
        order_id: row.order_id,
        url: shop.console_page(&format!("pay/{}?nonce={}", row.id, row.nonce)),
        amount_minor: row.amount_minor,
        currency: row.currency,
        status,
        payment_id: row.payment_id,
        expires_at: row.expires_at,
        created_at: row.created_at,
    }
}

use std::sync::Arc;

use chrono::{DateTime, Utc};
use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, IntoActiveModel, Set};
use shop_domain::code::ErrorCode;
use shop_domain::ids::PaymentLinkId;
use shop_domain::money::Currency;
use shop_domain::status::{OrderStatus, PaymentLinkStatus, PaymentState};
use shop_store::entities::{orders as order_rows, payment_links, payments as payment_rows, stores};

use super::read::{payment_of, status};
use crate::ctx::{Call, CallerKey, Ctx, Door};
use crate::error::{Error, Result};
use crate::payment_methods;
pub use crate::payment_methods::Card;
use crate::shop::Shop;
use crate::tenders::Instrument;
use crate::{orders, payments};

/// What the page shows to whoever has its address.
#[derive(Clone, Debug)]
pub struct PageView {
    pub id: PaymentLinkId,
    /// Together with the id it is the right to pay.
    pub nonce: String,
    /// Who is paid.
    pub store: String,
    pub order_number: String,
    pub lines: Vec<PageLine>,
    pub amount_minor: i64,
    pub currency: Currency,
    pub status: PaymentLinkStatus,
    pub expires_at: DateTime<Utc>,
}

/// One line of the order.
#[derive(Clone, Debug)]
pub struct PageLine {
    pub title: String,
    pub quantity: i64,
    pub total_minor: i64,
}

/// The cards that the page offers: the gateway's own form would ask for one.
#[must_use]
pub fn cards() -> Vec<Card> {
    payment_methods::cards()
}

/// The page behind an address. It says nothing of who bought.
///
/// # Errors
/// `not_found` when either half of the address is wrong.
pub async fn find_for_page(shop: &Shop, id: PaymentLinkId, nonce: &str) -> Result<PageView> {
    let conn = shop.db.reader();
    let (link, order) = find(conn, id, nonce).await?;
    let store = stores::Entity::find_by_id(order.store_id).one(conn).await?;
    let lines = orders::lines_of(conn, order.id).await?.into_iter().map(|line| PageLine {
        title: line.title,
        quantity: line.quantity,
        total_minor: line.total_minor,
    });
    Ok(PageView {
        id,
        nonce: link.nonce.clone(),
        store: store.map_or_else(String::new, |store| store.name),
        order_number: orders::number(&order),
        lines: lines.collect(),
        amount_minor: link.amount_minor,
        currency: link.currency,
        status: status(conn, &link, &order, shop.world.clock.now()).await?,
        expires_at: link.expires_at,
    })
}

/// Pays with a card: a draft becomes an order first, and the money is held and then taken. However often the button
/// is pressed, the money is taken once.
///
/// # Errors
/// When the link is not open, the card is declined, or a draft's goods are not there any more; `outcome_unknown` when
/// the gateway did not answer: the same button asks what happened.
pub async fn pay(shop: &Arc<Shop>, id: PaymentLinkId, nonce: &str, token: &str) -> Result<PageView> {
    let mut ctx = Ctx::system(Arc::clone(shop));
    ctx.door = Door::Console;
    let mut payment = begin(&ctx, id, nonce, token).await?;
    if is_unanswered(payment.status) {
        payments::sync(&ctx, payment.id).await?;
        payment = again(&ctx, &payment).await?;
    }
    if matches!(payment.status, PaymentState::Created | PaymentState::RequiresAction | PaymentState::Failed) {
        let held =
            payments::authorize(&under(&ctx, "authorize", &payment), payment.id, payments::Authorize {})
                .await;
        payment = again(&ctx, &payment).await?;
        // What waits for a bank's page must not stand in the way of another card.
        if payment.status == PaymentState::RequiresAction {
            payments::void(&under(&ctx, "void", &payment), payment.id).await?;
        }
        held?;
    }
    if payment.status == PaymentState::Authorized && payment.authorized_minor < payment.amount_minor {
        payments::void(&under(&ctx, "void", &payment), payment.id).await?;
        let detail = "the card covers only a part of it; nothing was taken, use another card";
        return Err(Error::new(ErrorCode::PaymentDeclined, detail));
    }
    if payment.status == PaymentState::Authorized {
        let all = payments::Capture::default();
        payments::capture(&under(&ctx, "capture", &payment), payment.id, all).await?;
    }
    find_for_page(shop, id, nonce).await
}

/// The payment of a link: the one that is under way, or a new one.
async fn begin(ctx: &Ctx, id: PaymentLinkId, nonce: &str, token: &str) -> Result<payment_rows::Model> {
    let card = payment_methods::card(token)?;
    let tx = ctx.begin().await?;
    let (link, order) = find(&*tx, id, nonce).await?;
    match status(&*tx, &link, &order, ctx.now()).await? {
        PaymentLinkStatus::Open => {}
        closed @ (PaymentLinkStatus::Paid | PaymentLinkStatus::Expired | PaymentLinkStatus::Void) => {
            return Err(Error::precondition("payment_link_closed", format!("this link is {closed}")));
        }
    }
    let under_way = payment_of(&*tx, &link).await?;
    if let Some(payment) = under_way.filter(|payment| !is_over(payment.status)) {
        return Ok(payment);
    }
    let order = match order.status {
        OrderStatus::Draft => orders::place_draft(&*tx, ctx, order).await?,
        OrderStatus::Pending
        | OrderStatus::Confirmed
        | OrderStatus::OnHold
        | OrderStatus::Completed
        | OrderStatus::Cancelled => order,
    };
    let instrument = Instrument {
        kind: card.kind,
        payment_method_id: None,
        gift_card_id: None,
        token: Some(token.to_owned()),
    };
    let payment = payments::open(&*tx, ctx, &order, instrument, link.amount_minor, None).await?;
    let mut link = link.into_active_model();
    link.payment_id = Set(Some(payment.id));
    link.update(&*tx).await?;
    tx.commit().await?;
    Ok(payment)
}

async fn find(
    conn: &impl ConnectionTrait,
    id: PaymentLinkId,
    nonce: &str,
) -> Result<(payment_links::Model, order_rows::Model)> {
    let row = payment_links::Entity::find_by_id(id).one(conn).await?;
    // A wrong nonce looks like a link that does not exist.
    let row = row.filter(|row| row.nonce == nonce);
    let row = row.ok_or_else(|| Error::not_found(format!("payment link {id}")))?;
    let order = order_rows::Entity::find_by_id(row.order_id).one(conn).await?;
    Ok((row, order.ok_or_else(|| Error::internal("a payment link without an order"))?))
}

async fn again(ctx: &Ctx, payment: &payment_rows::Model) -> Result<payment_rows::Model> {
    let row = payment_rows::Entity::find_by_id(payment.id).one(ctx.read()?).await?;
    row.ok_or_else(|| Error::internal("a payment has vanished"))
}

/// A call of the link's own: each payment is held once and taken once, whoever presses.
fn under(ctx: &Ctx, step: &str, payment: &payment_rows::Model) -> Ctx {
    let key = CallerKey {
        key: format!("{}/{step}/{}", payment.id, payment.version),
        request_hash: step.to_owned(),
        is_system: true,
    };
    ctx.clone().with_call(Call { key: Some(key), if_match: Some(payment.version), ..Call::default() })
}

/// A card that was declined leaves room for another one.
const fn is_over(status: PaymentState) -> bool {
    match status {
        PaymentState::Failed | PaymentState::Voided => true,
        PaymentState::Created
        | PaymentState::RequiresAction
        | PaymentState::Authorizing
        | PaymentState::Authorized
        | PaymentState::Capturing
        | PaymentState::Captured
        | PaymentState::Unknown => false,
    }
}

const fn is_unanswered(status: PaymentState) -> bool {
    match status {
        PaymentState::Authorizing | PaymentState::Capturing | PaymentState::Unknown => true,
        PaymentState::Created
        | PaymentState::RequiresAction
        | PaymentState::Authorized
        | PaymentState::Captured
        | PaymentState::Voided
        | PaymentState::Failed => false,
    }
}

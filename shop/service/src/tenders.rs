//! Money that is the shop's own promise: store credit and gift cards, held, taken and given back by rows alone.

use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    Set,
};
use shop_domain::code::ErrorCode;
use shop_domain::ids::{CreditEntryId, CustomerId, GiftCardId, OrderId, PaymentMethodId};
use shop_domain::money::Currency;
use shop_domain::payments::PaymentEvent;
use shop_domain::status::{GiftCardStatus, InstrumentKind};
use shop_store::entities::{
    credit_accounts, credit_entries, gift_card_entries, gift_cards, orders, payment_methods, payments,
};

use crate::Ctx;
use crate::error::{Error, Result};
use crate::payments::Create;

/// What a payment is taken from.
#[derive(Clone, Debug)]
pub(crate) struct Instrument {
    pub(crate) kind: InstrumentKind,
    pub(crate) payment_method_id: Option<PaymentMethodId>,
    pub(crate) gift_card_id: Option<GiftCardId>,
    pub(crate) token: Option<String>,
}

/// The instrument an input names: always one of the order's own customer.
pub(crate) async fn choose(
    conn: &impl ConnectionTrait,
    order: &orders::Model,
    input: &Create,
) -> Result<Instrument> {
    if let Some(id) = input.gift_card_id {
        let card = gift_cards::Entity::find_by_id(id).one(conn).await?;
        let card = card.filter(|card| card.customer_id.is_none() || card.customer_id == order.customer_id);
        let card = card.ok_or_else(|| Error::not_found(format!("gift card {id}")))?;
        return Ok(Instrument {
            kind: InstrumentKind::GiftCard,
            payment_method_id: None,
            gift_card_id: Some(card.id),
            token: None,
        });
    }
    if input.instrument == Some(InstrumentKind::StoreCredit) {
        return Ok(Instrument {
            kind: InstrumentKind::StoreCredit,
            payment_method_id: None,
            gift_card_id: None,
            token: None,
        });
    }
    let customer = order
        .customer_id
        .ok_or_else(|| Error::invalid("/payment_method_id", "a guest order has no saved payment methods"))?;
    let mut query = payment_methods::Entity::find()
        .filter(payment_methods::Column::CustomerId.eq(customer))
        .filter(payment_methods::Column::DetachedAt.is_null());
    query = match (input.payment_method_id, input.instrument) {
        (Some(id), _) => query.filter(payment_methods::Column::Id.eq(id)),
        (None, Some(kind)) => query.filter(payment_methods::Column::Kind.eq(kind)),
        (None, None) => query,
    };
    let mut rows = query.all(conn).await?;
    rows.sort_by_key(|row| (!row.is_default, row.id));
    if let Some(method) = rows.into_iter().next() {
        return Ok(Instrument {
            kind: method.kind,
            payment_method_id: Some(method.id),
            gift_card_id: method.gift_card_id,
            token: method.token,
        });
    }
    // A gift card of one's own needs no saved method.
    let card = match (input.payment_method_id, input.instrument) {
        (None, Some(InstrumentKind::GiftCard)) => own_card(conn, customer, order.currency).await?,
        (Some(_) | None, _) => None,
    };
    let card = card.ok_or_else(|| Error::not_found("payment method").with_rule("no_payment_method"))?;
    Ok(Instrument {
        kind: InstrumentKind::GiftCard,
        payment_method_id: None,
        gift_card_id: Some(card.id),
        token: None,
    })
}

/// The oldest gift card of a customer's that still pays.
async fn own_card(
    conn: &impl ConnectionTrait,
    customer: CustomerId,
    currency: Currency,
) -> Result<Option<gift_cards::Model>> {
    let cards = gift_cards::Entity::find()
        .filter(gift_cards::Column::CustomerId.eq(customer))
        .filter(gift_cards::Column::Currency.eq(currency))
        .filter(gift_cards::Column::Status.eq(GiftCardStatus::Active))
        .order_by_asc(gift_cards::Column::Id)
        .all(conn)
        .await?;
    Ok(cards.into_iter().find(|card| card.balance_minor > card.held_minor))
}

/// Holds the amount of a payment on its own instrument.
pub(crate) async fn hold(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    payment: &payments::Model,
) -> Result<payments::Model> {
    let status = payment
        .status
        .after(PaymentEvent::AuthorizeSent)
        .and_then(|sent| sent.after(PaymentEvent::Authorized));
    let status = status.map_err(|refusal| Error::precondition("payment_not_ready", refusal.to_string()))?;
    move_held(tx, payment, payment.amount_minor).await?;
    let mut row = payment.clone().into_active_model();
    row.status = Set(status);
    row.authorized_minor = Set(payment.amount_minor);
    touch(&mut row, ctx, payment);
    Ok(row.update(tx).await?)
}

/// Takes held money.
pub(crate) async fn take(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    payment: &payments::Model,
    amount: i64,
) -> Result<payments::Model> {
    move_held(tx, payment, -amount).await?;
    change_balance(tx, ctx, payment, -amount, "payment").await?;
    let captured = payment.captured_minor + amount;
    let event = if captured >= payment.authorized_minor {
        PaymentEvent::Captured
    } else {
        PaymentEvent::PartlyCaptured
    };
    let status = payment.status.after(PaymentEvent::CaptureSent).and_then(|sent| sent.after(event));
    let mut row = payment.clone().into_active_model();
    row.status =
        Set(status.map_err(|refusal| Error::precondition("payment_not_ready", refusal.to_string()))?);
    row.captured_minor = Set(captured);
    touch(&mut row, ctx, payment);
    Ok(row.update(tx).await?)
}

/// Lets held money go.
pub(crate) async fn release(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    payment: &payments::Model,
) -> Result<payments::Model> {
    move_held(tx, payment, payment.captured_minor - payment.authorized_minor).await?;
    let mut row = payment.clone().into_active_model();
    let status = payment.status.after(PaymentEvent::Voided);
    row.status =
        Set(status.map_err(|refusal| Error::precondition("payment_not_ready", refusal.to_string()))?);
    touch(&mut row, ctx, payment);
    Ok(row.update(tx).await?)
}

/// Puts money on a customer's store credit.
pub(crate) async fn give_credit(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    to: (CustomerId, Currency),
    amount: i64,
    source: &str,
    order: Option<OrderId>,
) -> Result<()> {
    change_credit(tx, ctx, to, amount, (source, source), order).await
}

/// Puts money on a gift card.
pub(crate) async fn give_gift_card(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    id: GiftCardId,
    amount: i64,
    reason: &str,
    order: Option<OrderId>,
) -> Result<()> {
    change_gift_card(tx, ctx, id, amount, reason, order).await
}

fn touch(row: &mut payments::ActiveModel, ctx: &Ctx, payment: &payments::Model) {
    row.updated_at = Set(ctx.now());
    row.version = Set(payment.version + 1);
}

async fn owner(conn: &impl ConnectionTrait, payment: &payments::Model) -> Result<CustomerId> {
    let order = orders::Entity::find_by_id(payment.order_id).one(conn).await?;
    order
        .and_then(|order| order.customer_id)
        .ok_or_else(|| Error::internal("store credit without a customer"))
}

/// Changes what is held; a hold that the balance does not cover is refused by one conditional update.
async fn move_held(tx: &impl ConnectionTrait, payment: &payments::Model, by: i64) -> Result<()> {
    let changed = match (payment.instrument, payment.gift_card_id) {
        (InstrumentKind::GiftCard, Some(card)) => {
            gift_cards::Entity::update_many()
                .col_expr(gift_cards::Column::HeldMinor, Expr::col(gift_cards::Column::HeldMinor).add(by))
                .filter(gift_cards::Column::Id.eq(card))
                .filter(gift_cards::Column::Status.eq(GiftCardStatus::Active).or(Expr::value(by <= 0)))
                .filter(
                    Expr::col(gift_cards::Column::BalanceMinor)
                        .sub(Expr::col(gift_cards::Column::HeldMinor))
                        .gte(by),
                )
                .exec(tx)
                .await?
                .rows_affected
        }
        (InstrumentKind::StoreCredit, _) => {
            credit_accounts::Entity::update_many()
                .col_expr(
                    credit_accounts::Column::HeldMinor,
                    Expr::col(credit_accounts::Column::HeldMinor).add(by),
                )
                .filter(credit_accounts::Column::CustomerId.eq(owner(tx, payment).await?))
                .filter(credit_accounts::Column::Currency.eq(payment.currency))
                .filter(
                    Expr::col(credit_accounts::Column::BalanceMinor)
                        .sub(Expr::col(credit_accounts::Column::HeldMinor))
                        .gte(by),
                )
                .exec(tx)
                .await?
                .rows_affected
        }
        (InstrumentKind::GiftCard | InstrumentKind::Card | InstrumentKind::Paypal, _) => {
            return Err(Error::internal("an instrument of the gateway was held by rows"));
        }
    };
    if changed == 1 {
        return Ok(());
    }
    let name = payment.instrument.as_str().replace('_', " ");
    Err(Error::new(
        ErrorCode::PaymentDeclined,
        format!("the {name} does not cover {by} minor units; use another instrument or split the payment"),
    )
    .with_rule("insufficient_balance"))
}

async fn change_balance(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    payment: &payments::Model,
    by: i64,
    why: &str,
) -> Result<()> {
    match payment.gift_card_id {
        Some(card) => change_gift_card(tx, ctx, card, by, why, Some(payment.order_id)).await,
        None => {
            let customer = owner(tx, payment).await?;
            let to = (customer, payment.currency);
            change_credit(tx, ctx, to, by, (why, why), Some(payment.order_id)).await
        }
    }
}

async fn change_gift_card(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    id: GiftCardId,
    by: i64,
    reason: &str,
    order: Option<OrderId>,
) -> Result<()> {
    let card = gift_cards::Entity::find_by_id(id)
        .one(tx)
        .await?
        .ok_or_else(|| Error::not_found(format!("gift card {id}")))?;
    let balance = card.balance_minor + by;
    let version = card.version + 1;
    let mut row = card.into_active_model();
    row.balance_minor = Set(balance);
    row.version = Set(version);
    row.update(tx).await?;
    let entry = gift_card_entries::ActiveModel {
        id: Set(ctx.id(CreditEntryId::new)),
        gift_card_id: Set(id),
        amount_minor: Set(by),
        balance_minor: Set(balance),
        reason: Set(reason.to_owned()),
        order_id: Set(order),
        created_at: Set(ctx.now()),
    };
    entry.insert(tx).await?;
    Ok(())
}

/// Changes a customer's store credit, and writes down where that came from and why.
pub(crate) async fn change_credit(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    (customer, currency): (CustomerId, Currency),
    by: i64,
    (source, reason): (&str, &str),
    order: Option<OrderId>,
) -> Result<()> {
    let account = credit_accounts::Entity::find_by_id((customer, currency)).one(tx).await?;
    let before = account.as_ref().map_or(0, |account| account.balance_minor);
    let balance = before + by;
    match account {
        Some(account) => {
            let mut row = account.into_active_model();
            row.balance_minor = Set(balance);
            row.update(tx).await?;
        }
        None => {
            let row = credit_accounts::ActiveModel {
                customer_id: Set(customer),
                currency: Set(currency),
                balance_minor: Set(balance),
                held_minor: Set(0),
            };
            row.insert(tx).await?;
        }
    }
    let entry = credit_entries::ActiveModel {
        id: Set(ctx.id(CreditEntryId::new)),
        customer_id: Set(customer),
        amount_minor: Set(by),
        balance_minor: Set(balance),
        currency: Set(currency),
        source: Set(source.to_owned()),
        reason: Set(reason.to_owned()),
        order_id: Set(order),
        created_at: Set(ctx.now()),
    };
    entry.insert(tx).await?;
    Ok(())
}

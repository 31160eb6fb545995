use sea_orm::{ConnectionTrait, EntityTrait};
use serde_json::json;
use shop_domain::ids::{CustomerId, StoreId};
use shop_domain::ledger::{store_credit_deducted, store_credit_issued};
use shop_domain::money::Currency;
use shop_domain::operations::operation;
use shop_store::entities::{credit_accounts, stores};

use super::input::{Deduct, Issue, check};
use super::read::view;
use super::view::Balance;
use crate::error::{Error, Result};
use crate::goodwill::{Gift, ISSUED};
use crate::start::Start;
use crate::{Ctx, Reply, customers, events, goodwill, ledger, tenders};

/// Grants store credit that no refund pays.
///
/// # Errors
/// When the customer is out of sight, the balance has moved on, or a field is bad.
pub async fn issue(ctx: &Ctx, customer: CustomerId, input: Issue) -> Result<Reply<Balance>> {
    let operation = operation("issue_store_credit");
    let tx = match ctx.start(operation).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let row = customers::find(ctx, &*tx, customer).await?;
    ctx.must_match(view(&*tx, customer).await?.version)?;
    check(input.amount_minor, &input.reason)?;
    let currency = currency_of(&*tx, row.store_id, input.currency).await?;
    let store = stores::Entity::find_by_id(row.store_id).one(&*tx).await?;
    let gift = Gift {
        operation,
        store: &store.ok_or_else(|| Error::internal("a customer without a store"))?,
        customer_id: Some(customer),
        amount_minor: input.amount_minor,
        approval_id: input.approval_id,
        input: &input,
    };
    goodwill::permit(&*tx, ctx, gift).await?;
    let to = (customer, currency);
    tenders::change_credit(&*tx, ctx, to, input.amount_minor, (ISSUED, &input.reason), None).await?;
    let postings = store_credit_issued(input.amount_minor)?;
    ledger::post(&*tx, ctx, &postings, ledger::Refs::currency(currency), "store_credit_issued").await?;
    let data = json!({ "amount_minor": input.amount_minor, "currency": currency });
    events::record(&*tx, ctx, "store_credit.issued", customer, None, data).await?;
    let balance = view(&*tx, customer).await?;
    tx.finish(ctx, customer, balance).await
}

/// Takes store credit back; never more than is available.
///
/// # Errors
/// When the customer is out of sight, the balance has moved on or is smaller, or a field is bad.
pub async fn deduct(ctx: &Ctx, customer: CustomerId, input: Deduct) -> Result<Reply<Balance>> {
    let tx = match ctx.start(operation("deduct_store_credit")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let row = customers::find(ctx, &*tx, customer).await?;
    ctx.must_match(view(&*tx, customer).await?.version)?;
    check(input.amount_minor, &input.reason)?;
    let currency = currency_of(&*tx, row.store_id, input.currency).await?;
    let account = credit_accounts::Entity::find_by_id((customer, currency)).one(&*tx).await?;
    let available = account.map_or(0, |account| account.balance_minor - account.held_minor);
    if input.amount_minor > available {
        let detail = format!("{available} minor units are available in {currency}; deduct at most that");
        return Err(Error::not_eligible("insufficient_balance", detail));
    }
    let to = (customer, currency);
    tenders::change_credit(&*tx, ctx, to, -input.amount_minor, ("deducted", &input.reason), None).await?;
    let postings = store_credit_deducted(input.amount_minor)?;
    ledger::post(&*tx, ctx, &postings, ledger::Refs::currency(currency), "store_credit_deducted").await?;
    let data = json!({ "amount_minor": input.amount_minor, "currency": currency });
    events::record(&*tx, ctx, "store_credit.deducted", customer, None, data).await?;
    let balance = view(&*tx, customer).await?;
    tx.finish(ctx, customer, balance).await
}

async fn currency_of(tx: &impl ConnectionTrait, store: StoreId, asked: Option<Currency>) -> Result<Currency> {
    if let Some(currency) = asked {
        return Ok(currency);
    }
    let store = stores::Entity::find_by_id(store).one(tx).await?;
    store.map(|store| store.currency).ok_or_else(|| Error::internal("a customer without a store"))
}

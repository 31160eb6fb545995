use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, PaginatorTrait,
    QueryFilter, Set,
};
use serde_json::json;
use shop_domain::customers::CustomerEvent;
use shop_domain::ids::CustomerId;
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_domain::status::CustomerStatus;
use shop_store::columns::Tags;
use shop_store::entities::{
    actions, addresses, approvals, carts, coupons, credit_accounts, customers, gift_cards, orders,
    payment_methods, returns,
};

use super::input::Merge;
use super::read::find;
use super::view::View;
use crate::error::{Error, Result};
use crate::start::Start;
use crate::{Ctx, Reply, events, tenders};

/// Folds a duplicate account into this one, which has everything of both from here on. The duplicate stays as a name
/// that leads here; nobody signs in with it.
///
/// # Errors
/// When one of them is out of sight, of another brand, or is no account any more.
pub async fn merge(ctx: &Ctx, id: CustomerId, input: Merge) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("merge_customers")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let survivor = find(ctx, &*tx, id).await?;
    ctx.must_match(survivor.version)?;
    let other = find(ctx, &*tx, input.duplicate_id).await?;
    must_be_mergeable(&survivor, &other)?;
    hand_over(&*tx, id, other.id).await?;
    move_credit(&*tx, ctx, id, other.id).await?;
    let survivor = keep(&*tx, ctx, survivor, &other).await?;
    let data = json!({ "duplicate_id": other.id });
    events::record(&*tx, ctx, "customer.merged", id, None, data).await?;
    close(&*tx, ctx, other, id).await?;
    tx.finish(ctx, id, View::from(survivor)).await
}

fn must_be_mergeable(survivor: &customers::Model, other: &customers::Model) -> Result<()> {
    if survivor.id == other.id {
        return Err(Error::invalid("/duplicate_id", "name the other account, which is folded into this one"));
    }
    if survivor.brand_id != other.brand_id {
        return Err(Error::invalid("/duplicate_id", "accounts of two brands are two people to the shop"));
    }
    for row in [survivor, other] {
        if matches!(row.status, CustomerStatus::Merged | CustomerStatus::Anonymized) {
            let detail = format!("customer {} is {}; there is nothing to merge", row.id, row.status);
            return Err(Error::precondition("customer_closed", detail));
        }
    }
    Ok(())
}

/// Everything that names the duplicate names the survivor. What both have a default of keeps the survivor's.
async fn hand_over(tx: &impl ConnectionTrait, to: CustomerId, from: CustomerId) -> Result<()> {
    if has_default_address(tx, to).await? {
        use addresses::Column;
        addresses::Entity::update_many()
            .col_expr(Column::IsDefault, Expr::value(false))
            .filter(Column::CustomerId.eq(from))
            .exec(tx)
            .await?;
    }
    if has_default_method(tx, to).await? {
        use payment_methods::Column;
        payment_methods::Entity::update_many()
            .col_expr(Column::IsDefault, Expr::value(false))
            .filter(Column::CustomerId.eq(from))
            .exec(tx)
            .await?;
    }
    rename::<addresses::Entity>(tx, addresses::Column::CustomerId, (from, to)).await?;
    rename::<payment_methods::Entity>(tx, payment_methods::Column::CustomerId, (from, to)).await?;
    rename::<coupons::Entity>(tx, coupons::Column::CustomerId, (from, to)).await?;
    rename::<gift_cards::Entity>(tx, gift_cards::Column::CustomerId, (from, to)).await?;
    rename::<carts::Entity>(tx, carts::Column::CustomerId, (from, to)).await?;
    rename::<orders::Entity>(tx, orders::Column::CustomerId, (from, to)).await?;
    rename::<returns::Entity>(tx, returns::Column::CustomerId, (from, to)).await?;
    rename::<approvals::Entity>(tx, approvals::Column::CustomerId, (from, to)).await?;
    rename::<actions::Entity>(tx, actions::Column::CustomerId, (from, to)).await
}

async fn rename<E: EntityTrait>(
    tx: &impl ConnectionTrait,
    column: E::Column,
    (from, to): (CustomerId, CustomerId),
) -> Result<()> {
    E::update_many().col_expr(column, Expr::value(to)).filter(column.eq(from)).exec(tx).await?;
    Ok(())
}

async fn has_default_address(tx: &impl ConnectionTrait, of: CustomerId) -> Result<bool> {
    let own = addresses::Entity::find()
        .filter(addresses::Column::CustomerId.eq(of))
        .filter(addresses::Column::IsDefault.eq(true));
    Ok(own.count(tx).await? > 0)
}

async fn has_default_method(tx: &impl ConnectionTrait, of: CustomerId) -> Result<bool> {
    let own = payment_methods::Entity::find()
        .filter(payment_methods::Column::CustomerId.eq(of))
        .filter(payment_methods::Column::IsDefault.eq(true));
    Ok(own.count(tx).await? > 0)
}

/// Store credit is one balance a currency: it is moved by entries on both sides. What payments hold of it moves along,
/// since their orders do.
async fn move_credit(tx: &impl ConnectionTrait, ctx: &Ctx, to: CustomerId, from: CustomerId) -> Result<()> {
    use credit_accounts::Column;
    let accounts = credit_accounts::Entity::find().filter(Column::CustomerId.eq(from)).all(tx).await?;
    for account in accounts.into_iter().filter(|account| account.balance_minor > 0) {
        let (currency, balance, held) = (account.currency, account.balance_minor, account.held_minor);
        let mut row = account.into_active_model();
        row.held_minor = Set(0);
        row.update(tx).await?;
        let into = format!("merged into {to}");
        tenders::change_credit(tx, ctx, (from, currency), -balance, ("merge", &into), None).await?;
        let out_of = format!("merged from {from}");
        tenders::change_credit(tx, ctx, (to, currency), balance, ("merge", &out_of), None).await?;
        credit_accounts::Entity::update_many()
            .col_expr(Column::HeldMinor, Expr::col(Column::HeldMinor).add(held))
            .filter(Column::CustomerId.eq(to))
            .filter(Column::Currency.eq(currency))
            .exec(tx)
            .await?;
    }
    Ok(())
}

/// The survivor's profile stays, with what it lacked. A block of either is a block of the person.
async fn keep(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    survivor: customers::Model,
    other: &customers::Model,
) -> Result<customers::Model> {
    let version = survivor.version + 1;
    let is_blocked = [survivor.status, other.status].contains(&CustomerStatus::Blocked);
    let mut tags = survivor.tags.0.clone();
    let new = other.tags.0.iter().filter(|tag| !survivor.tags.0.contains(tag)).cloned();
    tags.extend(new);
    tags.truncate(limits::TAGS_MAX);
    let phone = survivor.phone.clone().or_else(|| other.phone.clone());
    let mut row = survivor.into_active_model();
    if is_blocked {
        row.status = Set(CustomerStatus::Blocked);
    }
    row.tags = Set(Tags(tags));
    row.phone = Set(phone);
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    Ok(row.update(tx).await?)
}

async fn close(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    other: customers::Model,
    survivor: CustomerId,
) -> Result<()> {
    let status = other.status.after(CustomerEvent::Merged);
    let status = status.map_err(|refusal| Error::precondition("customer_closed", refusal.to_string()))?;
    let (id, version) = (other.id, other.version + 1);
    let mut row = other.into_active_model();
    row.status = Set(status);
    row.merged_into = Set(Some(survivor));
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    row.update(tx).await?;
    events::record(tx, ctx, "customer.merged_into", id, None, json!({ "survivor_id": survivor })).await
}

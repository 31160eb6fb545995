use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, ModelTrait, QueryFilter,
    Set,
};
use serde_json::json;
use shop_domain::ids::{AddressId, CustomerId};
use shop_domain::operations::operation;
use shop_store::entities::addresses;

use super::input::{Create, Update, check_address, check_label};
use super::read::find;
use super::view::View;
use crate::error::Result;
use crate::start::Start;
use crate::{Ctx, Reply, customers, events};

/// Saves an address.
///
/// # Errors
/// When the customer is out of sight or a field is bad.
pub async fn create(ctx: &Ctx, customer: CustomerId, input: Create) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("create_customer_address")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    customers::find(ctx, &*tx, customer).await?;
    check_label(&input.label)?;
    check_address(&input.address, "/address")?;
    if input.is_default {
        clear_default(&*tx, customer).await?;
    }
    let row = addresses::ActiveModel {
        id: Set(ctx.id(AddressId::new)),
        customer_id: Set(customer),
        label: Set(input.label),
        address: Set(input.address),
        is_default: Set(input.is_default),
        created_at: Set(ctx.now()),
        updated_at: Set(ctx.now()),
        version: Set(1),
    };
    let row = row.insert(&*tx).await?;
    events::record(&*tx, ctx, "customer.address_created", customer, None, json!({ "address_id": row.id }))
        .await?;
    tx.finish(ctx, row.id, View::from(row)).await
}

/// Edits a saved address.
///
/// # Errors
/// When it is out of sight, has moved on, or a field is bad.
pub async fn update(ctx: &Ctx, customer: CustomerId, id: AddressId, input: Update) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("update_customer_address")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let row = find(ctx, &*tx, customer, id).await?;
    ctx.must_match(row.version)?;
    let version = row.version + 1;
    let mut row = row.into_active_model();
    if let Some(label) = input.label {
        check_label(&label)?;
        row.label = Set(label);
    }
    if let Some(address) = input.address {
        check_address(&address, "/address")?;
        row.address = Set(address);
    }
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    let row = row.update(&*tx).await?;
    events::record(&*tx, ctx, "customer.address_updated", customer, None, json!({ "address_id": id }))
        .await?;
    tx.finish(ctx, id, View::from(row)).await
}

/// Removes a saved address; orders keep theirs.
///
/// # Errors
/// When it is out of sight or has moved on.
pub async fn delete(ctx: &Ctx, customer: CustomerId, id: AddressId) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("delete_customer_address")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let row = find(ctx, &*tx, customer, id).await?;
    ctx.must_match(row.version)?;
    row.clone().delete(&*tx).await?;
    events::record(&*tx, ctx, "customer.address_deleted", customer, None, json!({ "address_id": id }))
        .await?;
    tx.finish(ctx, id, View::from(row)).await
}

/// Makes an address the one new carts use.
///
/// # Errors
/// When it is out of sight or has moved on.
pub async fn set_default(ctx: &Ctx, customer: CustomerId, id: AddressId) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("set_default_customer_address")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let row = find(ctx, &*tx, customer, id).await?;
    ctx.must_match(row.version)?;
    clear_default(&*tx, customer).await?;
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.is_default = Set(true);
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    let row = row.update(&*tx).await?;
    events::record(&*tx, ctx, "customer.default_address_set", customer, None, json!({ "address_id": id }))
        .await?;
    tx.finish(ctx, id, View::from(row)).await
}

async fn clear_default(tx: &impl ConnectionTrait, customer: CustomerId) -> Result<()> {
    addresses::Entity::update_many()
        .col_expr(addresses::Column::IsDefault, Expr::value(false))
        .filter(addresses::Column::CustomerId.eq(customer))
        .filter(addresses::Column::IsDefault.eq(true))
        .exec(tx)
        .await?;
    Ok(())
}

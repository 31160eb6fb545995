use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, PaginatorTrait,
    QueryFilter, Set,
};
use serde_json::json;
use shop_domain::ids::{CustomerId, PaymentMethodId};
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_store::entities::payment_methods;

use super::input::Attach;
use super::read::find;
use super::tokens::{self, unknown_token};
use super::view::View;
use crate::error::{Error, Result};
use crate::start::Start;
use crate::{Ctx, Reply, customers, events};

/// Saves a tokenised card or wallet.
///
/// # Errors
/// When the customer is out of sight, or the token is none of the gateway's.
pub async fn attach(ctx: &Ctx, customer: CustomerId, input: Attach) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("attach_payment_method")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    customers::find(ctx, &*tx, customer).await?;
    let face = tokens::find(&input.token).ok_or_else(unknown_token)?;
    if let Some(label) = &input.label
        && (label.trim().is_empty() || label.len() > limits::NAME_CHARS_MAX)
    {
        let message = format!("a label has 1 to {} characters", limits::NAME_CHARS_MAX);
        return Err(Error::invalid("/label", message));
    }
    let is_first = usable(customer).count(&*tx).await? == 0;
    let is_default = is_first || input.is_default.unwrap_or(false);
    if is_default {
        clear_default(&*tx, customer).await?;
    }
    let row = payment_methods::ActiveModel {
        id: Set(ctx.id(PaymentMethodId::new)),
        external_id: Set(None),
        customer_id: Set(customer),
        kind: Set(face.kind()),
        token: Set(Some(input.token)),
        gift_card_id: Set(None),
        brand: Set(Some(face.brand.to_owned())),
        last4: Set((!face.last4.is_empty()).then(|| face.last4.to_owned())),
        label: Set(input.label.unwrap_or_else(|| face.label())),
        is_default: Set(is_default),
        detached_at: Set(None),
        created_at: Set(ctx.now()),
        version: Set(1),
    };
    let row = row.insert(&*tx).await?;
    let data = json!({ "payment_method_id": row.id });
    events::record(&*tx, ctx, "customer.payment_method_attached", customer, None, data).await?;
    tx.finish(ctx, row.id, View::from(row)).await
}

/// Removes a saved method. Payments that used it keep their money, and can be refunded to it.
///
/// # Errors
/// When it is out of sight or has moved on.
pub async fn detach(ctx: &Ctx, customer: CustomerId, id: PaymentMethodId) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("detach_payment_method")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let row = find(ctx, &*tx, customer, id).await?;
    ctx.must_match(row.version)?;
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.is_default = Set(false);
    row.detached_at = Set(Some(ctx.now()));
    row.version = Set(version);
    let row = row.update(&*tx).await?;
    let data = json!({ "payment_method_id": id });
    events::record(&*tx, ctx, "customer.payment_method_detached", customer, None, data).await?;
    tx.finish(ctx, id, View::from(row)).await
}

/// Makes a method the one that checkout uses.
///
/// # Errors
/// When it is out of sight or has moved on.
pub async fn set_default(ctx: &Ctx, customer: CustomerId, id: PaymentMethodId) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("set_default_payment_method")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let row = find(ctx, &*tx, customer, id).await?;
    ctx.must_match(row.version)?;
    clear_default(&*tx, customer).await?;
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.is_default = Set(true);
    row.version = Set(version);
    let row = row.update(&*tx).await?;
    let data = json!({ "payment_method_id": id });
    events::record(&*tx, ctx, "customer.default_payment_method_set", customer, None, data).await?;
    tx.finish(ctx, id, View::from(row)).await
}

fn usable(customer: CustomerId) -> sea_orm::Select<payment_methods::Entity> {
    payment_methods::Entity::find()
        .filter(payment_methods::Column::CustomerId.eq(customer))
        .filter(payment_methods::Column::DetachedAt.is_null())
}

async fn clear_default(tx: &impl ConnectionTrait, customer: CustomerId) -> Result<()> {
    payment_methods::Entity::update_many()
        .col_expr(payment_methods::Column::IsDefault, Expr::value(false))
        .filter(payment_methods::Column::CustomerId.eq(customer))
        .filter(payment_methods::Column::IsDefault.eq(true))
        .exec(tx)
        .await?;
    Ok(())
}

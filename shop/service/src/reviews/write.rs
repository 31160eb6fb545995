use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    Set,
};
use serde_json::json;
use shop_domain::governance::Scope;
use shop_domain::ids::{CustomerId, ProductId, ReviewId};
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_domain::status::ReviewStatus;
use shop_store::entities::{customers as customer_rows, order_lines, orders, reviews};

use super::input::{Create, Moderate, Reply, check_note, check_stars};
use super::read::find;
use super::view::View;
use crate::error::{Error, Result};
use crate::start::Start;
use crate::text::must_fit;
use crate::{Ctx, catalog, customers, events, fulfillments, orders as order_service};

/// Says something about a product that was bought and has arrived. It is seen once somebody approved it.
///
/// # Errors
/// When product or customer are out of sight, it was not bought or has not arrived, or was reviewed before.
pub async fn create(ctx: &Ctx, product: ProductId, input: Create) -> Result<crate::Reply<View>> {
    let tx = match ctx.start(operation("create_product_review")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let product = catalog::find(ctx, &*tx, product).await?;
    check_stars(input.stars)?;
    must_fit(&input.title, limits::NAME_CHARS_MAX, "/title")?;
    must_fit(&input.text, limits::TEXT_CHARS_MAX, "/text")?;
    let customer = customers::find(ctx, &*tx, author(ctx, input.customer_id)?).await?;
    let order = delivered_with(&*tx, ctx, customer.id, product.id).await?.ok_or_else(|| {
        let detail = "only who bought the product and got it can review it; see list_customer_orders";
        Error::not_eligible("product_not_received", detail)
    })?;
    let earlier = reviews::Entity::find()
        .filter(reviews::Column::ProductId.eq(product.id))
        .filter(reviews::Column::CustomerId.eq(customer.id));
    if earlier.one(&*tx).await?.is_some() {
        let detail = "this customer has reviewed the product already; there is one review each";
        return Err(Error::not_eligible("already_reviewed", detail));
    }
    let row = reviews::ActiveModel {
        id: Set(ctx.id(ReviewId::new)),
        product_id: Set(product.id),
        brand_id: Set(product.brand_id),
        store_id: Set(order.store_id),
        customer_id: Set(customer.id),
        order_id: Set(order.id),
        author_name: Set(public_name(&customer)),
        stars: Set(input.stars),
        title: Set(input.title),
        text: Set(input.text),
        status: Set(ReviewStatus::Pending),
        moderated_by: Set(None),
        moderation_note: Set(None),
        reply: Set(None),
        replied_at: Set(None),
        created_at: Set(ctx.now()),
        updated_at: Set(ctx.now()),
        version: Set(1),
    };
    let row = row.insert(&*tx).await?;
    let data = json!({ "product_id": row.product_id, "stars": row.stars });
    events::record(&*tx, ctx, "review.created", row.id, None, data).await?;
    tx.finish(ctx, row.id, View::new(ctx, row)).await
}

/// Publishes, hides or flags a review.
///
/// # Errors
/// When it is out of sight or has moved on, or that is what it is already.
pub async fn moderate(ctx: &Ctx, id: ReviewId, input: Moderate) -> Result<crate::Reply<View>> {
    let tx = match ctx.start(operation("moderate_review")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let row = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    check_note(input.note.as_deref())?;
    let event = input.decision.event();
    let status = row.status.after(event);
    let status = status.map_err(|refusal| Error::precondition("review_state", refusal.to_string()))?;
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.status = Set(status);
    row.moderated_by = Set(Some(ctx.principal.id));
    row.moderation_note = Set(input.note);
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    let row = row.update(&*tx).await?;
    let data = json!({ "product_id": row.product_id });
    events::record(&*tx, ctx, &format!("review.{event}"), id, None, data).await?;
    tx.finish(ctx, id, View::new(ctx, row)).await
}

/// Answers a review in public, in the shop's name. A later answer takes the place of the one before.
///
/// # Errors
/// When it is out of sight, has moved on or is not published, or the text is bad.
pub async fn reply(ctx: &Ctx, id: ReviewId, input: Reply) -> Result<crate::Reply<View>> {
    let tx = match ctx.start(operation("reply_to_review")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let row = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    must_fit(&input.text, limits::TEXT_CHARS_MAX, "/text")?;
    if row.status != ReviewStatus::Published {
        let detail = format!("the review is {}; publish it with moderate_review first", row.status);
        return Err(Error::precondition("review_state", detail));
    }
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.reply = Set(Some(input.text));
    row.replied_at = Set(Some(ctx.now()));
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    let row = row.update(&*tx).await?;
    let data = json!({ "product_id": row.product_id });
    events::record(&*tx, ctx, "review.replied", id, None, data).await?;
    tx.finish(ctx, id, View::new(ctx, row)).await
}

fn author(ctx: &Ctx, named: Option<CustomerId>) -> Result<CustomerId> {
    match (named, ctx.principal.scope) {
        (Some(customer), _) | (None, Scope::Customer(customer)) => Ok(customer),
        (None, Scope::Tenant | Scope::Brand(_) | Scope::Store(_)) => {
            Err(Error::invalid("/customer_id", "say whose review it is"))
        }
    }
}

/// The first order with which a customer got a product. Parcels are where the clock says they are.
async fn delivered_with(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    customer: CustomerId,
    product: ProductId,
) -> Result<Option<orders::Model>> {
    let lines = order_lines::Entity::find()
        .filter(order_lines::Column::ProductId.eq(product))
        .filter(order_lines::Column::OrderId.in_subquery(order_service::ids_of_customer(Some(customer))))
        .filter(order_lines::Column::ShippedQuantity.gt(0))
        .order_by_asc(order_lines::Column::OrderId)
        .all(tx)
        .await?;
    for line in lines {
        let order = order_service::find(ctx, tx, line.order_id).await?;
        let order = fulfillments::catch_up(tx, ctx, order).await?;
        let line = order_lines::Entity::find_by_id(line.id).one(tx).await?;
        if line.is_some_and(|line| line.delivered_quantity > 0) {
            return Ok(Some(order));
        }
    }
    Ok(None)
}

/// `Ada B.`: a first name is friendly, and a last name is nobody's business.
#[must_use]
pub fn public_name(customer: &customer_rows::Model) -> String {
    match customer.last_name.chars().next() {
        Some(initial) => format!("{} {initial}.", customer.first_name),
        None => customer.first_name.clone(),
    }
}

use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, IntoActiveModel, Set};
use serde_json::json;
use shop_domain::address::Address;
use shop_domain::ids::{CustomerId, OrderId};
use shop_domain::ledger::order_placed;
use shop_domain::operations::operation;
use shop_domain::orders::OrderEvent;
use shop_domain::status::OrderStatus;
use shop_store::entities::{addresses as address_rows, customers as customer_rows, orders, variants};

use super::input::Draft;
use super::place::{Basket, insert, insert_line, must_not_be_blocked};
use super::read::{lines_of, view};
use super::refresh::refresh;
use super::view::View;
use crate::addresses::{self, check_address};
use crate::error::{Error, Result};
use crate::start::Start;
use crate::{Ctx, Reply, customers, events, inventory, ledger, pricing, promotions, stores};

/// Staff write an order down for somebody. Until it is confirmed or paid nothing is owed and no stock is held.
///
/// # Errors
/// When something cannot be bought, delivered or discounted, or it is not known where it goes or who is told.
pub async fn create_draft(ctx: &Ctx, input: Draft) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("create_draft_order")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let basket = basket(&*tx, ctx, input).await?;
    must_not_be_blocked(&*tx, basket.customer_id).await?;
    let to_price = pricing::Basket {
        store_id: basket.store_id,
        customer_id: basket.customer_id,
        lines: basket.lines.clone(),
        address: Some(basket.address.clone()),
        shipping_method_id: Some(basket.shipping_method_id),
        coupon_id: basket.coupon_id,
    };
    let priced = pricing::price_held(ctx, &*tx, &to_price, None).await?;
    // The price is promised, so coupon and promotions are used up; a cancelled draft gives them back.
    if let Some((coupon, _)) = &priced.coupon {
        pricing::take_use(&*tx, coupon.id).await?;
    }
    let order = insert(&*tx, ctx, &basket, &priced, OrderStatus::Draft).await?;
    promotions::take(&*tx, order.id, &priced.promotions).await?;
    for (position, line) in (0..).zip(&priced.lines) {
        insert_line(&*tx, ctx, order.id, position, line).await?;
    }
    events::record(&*tx, ctx, "order.drafted", order.id, Some(order.id), json!({})).await?;
    refresh(&*tx, ctx, order.id).await?;
    let view = view(&*tx, order.id).await?;
    tx.finish(ctx, order.id, view).await
}

async fn basket(tx: &impl ConnectionTrait, ctx: &Ctx, input: Draft) -> Result<Basket> {
    let customer = match input.customer_id {
        Some(id) => Some(customers::find(ctx, tx, id).await?),
        None => None,
    };
    let home = customer.as_ref().map(|customer| customer.store_id);
    let store = stores::choose(ctx, tx, input.store_id.or(home)).await?;
    if input.items.is_empty() {
        return Err(Error::invalid("/items", "name at least one variant"));
    }
    let coupon_id = match &input.coupon_code {
        Some(code) => Some(pricing::find_coupon(tx, code).await?.0.id),
        None => None,
    };
    Ok(Basket {
        store_id: store.id,
        customer_id: input.customer_id,
        lines: input.items.iter().map(|item| (item.variant_id, item.quantity)).collect(),
        address: address(tx, ctx, &input).await?,
        shipping_method_id: input.shipping_method_id,
        coupon_id,
        cart_id: None,
        contact_email: contact(customer.as_ref(), input.contact_email)?,
        holder: None,
        agreed_total_minor: None,
    })
}

/// The address that was given or named, else the customer's default one.
async fn address(tx: &impl ConnectionTrait, ctx: &Ctx, input: &Draft) -> Result<Address> {
    match (&input.address, input.address_id, input.customer_id) {
        (Some(_), Some(_), _) => {
            Err(Error::invalid("/address_id", "give either an address or the id of one"))
        }
        (Some(address), None, _) => {
            check_address(address, "/address")?;
            Ok(address.clone())
        }
        (None, Some(id), Some(customer)) => Ok(addresses::find(ctx, tx, customer, id).await?.address),
        (None, None, Some(customer)) => default_address(tx, customer).await,
        (None, _, None) => Err(Error::invalid("/address", "a guest's order needs an address")),
    }
}

async fn default_address(tx: &impl ConnectionTrait, customer: CustomerId) -> Result<Address> {
    use sea_orm::{ColumnTrait, QueryFilter};
    let default = address_rows::Entity::find()
        .filter(address_rows::Column::CustomerId.eq(customer))
        .filter(address_rows::Column::IsDefault.eq(true));
    let row = default.one(tx).await?;
    row.map(|row| row.address)
        .ok_or_else(|| Error::invalid("/address", "the customer has no default address; give one"))
}

fn contact(customer: Option<&customer_rows::Model>, given: Option<String>) -> Result<String> {
    match (given, customer) {
        (Some(email), _) => {
            customers::check_email(&email)
                .map_err(|_| Error::invalid("/contact_email", "an email address such as ada@example.com"))?;
            Ok(email)
        }
        (None, Some(customer)) => Ok(customer.email.clone()),
        (None, None) => Err(Error::invalid("/contact_email", "a guest's order needs an email address")),
    }
}

/// Makes a draft an order whose customer pays it.
pub(crate) async fn place_draft(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    order: orders::Model,
) -> Result<orders::Model> {
    let status = order.status.after(OrderEvent::Placed);
    let status = status.map_err(|refusal| Error::precondition("order_not_ready", refusal.to_string()))?;
    let id: OrderId = order.id;
    let mut row = bind(tx, ctx, order).await?.into_active_model();
    row.status = Set(status);
    row.update(tx).await?;
    refresh(tx, ctx, id).await
}

/// From here on the customer owes a draft's total, at the prices it was written down with, and its stock is held.
///
/// # Errors
/// When the customer may not buy, or the goods are not there any more.
pub(super) async fn bind(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    order: orders::Model,
) -> Result<orders::Model> {
    must_not_be_blocked(tx, order.customer_id).await?;
    for line in lines_of(tx, order.id).await? {
        let variant = variants::Entity::find_by_id(line.variant_id).one(tx).await?;
        let variant = variant.ok_or_else(|| Error::internal("a line of a variant that has vanished"))?;
        inventory::reserve(tx, ctx, &variant, line.quantity, &order.id.to_string(), None).await?;
    }
    let postings = order_placed(&ledger::sale_of(&order))?;
    ledger::post(tx, ctx, &postings, ledger::Refs::order(&order), "placed").await?;
    let data = json!({ "total_minor": order.total_minor });
    events::record(tx, ctx, "order.placed", order.id, Some(order.id), data).await?;
    let mut row = order.into_active_model();
    row.placed_at = Set(ctx.now());
    Ok(row.update(tx).await?)
}

use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder};
use shop_domain::governance::Owner;
use shop_domain::ids::CartId;
use shop_domain::operations::operation;
use shop_domain::status::CartStatus;
use shop_store::entities::{cart_lines, carts, stores};

use super::totals;
use super::view::{TotalsView, View};
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};
use crate::{Ctx, pricing, shipping};

/// One cart.
///
/// # Errors
/// When it is out of sight.
pub async fn get(ctx: &Ctx, id: CartId) -> Result<View> {
    ctx.may(operation("get_cart"))?;
    let conn = ctx.read()?;
    let (cart, store) = find(ctx, conn, id).await?;
    totals::view(ctx, conn, cart, store).await
}

/// What a cart would cost now.
///
/// # Errors
/// When it is out of sight.
pub async fn calculate_totals(ctx: &Ctx, id: CartId) -> Result<TotalsView> {
    ctx.may(operation("calculate_cart_totals"))?;
    let conn = ctx.read()?;
    let (cart, store) = find(ctx, conn, id).await?;
    Ok(totals::view(ctx, conn, cart, store).await?.totals)
}

/// How a cart could be shipped, cheapest first.
///
/// # Errors
/// When it is out of sight, or has no address yet.
pub async fn list_shipping_options(ctx: &Ctx, id: CartId, page: PageQuery) -> Result<Page<shipping::Rate>> {
    ctx.may(operation("list_cart_shipping_options"))?;
    let conn = ctx.read()?;
    let (cart, store) = find(ctx, conn, id).await?;
    let address = cart.shipping_address.as_ref().ok_or_else(no_address)?;
    let rows = totals::rows(ctx, conn, &cart, &store).await?;
    let lines = rows.priceable();
    let basket = (pricing::subtotal_of(&lines), pricing::weight_of(&lines));
    let options = shipping::options(ctx, conn, &store, address, basket).await?;
    let limit = page.limit()?;
    let after = page.after::<usize>()?.unwrap_or(0);
    let rest: Vec<(usize, shipping::Rate)> = (1..).zip(options).skip(after).collect();
    Ok(Page::cut(rest, limit, |(at, _)| at.to_string()).map(|(_, option)| option))
}

pub(super) fn no_address() -> Error {
    Error::precondition("cart_has_no_address", "the cart has no address yet: set_cart_shipping_address")
}

/// One cart in sight, with its store. A guest's cart is seen by staff of the store only.
pub(crate) async fn find(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    id: CartId,
) -> Result<(carts::Model, stores::Model)> {
    let missing = || Error::not_found(format!("cart {id}"));
    let cart = carts::Entity::find_by_id(id).one(conn).await?.ok_or_else(missing)?;
    let store = stores::Entity::find_by_id(cart.store_id).one(conn).await?;
    let store = store.ok_or_else(|| Error::internal("a cart without a store"))?;
    let owner = Owner { brand: Some(store.brand_id), store: Some(store.id), customer: cart.customer_id };
    ctx.must_see(&owner, format!("cart {id}"))?;
    Ok((cart, store))
}

/// The same for a cart that can still be changed.
pub(crate) async fn find_open(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    id: CartId,
) -> Result<(carts::Model, stores::Model)> {
    let (cart, store) = find(ctx, conn, id).await?;
    let detail = match (cart.status, cart.order_id) {
        (CartStatus::Open, _) => return Ok((cart, store)),
        (CartStatus::Ordered, Some(order)) => format!("cart {id} became order {order}; open a new cart"),
        (CartStatus::Ordered | CartStatus::Abandoned, _) => {
            format!("cart {id} is {}; open a new cart", cart.status)
        }
    };
    Err(Error::precondition("cart_not_open", detail))
}

pub(super) async fn lines_of(conn: &impl ConnectionTrait, id: CartId) -> Result<Vec<cart_lines::Model>> {
    let lines = cart_lines::Entity::find().filter(cart_lines::Column::CartId.eq(id));
    Ok(lines.order_by_asc(cart_lines::Column::Position).all(conn).await?)
}

use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use shop_domain::governance::Scope;
use shop_domain::ids::{CartId, CartLineId, CustomerId, StoreId, VariantId};
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_domain::status::CartStatus;
use shop_store::entities::{cart_lines, carts as rows, variants};

use crate::carts;
use crate::ctx::Ctx;
use crate::error::{Error, Result};

/// A cart that can still become an order.
#[derive(Clone, Debug)]
pub struct Cart {
    pub id: CartId,
    pub store_id: StoreId,
    pub customer_id: CustomerId,
    pub items: Vec<CartItem>,
    /// Grows with every change.
    pub version: i64,
}

/// Units of one variant in a cart.
#[derive(Clone, Debug)]
pub struct CartItem {
    pub line_id: CartLineId,
    pub variant_id: VariantId,
    pub title: String,
    pub quantity: i64,
}

/// One open cart of a customer in sight.
///
/// # Errors
/// When it is out of sight, became an order, or is a guest's.
pub async fn cart(ctx: &Ctx, id: CartId) -> Result<Cart> {
    ctx.may(operation("get_cart"))?;
    let conn = ctx.read()?;
    let (row, _) = carts::find_open(ctx, conn, id).await?;
    with_items(conn, row).await
}

/// The open carts of the customer behind the call that have something in them, the last touched first. Staff name
/// the cart they mean.
///
/// # Errors
/// When the caller may not.
pub async fn open_carts(ctx: &Ctx) -> Result<Vec<Cart>> {
    ctx.may(operation("get_cart"))?;
    let Scope::Customer(customer) = ctx.principal.scope else { return Ok(Vec::new()) };
    let conn = ctx.read()?;
    let found = rows::Entity::find()
        .filter(rows::Column::CustomerId.eq(customer))
        .filter(rows::Column::Status.eq(CartStatus::Open))
        .order_by_desc(rows::Column::UpdatedAt)
        .order_by_desc(rows::Column::Id)
        .limit(u64::from(limits::PAGE_DEFAULT))
        .all(conn)
        .await?;
    let mut carts = Vec::with_capacity(found.len());
    for row in found {
        carts.push(with_items(conn, row).await?);
    }
    carts.retain(|cart| !cart.items.is_empty());
    Ok(carts)
}

async fn with_items(conn: &impl ConnectionTrait, row: rows::Model) -> Result<Cart> {
    let guest =
        || Error::precondition("cart_is_a_guests", "this cart belongs to nobody who could buy by an action");
    let customer_id = row.customer_id.ok_or_else(guest)?;
    let lines = cart_lines::Entity::find()
        .filter(cart_lines::Column::CartId.eq(row.id))
        .order_by_asc(cart_lines::Column::Position)
        .all(conn)
        .await?;
    let ids = lines.iter().map(|line| line.variant_id);
    let sold = variants::Entity::find().filter(variants::Column::Id.is_in(ids)).all(conn).await?;
    let title = |id| sold.iter().find(|variant| variant.id == id).map(|variant| variant.title.clone());
    let items = lines
        .into_iter()
        .map(|line| CartItem {
            line_id: line.id,
            variant_id: line.variant_id,
            title: title(line.variant_id).unwrap_or_default(),
            quantity: line.quantity,
        })
        .collect();
    Ok(Cart { id: row.id, store_id: row.store_id, customer_id, items, version: row.version })
}

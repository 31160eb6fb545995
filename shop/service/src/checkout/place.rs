use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, IntoActiveModel, Set};
use shop_domain::ids::{AddressId, CartId, CouponId, CustomerId, OrderId, ShippingMethodId, VariantId};
use shop_domain::operations::{Operation, operation};
use shop_domain::status::CartStatus;
use shop_store::entities::carts as rows;

use crate::ctx::Ctx;
use crate::error::{Error, Result};
use crate::orders::{self, View};
use crate::start::Start;
use crate::{Reply, addresses, carts, customers, idempotency};

/// What a buyer agreed to.
#[derive(Clone, Debug)]
pub struct Agreed {
    /// The cart it began in, whose customer buys, and which is an order then.
    pub cart_id: Option<CartId>,
    /// Who buys, where it began in no cart.
    pub customer_id: Option<CustomerId>,
    pub items: Vec<(VariantId, i64)>,
    pub address_id: AddressId,
    pub shipping_method_id: ShippingMethodId,
    pub coupon_id: Option<CouponId>,
    /// Another total is refused.
    pub total_minor: i64,
    /// Who holds the stock and the coupon for it.
    pub holder: String,
}

const PLACE: &Operation = operation("place_order_from_cart");

/// Turns what was agreed to into an order, and what is held into its stock. Charges nothing. Under the same key it is
/// one order, however often it is called.
///
/// # Errors
/// When anything is not as it was agreed to; then nothing changed.
pub async fn place(ctx: &Ctx, agreed: Agreed) -> Result<Reply<View>> {
    let tx = match ctx.start(PLACE).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (customer_id, store_id) = match agreed.cart_id {
        Some(cart) => {
            let (cart, store) = carts::find_open(ctx, &*tx, cart).await?;
            (cart.customer_id, Some(store.id))
        }
        None => (agreed.customer_id, None),
    };
    let customer_id = customer_id.ok_or_else(|| Error::invalid("/customer_id", "somebody has to buy it"))?;
    let customer = customers::find(ctx, &*tx, customer_id).await?;
    let address = addresses::find(ctx, &*tx, customer_id, agreed.address_id).await?;
    let basket = orders::Basket {
        store_id: store_id.unwrap_or(customer.store_id),
        customer_id: Some(customer.id),
        lines: agreed.items,
        address: address.address,
        shipping_method_id: agreed.shipping_method_id,
        coupon_id: agreed.coupon_id,
        cart_id: agreed.cart_id,
        contact_email: customer.email,
        holder: Some(agreed.holder),
        agreed_total_minor: Some(agreed.total_minor),
    };
    let order = orders::place(&*tx, ctx, basket).await?;
    if let Some(cart) = agreed.cart_id {
        close_cart(&*tx, ctx, cart, order.id).await?;
    }
    let view = orders::view(&*tx, order.id).await?;
    tx.finish(ctx, order.id, view).await
}

async fn close_cart(tx: &impl ConnectionTrait, ctx: &Ctx, cart: CartId, order: OrderId) -> Result<()> {
    let Some(row) = rows::Entity::find_by_id(cart).one(tx).await? else { return Ok(()) };
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.status = Set(CartStatus::Ordered);
    row.order_id = Set(Some(order));
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    row.update(tx).await?;
    Ok(())
}

/// A cart whose order was taken back is open again.
pub(super) async fn reopen_cart(tx: &impl ConnectionTrait, ctx: &Ctx, cart: CartId) -> Result<()> {
    let Some(row) = rows::Entity::find_by_id(cart).one(tx).await? else { return Ok(()) };
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.status = Set(CartStatus::Open);
    row.order_id = Set(None);
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    row.update(tx).await?;
    Ok(())
}

/// The order that [`place`] made under the key of this call, as it is now; `None` when it made none.
///
/// # Errors
/// When the database does not answer.
pub async fn placed(ctx: &Ctx) -> Result<Option<View>> {
    ctx.may(operation("get_order"))?;
    let conn = ctx.read()?;
    let answer: Option<View> = idempotency::answered(conn, ctx, PLACE).await?;
    let Some(made) = answer else { return Ok(None) };
    orders::find(ctx, conn, made.id).await?;
    orders::view(conn, made.id).await.map(Some)
}

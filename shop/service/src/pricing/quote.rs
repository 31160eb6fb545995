use sea_orm::ConnectionTrait;
use shop_domain::governance::Scope;
use shop_domain::ids::CustomerId;
use shop_domain::operations::operation;

use super::coupon::find_coupon;
use super::input::{Item, Quote, Tax};
use super::price::{Basket, price, price_held};
use super::view::{QuoteView, TaxView};
use crate::addresses::check_address;
use crate::error::{Error, Result};
use crate::{Ctx, customers, stores};

/// What a basket would cost now. Promises nothing: neither the price nor the stock.
///
/// # Errors
/// When something cannot be bought, delivered or discounted as asked.
pub async fn quote(ctx: &Ctx, input: Quote) -> Result<QuoteView> {
    quote_held(ctx, input, None).await
}

/// The same for somebody who may hold a use of the coupon already, such as an action before its confirmation.
///
/// # Errors
/// As [`quote`].
pub async fn quote_held(ctx: &Ctx, input: Quote, holder: Option<&str>) -> Result<QuoteView> {
    ctx.may(operation("quote_price"))?;
    let conn = ctx.read()?;
    must_have_items(&input.items)?;
    if let Some(address) = &input.address {
        check_address(address, "/address")?;
    }
    let store = stores::choose(ctx, conn, input.store_id).await?;
    let coupon_id = match &input.coupon_code {
        Some(code) => Some(find_coupon(conn, code).await?.0.id),
        None => None,
    };
    let basket = Basket {
        store_id: store.id,
        customer_id: buyer(ctx, conn, input.customer_id).await?,
        lines: input.items.iter().map(|item| (item.variant_id, item.quantity)).collect(),
        address: input.address,
        shipping_method_id: input.shipping_method_id,
        coupon_id,
    };
    price_held(ctx, conn, &basket, holder).await.map(QuoteView::from)
}

/// Tax for lines and an address without an order.
///
/// # Errors
/// When something is not sold, or a method does not go to the address.
pub async fn tax(ctx: &Ctx, input: Tax) -> Result<TaxView> {
    ctx.may(operation("calculate_tax"))?;
    let conn = ctx.read()?;
    must_have_items(&input.items)?;
    check_address(&input.address, "/address")?;
    let store = stores::choose(ctx, conn, input.store_id).await?;
    let basket = Basket {
        store_id: store.id,
        customer_id: buyer(ctx, conn, input.customer_id).await?,
        lines: input.items.iter().map(|item| (item.variant_id, item.quantity)).collect(),
        address: Some(input.address),
        shipping_method_id: input.shipping_method_id,
        coupon_id: None,
    };
    price(ctx, conn, &basket).await.map(TaxView::from)
}

/// The customer that is meant: a shopper is always their own.
pub(super) async fn buyer(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    named: Option<CustomerId>,
) -> Result<Option<CustomerId>> {
    match (named, ctx.principal.scope) {
        (Some(id), _) => Ok(Some(customers::find(ctx, conn, id).await?.id)),
        (None, Scope::Customer(own)) => Ok(Some(own)),
        (None, Scope::Tenant | Scope::Brand(_) | Scope::Store(_)) => Ok(None),
    }
}

fn must_have_items(items: &[Item]) -> Result<()> {
    if items.is_empty() {
        return Err(Error::invalid("/items", "name at least one variant"));
    }
    Ok(())
}

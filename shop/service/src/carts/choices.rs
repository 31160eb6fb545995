use sea_orm::{ConnectionTrait, IntoActiveModel, Set};
use serde_json::json;
use shop_domain::code::ErrorCode;
use shop_domain::ids::CartId;
use shop_domain::operations::operation;
use shop_store::entities::promotions as promotion_rows;

use super::input::{ApplyCoupon, SelectShipping, SetAddress};
use super::items::save;
use super::read::find_open;
use super::totals::rows;
use super::view::View;
use crate::addresses::{self, check_address};
use crate::error::{Error, Result};
use crate::start::Start;
use crate::{Ctx, Reply, events, pricing, promotions, shipping};

/// Puts a coupon on a cart, or takes it off. A use is counted when the order is placed.
///
/// # Errors
/// When the cart is out of sight or closed, or the coupon cannot be used for it.
pub async fn apply_coupon(ctx: &Ctx, id: CartId, input: ApplyCoupon) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("apply_cart_coupon")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (cart, store) = find_open(ctx, &*tx, id).await?;
    ctx.must_match(cart.version)?;
    let coupon_id = match &input.code {
        None => None,
        Some(code) => {
            let (coupon, promotion) = pricing::find_coupon(&*tx, code).await?;
            let (row, holder) = ((&coupon, &promotion), id.to_string());
            pricing::must_be_usable(ctx, &*tx, row, &store, cart.customer_id, Some(&holder)).await?;
            must_reach(&*tx, &coupon.code, &promotion, rows(ctx, &*tx, &cart, &store).await?.priceable())
                .await?;
            Some(coupon.id)
        }
    };
    let mut row = cart.clone().into_active_model();
    row.coupon_id = Set(coupon_id);
    events::record(&*tx, ctx, "cart.coupon_applied", id, None, json!({ "coupon_id": coupon_id })).await?;
    let view = save(ctx, &*tx, &cart, row, store).await?;
    tx.finish(ctx, id, view).await
}

/// Refuses a coupon whose promotion is for other products, or for more of them.
async fn must_reach(
    tx: &impl ConnectionTrait,
    code: &str,
    promotion: &promotion_rows::Model,
    mut lines: Vec<pricing::Line>,
) -> Result<()> {
    let goods: Vec<_> = lines.iter().map(|line| line.product.id).collect();
    if let Some(own) = promotions::discount_on(tx, promotion, &goods).await?.lines {
        if own.is_empty() {
            let detail = format!("coupon {code} is for a collection, and nothing in this cart is of it");
            return Err(Error::new(ErrorCode::CouponInvalid, detail).with_rule("not_in_collection"));
        }
        lines =
            lines.into_iter().enumerate().filter(|(at, _)| own.contains(at)).map(|(_, line)| line).collect();
    }
    let (subtotal, least) = (pricing::subtotal_of(&lines), promotion.min_subtotal_minor);
    if subtotal >= least {
        return Ok(());
    }
    let detail =
        format!("coupon {code} needs a subtotal of {least}, and this cart has {subtotal}; add items first");
    Err(Error::new(ErrorCode::CouponInvalid, detail).with_rule("below_minimum"))
}

/// Says where a cart will go. A shipping method that does not go there is taken back.
///
/// # Errors
/// When the cart or the saved address is out of sight, or the store does not deliver there.
pub async fn set_shipping_address(ctx: &Ctx, id: CartId, input: SetAddress) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("set_cart_shipping_address")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (cart, store) = find_open(ctx, &*tx, id).await?;
    ctx.must_match(cart.version)?;
    let address = match (input.address_id, input.address, cart.customer_id) {
        (Some(saved), None, Some(customer)) => addresses::find(ctx, &*tx, customer, saved).await?.address,
        (None, Some(address), _) => address,
        (Some(_), None, None) => {
            return Err(Error::invalid(
                "/address_id",
                "a guest has no saved addresses; send a whole address",
            ));
        }
        (Some(_), Some(_), _) | (None, None, _) => {
            return Err(Error::invalid("/address", "send either address_id or address"));
        }
    };
    check_address(&address, "/address")?;
    let lines = rows(ctx, &*tx, &cart, &store).await?.priceable();
    let basket = (pricing::subtotal_of(&lines), pricing::weight_of(&lines));
    let options = shipping::options(ctx, &*tx, &store, &address, basket).await?;
    if options.is_empty() {
        let detail = format!("{} delivers nothing to {} at this weight", store.name, address.country);
        return Err(Error::new(ErrorCode::AddressUndeliverable, detail));
    }
    let reaches = |method| options.iter().any(|option| option.shipping_method_id == method);
    let mut row = cart.clone().into_active_model();
    row.address_id = Set(input.address_id);
    row.shipping_address = Set(Some(address));
    row.shipping_method_id = Set(cart.shipping_method_id.filter(|method| reaches(*method)));
    events::record(&*tx, ctx, "cart.address_set", id, None, json!({ "address_id": input.address_id }))
        .await?;
    let view = save(ctx, &*tx, &cart, row, store).await?;
    tx.finish(ctx, id, view).await
}

/// Says how a cart will go.
///
/// # Errors
/// When the cart or the method is out of sight, or the method does not go to the address of the cart.
pub async fn select_shipping_option(ctx: &Ctx, id: CartId, input: SelectShipping) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("select_cart_shipping_option")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (cart, store) = find_open(ctx, &*tx, id).await?;
    ctx.must_match(cart.version)?;
    let weight = pricing::weight_of(&rows(ctx, &*tx, &cart, &store).await?.priceable());
    let address = cart.shipping_address.as_ref();
    let method = shipping::method_for(&*tx, &store, input.shipping_method_id, address, weight).await?;
    let mut row = cart.clone().into_active_model();
    row.shipping_method_id = Set(Some(method.id));
    let data = json!({ "shipping_method_id": method.id });
    events::record(&*tx, ctx, "cart.shipping_selected", id, None, data).await?;
    let view = save(ctx, &*tx, &cart, row, store).await?;
    tx.finish(ctx, id, view).await
}

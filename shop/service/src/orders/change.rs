use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, IntoActiveModel, Set};
use serde_json::json;
use shop_domain::address::Address;
use shop_domain::after_sales::AfterSalesOperation;
use shop_domain::ids::OrderId;
use shop_domain::ledger::{Sale, order_edited};
use shop_domain::operations::operation;
use shop_domain::status::FulfillmentStatus;
use shop_domain::taxes::is_same_place;
use shop_domain::totals::Totals;
use shop_store::entities::{order_lines, orders, shipping_methods, stores, variants};

use super::input::{ChangeAddress, ChangeShipping};
use super::read::{find, lines_of, view};
use super::refresh::refresh;
use super::stop::waiting_parcels;
use super::view::Requoted;
use crate::addresses::check_address;
use crate::after_sales::{self, Ask};
use crate::error::{Error, Result};
use crate::start::{Start, Write};
use crate::{Ctx, Reply, events, ledger, pricing, shipping};

/// Sends an unshipped order elsewhere. Tax and shipping are quoted anew; prices and discounts stay as agreed.
///
/// # Errors
/// When goods have shipped, a label is bought already, or the shipping method does not go there.
pub async fn change_address(ctx: &Ctx, id: OrderId, input: ChangeAddress) -> Result<Reply<Requoted>> {
    let tx = match ctx.start(operation("change_order_delivery_address")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let order = find(ctx, &*tx, id).await?;
    ctx.must_match(order.version)?;
    check_address(&input.address, "/address")?;
    let ask = Ask {
        lines: None,
        outflow_minor: 0,
        subject: id.to_string(),
        approval_id: input.approval_id,
        input: &input,
    };
    let op = AfterSalesOperation::ChangeOrderDeliveryAddress;
    after_sales::permit(&*tx, ctx, op, &order, ask).await?;
    redirect_parcels(&*tx, ctx, id, &input.address).await?;
    let lines = lines_of(&*tx, id).await?;
    // A method belongs to one zone, so an order that leaves its zone changes both at once or neither.
    let method = match input.shipping_method_id.or(order.shipping_method_id) {
        Some(method) => Some(reaching(&*tx, &order, &lines, method, &input.address).await?),
        None => None,
    };
    let change = pricing::Change { address: &input.address, method: method.as_ref(), extra: None };
    let totals = pricing::reprice(&*tx, &order, &lines, change).await?;
    let before = order.total_minor;
    let is_tax_exempt = order.is_tax_exempt && is_same_place(&order.shipping_address, &input.address);
    let order = requote(&*tx, ctx, order, &lines, &totals).await?;
    let mut row = order.into_active_model();
    row.is_tax_exempt = Set(is_tax_exempt);
    row.shipping_address = Set(input.address);
    row.shipping_method_id = Set(method.map(|method| method.id));
    row.update(&*tx).await?;
    finish(tx, ctx, id, before, "order.address_changed").await
}

/// Sends an unshipped order by another method; says what it costs more or less.
///
/// # Errors
/// When goods have shipped, shipping went back already, or the method does not reach the address.
pub async fn change_shipping(ctx: &Ctx, id: OrderId, input: ChangeShipping) -> Result<Reply<Requoted>> {
    let tx = match ctx.start(operation("change_order_shipping_option")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let order = find(ctx, &*tx, id).await?;
    ctx.must_match(order.version)?;
    // What holds for the address holds for the way there.
    let subject = id.to_string();
    let ask = Ask { lines: None, outflow_minor: 0, subject, approval_id: None, input: &input };
    let op = AfterSalesOperation::ChangeOrderDeliveryAddress;
    after_sales::permit(&*tx, ctx, op, &order, ask).await?;
    must_have_no_label(&*tx, id).await?;
    let lines = lines_of(&*tx, id).await?;
    let address = order.shipping_address.clone();
    let method = reaching(&*tx, &order, &lines, input.shipping_method_id, &address).await?;
    let change = pricing::Change { address: &address, method: Some(&method), extra: None };
    let mut totals = pricing::reprice(&*tx, &order, &lines, change).await?;
    keep_lines(&mut totals, &order, &lines);
    let before = order.total_minor;
    let order = requote(&*tx, ctx, order, &lines, &totals).await?;
    let mut row = order.into_active_model();
    row.shipping_method_id = Set(Some(method.id));
    row.update(&*tx).await?;
    finish(tx, ctx, id, before, "order.shipping_changed").await
}

async fn finish(
    tx: Write,
    ctx: &Ctx,
    id: OrderId,
    before_minor: i64,
    event: &str,
) -> Result<Reply<Requoted>> {
    let order = refresh(&*tx, ctx, id).await?;
    let difference_minor = order.total_minor - before_minor;
    ctx.must_agree(difference_minor)?;
    let data = json!({ "difference_minor": difference_minor });
    events::record(&*tx, ctx, event, id, Some(id), data).await?;
    let order = view(&*tx, id).await?;
    let view = Requoted { before_minor, difference_minor, version: order.version, order };
    tx.finish(ctx, id, view).await
}

/// The method, if it carries the order's weight there.
async fn reaching(
    tx: &impl ConnectionTrait,
    order: &orders::Model,
    lines: &[order_lines::Model],
    id: shop_domain::ids::ShippingMethodId,
    address: &Address,
) -> Result<shipping_methods::Model> {
    let store = stores::Entity::find_by_id(order.store_id).one(tx).await?;
    let store = store.ok_or_else(|| Error::internal("an order without a store"))?;
    let mut weight = 0;
    for line in lines {
        let variant = variants::Entity::find_by_id(line.variant_id).one(tx).await?;
        weight += variant.map_or(0, |variant| variant.weight_g) * line.quantity;
    }
    shipping::method_for(tx, &store, id, Some(address), weight).await
}

/// A change of shipping alone leaves the lines as they were agreed, whatever tax rates came since.
fn keep_lines(totals: &mut Totals, order: &orders::Model, lines: &[order_lines::Model]) {
    let shipping = totals.shipping;
    for (line, total) in lines.iter().zip(totals.lines.iter_mut()) {
        total.discount_minor = line.discount_minor;
        total.tax_minor = line.tax_minor;
        total.total_minor = line.total_minor;
    }
    totals.subtotal_minor = order.subtotal_minor;
    totals.discount_minor = order.discount_minor + shipping.discount_minor;
    totals.tax_minor = order.tax_minor - order.shipping_tax_minor + shipping.tax_minor;
    let goods = order.total_minor - order.shipping_minor - order.shipping_tax_minor;
    totals.total_minor = goods + shipping.total_minor;
}

/// Writes new totals, and the difference into the books.
///
/// # Errors
/// When parts of the order went back at the old price already.
async fn requote(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    order: orders::Model,
    lines: &[order_lines::Model],
    totals: &Totals,
) -> Result<orders::Model> {
    let before = Sale {
        goods_minor: order.subtotal_minor,
        shipping_minor: order.shipping_minor,
        discount_minor: order.discount_minor,
        tax_minor: order.tax_minor,
        total_minor: order.total_minor,
    };
    let after = Sale::of(totals)?;
    if before == after {
        return Ok(order);
    }
    let are_lines_new =
        lines.iter().zip(&totals.lines).any(|(line, new)| line.total_minor != new.total_minor);
    let is_partly_back = order.shipping_refunded_minor > 0
        || (are_lines_new && lines.iter().any(|line| line.refunded_minor > 0 || line.cancelled_quantity > 0));
    if is_partly_back {
        let detail = format!(
            "it would cost {} instead of {}, and a part of it went back at the old price; refund what has not shipped and order anew",
            after.total_minor, before.total_minor
        );
        return Err(Error::not_eligible("order_partly_refunded", detail));
    }
    for (line, new) in lines.iter().zip(&totals.lines) {
        let mut row = line.clone().into_active_model();
        row.discount_minor = Set(new.discount_minor);
        row.tax_minor = Set(new.tax_minor);
        row.total_minor = Set(new.total_minor);
        row.update(tx).await?;
    }
    ledger::post(tx, ctx, &order_edited(&before, &after)?, ledger::Refs::order(&order), "edited").await?;
    let mut row = order.into_active_model();
    row.subtotal_minor = Set(totals.subtotal_minor);
    row.discount_minor = Set(after.discount_minor);
    row.shipping_minor = Set(after.shipping_minor);
    row.shipping_tax_minor = Set(totals.shipping.tax_minor);
    row.tax_minor = Set(after.tax_minor);
    row.total_minor = Set(after.total_minor);
    Ok(row.update(tx).await?)
}

/// Parcels that are being packed get the new address; a bought label has the old one on it.
async fn redirect_parcels(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    id: OrderId,
    address: &Address,
) -> Result<()> {
    must_have_no_label(tx, id).await?;
    for parcel in waiting_parcels(tx, id).await? {
        let version = parcel.version + 1;
        let mut row = parcel.into_active_model();
        row.destination = Set(address.clone());
        row.updated_at = Set(ctx.now());
        row.version = Set(version);
        row.update(tx).await?;
    }
    Ok(())
}

async fn must_have_no_label(tx: &impl ConnectionTrait, id: OrderId) -> Result<()> {
    let parcels = waiting_parcels(tx, id).await?;
    match parcels.iter().find(|parcel| parcel.status == FulfillmentStatus::Labelled) {
        Some(parcel) => Err(Error::precondition(
            "shipping_label_bought",
            format!("fulfillment {} has its label already; void_shipping_label first", parcel.id),
        )),
        None => Ok(()),
    }
}

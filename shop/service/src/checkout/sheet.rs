use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder};
use shop_domain::ids::{AddressId, CouponId, CustomerId, ShippingMethodId, StoreId, VariantId};
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_domain::totals::Totals;
use shop_store::entities::{addresses, stores};

use super::coupons::coupons;
use super::instruments::instruments;
use super::items::items;
use super::view::{Address, Item, Price, Sheet};
use crate::ctx::Ctx;
use crate::error::{Error, Result};
use crate::pricing::{self, Basket};
use crate::{customers, shipping};

/// What somebody would like to buy, as far as they have said.
#[derive(Clone, Debug)]
pub struct Wish {
    pub customer_id: CustomerId,
    /// The store that sells; the customer's own when absent.
    pub store_id: Option<StoreId>,
    pub items: Vec<(VariantId, i64)>,
    pub address_id: Option<AddressId>,
    pub shipping_method_id: Option<ShippingMethodId>,
    pub coupon_id: Option<CouponId>,
    /// Who may hold stock and a coupon for it already: what is held for this wish does not stand in its way.
    pub holder: String,
}

/// Everything there is to choose from, and what it would cost now. Promises nothing.
///
/// # Errors
/// When the customer is out of sight. What is wrong with the wish is said on the sheet.
pub async fn sheet(ctx: &Ctx, wish: &Wish) -> Result<Sheet> {
    ctx.may(operation("quote_price"))?;
    let conn = ctx.read()?;
    let customer = customers::find(ctx, conn, wish.customer_id).await?;
    let store = stores::Entity::find_by_id(wish.store_id.unwrap_or(customer.store_id)).one(conn).await?;
    let store = store.ok_or_else(|| Error::internal("a customer without a store"))?;
    let items = items(ctx, conn, &store, wish).await?;
    let lines = buyable(&items);
    let loaded = pricing::load_lines(ctx, conn, &store, Some(customer.id), &lines).await?;
    let parcel = (pricing::subtotal_of(&loaded), pricing::weight_of(&loaded));
    let addresses = book(ctx, conn, &store, customer.id, parcel).await?;
    let wished = addresses.iter().find(|entry| Some(entry.id) == wish.address_id);
    let shipping = match wished {
        Some(entry) => shipping::options(ctx, conn, &store, &entry.address, parcel).await?,
        None => Vec::new(),
    };
    let reached = |id: &ShippingMethodId| shipping.iter().any(|rate| rate.shipping_method_id == *id);
    let cheapest = || shipping.first().map(|rate| rate.shipping_method_id);
    let basket = Basket {
        store_id: store.id,
        customer_id: Some(customer.id),
        lines,
        address: wished.map(|entry| entry.address.clone()),
        shipping_method_id: wish.shipping_method_id.filter(reached).or_else(cheapest),
        coupon_id: None,
    };
    let (price, coupons, coupon_refusal) = if basket.lines.is_empty() {
        (None, Vec::new(), None)
    } else {
        let priced = pricing::price_held(ctx, conn, &basket, Some(&wish.holder)).await?;
        let (offered, refusal) = coupons(ctx, conn, &basket, wish.coupon_id, &wish.holder).await?;
        (Some(Price::from(&priced.totals)), offered, refusal)
    };
    Ok(Sheet {
        store_id: store.id,
        customer_id: customer.id,
        currency: store.currency,
        items,
        addresses,
        shipping,
        price,
        coupons,
        coupon_refusal,
        instruments: instruments(conn, customer.id, store.currency).await?,
    })
}

/// What can be priced: what is sold, in a quantity that can be asked for.
fn buyable(items: &[Item]) -> Vec<(VariantId, i64)> {
    let quantities = 1..=i64::from(limits::QUANTITY_MAX);
    let sold = items.iter().filter(|item| item.is_sold && quantities.contains(&item.quantity));
    sold.take(limits::LINES_MAX).map(|item| (item.variant_id, item.quantity)).collect()
}

async fn book(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    store: &stores::Model,
    customer: CustomerId,
    parcel: (i64, i64),
) -> Result<Vec<Address>> {
    let rows = addresses::Entity::find()
        .filter(addresses::Column::CustomerId.eq(customer))
        .order_by_desc(addresses::Column::IsDefault)
        .order_by_asc(addresses::Column::Id)
        .all(conn)
        .await?;
    let mut book = Vec::with_capacity(rows.len());
    for row in rows {
        let reaching = shipping::options(ctx, conn, store, &row.address, parcel).await?;
        book.push(Address {
            id: row.id,
            label: row.label,
            address: row.address,
            is_default: row.is_default,
            is_deliverable: !reaching.is_empty(),
        });
    }
    Ok(book)
}

impl From<&Totals> for Price {
    fn from(totals: &Totals) -> Self {
        Self {
            subtotal_minor: totals.subtotal_minor,
            discount_minor: totals.discount_minor,
            shipping_minor: totals.shipping.total_minor - totals.shipping.tax_minor,
            tax_minor: totals.tax_minor,
            total_minor: totals.total_minor,
        }
    }
}

use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use shop_domain::address::Address;
use shop_domain::ids::{AddressId, CustomerId};
use shop_domain::operations::operation;
use shop_store::entities::addresses;

use super::input::check_address;
use super::view::{Validation, View};
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};
use crate::{Ctx, customers, shipping};

/// The address book, oldest entry first.
///
/// # Errors
/// When the customer is out of sight.
pub async fn list(ctx: &Ctx, customer: CustomerId, page: PageQuery) -> Result<Page<View>> {
    ctx.may(operation("list_customer_addresses"))?;
    customers::find(ctx, ctx.read()?, customer).await?;
    let limit = page.limit()?;
    let mut query = addresses::Entity::find().filter(addresses::Column::CustomerId.eq(customer));
    if let Some(after) = page.after::<AddressId>()? {
        query = query.filter(addresses::Column::Id.gt(after));
    }
    let rows = query.order_by_asc(addresses::Column::Id).limit(limit + 1).all(ctx.read()?).await?;
    Ok(Page::cut(rows, limit, |row| row.id.to_string()).map(View::from))
}

/// Normalises an address and says whether any zone of the caller's store covers it.
///
/// # Errors
/// When a field is bad.
pub async fn validate(ctx: &Ctx, address: Address) -> Result<Validation> {
    ctx.may(operation("validate_address"))?;
    let normalized = Address {
        city: address.city.trim().to_owned(),
        postal_code: address.postal_code.trim().to_uppercase(),
        country: address.country.trim().to_uppercase(),
        ..address
    };
    check_address(&normalized, "")?;
    let is_deliverable = shipping::covers(ctx, ctx.read()?, &normalized).await?;
    let reason = (!is_deliverable).then(|| format!("no shipping zone covers {}", normalized.country));
    Ok(Validation { normalized, is_deliverable, reason })
}

/// One address of a customer in sight.
///
/// # Errors
/// `not_found`, also for somebody else's.
pub async fn find(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    customer: CustomerId,
    id: AddressId,
) -> Result<addresses::Model> {
    customers::find(ctx, conn, customer).await?;
    let row = addresses::Entity::find_by_id(id).one(conn).await?;
    row.filter(|row| row.customer_id == customer).ok_or_else(|| Error::not_found(format!("address {id}")))
}

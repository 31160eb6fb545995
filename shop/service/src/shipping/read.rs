use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use shop_domain::governance::Role;
use shop_domain::ids::{ShippingMethodId, ShippingZoneId};
use shop_domain::operations::operation;
use shop_store::entities::{shipping_methods, shipping_zones};

use super::input::{MethodFilter, ZoneFilter};
use super::view::{Method, Zone};
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};
use crate::{Ctx, stores};

/// Zones, oldest first.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list_zones(ctx: &Ctx, filter: ZoneFilter, page: PageQuery) -> Result<Page<Zone>> {
    ctx.may(operation("list_shipping_zones"))?;
    let limit = page.limit()?;
    let own = stores::ids_in_sight(&ctx.principal.scope);
    let mut query = shipping_zones::Entity::find().filter(shipping_zones::Column::StoreId.in_subquery(own));
    if let Some(store) = filter.store_id {
        query = query.filter(shipping_zones::Column::StoreId.eq(store));
    }
    if let Some(country) = filter.country {
        let is_code = country.len() == 2 && country.bytes().all(|byte| byte.is_ascii_uppercase());
        if !is_code {
            return Err(Error::invalid("/country", "country is an ISO 3166-1 alpha-2 code such as DE"));
        }
        // The countries of a zone are one JSON array of quoted codes.
        let text = Expr::col(shipping_zones::Column::Countries).cast_as("TEXT");
        query = query.filter(text.like(format!("%\"{country}\"%")));
    }
    if let Some(after) = page.after::<ShippingZoneId>()? {
        query = query.filter(shipping_zones::Column::Id.gt(after));
    }
    let rows = query.order_by_asc(shipping_zones::Column::Id).limit(limit + 1).all(ctx.read()?).await?;
    Ok(Page::cut(rows, limit, |row| row.id.to_string()).map(Zone::from))
}

/// Methods, oldest first. Shoppers see those they can use.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list_methods(ctx: &Ctx, filter: MethodFilter, page: PageQuery) -> Result<Page<Method>> {
    ctx.may(operation("list_shipping_methods"))?;
    let limit = page.limit()?;
    let own = stores::ids_in_sight(&ctx.principal.scope);
    let mut query =
        shipping_methods::Entity::find().filter(shipping_methods::Column::StoreId.in_subquery(own));
    if ctx.principal.role == Role::Shopper {
        query = query.filter(shipping_methods::Column::IsActive.eq(true));
    }
    if let Some(store) = filter.store_id {
        query = query.filter(shipping_methods::Column::StoreId.eq(store));
    }
    if let Some(zone) = filter.zone_id {
        query = query.filter(shipping_methods::Column::ZoneId.eq(zone));
    }
    if let Some(after) = page.after::<ShippingMethodId>()? {
        query = query.filter(shipping_methods::Column::Id.gt(after));
    }
    let rows = query.order_by_asc(shipping_methods::Column::Id).limit(limit + 1).all(ctx.read()?).await?;
    Ok(Page::cut(rows, limit, |row| row.id.to_string()).map(Method::from))
}

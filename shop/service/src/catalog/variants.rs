use sea_orm::sea_query::ExprTrait as _;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use shop_domain::ids::{ProductId, VariantId};
use shop_domain::operations::operation;
use shop_store::entities::{products, variants};

use super::read::{find, is_on_sale};
use super::search::can_be_bought;
use super::view::Variant;
use crate::Ctx;
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};

/// The variants of a product, in the product's own order.
///
/// # Errors
/// When the product is out of sight.
pub async fn list_variants(ctx: &Ctx, product: ProductId, page: PageQuery) -> Result<Page<Variant>> {
    ctx.may(operation("list_variants"))?;
    let conn = ctx.read()?;
    let product = find(ctx, conn, product).await?;
    let limit = page.limit()?;
    let own = variants::Entity::find().filter(variants::Column::ProductId.eq(product.id));
    let mut query = own.clone();
    if let Some(after) = page.after::<VariantId>()? {
        let last = own.clone().filter(variants::Column::Id.eq(after)).one(conn).await?;
        let last = last.ok_or_else(PageQuery::not_a_cursor)?;
        let is_beside = variants::Column::Position.eq(last.position).and(variants::Column::Id.gt(after));
        query = query.filter(variants::Column::Position.gt(last.position).or(is_beside));
    }
    let query = query.order_by_asc(variants::Column::Position).order_by_asc(variants::Column::Id);
    let rows = query.limit(limit + 1).all(conn).await?;
    let page = Page::cut(rows, limit, |row| row.id.to_string());
    let in_stock: Vec<VariantId> = own
        .filter(variants::Column::Id.in_subquery(can_be_bought(variants::Column::Id)))
        .select_only()
        .column(variants::Column::Id)
        .into_tuple()
        .all(conn)
        .await?;
    Ok(page.map(|row| {
        let is_available = is_on_sale(&row, &product) && in_stock.contains(&row.id);
        Variant::new(row, is_available)
    }))
}

/// One variant of a product in sight.
///
/// # Errors
/// When it is out of sight.
pub async fn variant(ctx: &Ctx, id: VariantId) -> Result<Variant> {
    ctx.may(operation("list_variants"))?;
    let conn = ctx.read()?;
    let (row, product) = find_variant(ctx, conn, id).await?;
    to_view(conn, row, &product).await
}

/// One variant as callers see it.
pub(super) async fn to_view(
    conn: &impl ConnectionTrait,
    row: variants::Model,
    product: &products::Model,
) -> Result<Variant> {
    let is_in_stock = variants::Entity::find_by_id(row.id)
        .filter(variants::Column::Id.in_subquery(can_be_bought(variants::Column::Id)))
        .one(conn)
        .await?
        .is_some();
    let is_available = is_on_sale(&row, product) && is_in_stock;
    Ok(Variant::new(row, is_available))
}

/// One variant of a product in sight, with that product.
pub(crate) async fn find_variant(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    id: VariantId,
) -> Result<(variants::Model, products::Model)> {
    let missing = || Error::not_found(format!("variant {id}"));
    let variant = variants::Entity::find_by_id(id).one(conn).await?.ok_or_else(missing)?;
    let product = find(ctx, conn, variant.product_id).await.map_err(|_| missing())?;
    Ok((variant, product))
}

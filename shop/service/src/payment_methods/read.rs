use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use shop_domain::ids::{CustomerId, PaymentMethodId};
use shop_domain::operations::operation;
use shop_store::entities::payment_methods;

use super::view::View;
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};
use crate::{Ctx, customers};

/// Saved methods that can be used, oldest first.
///
/// # Errors
/// When the customer is out of sight.
pub async fn list(ctx: &Ctx, customer: CustomerId, page: PageQuery) -> Result<Page<View>> {
    ctx.may(operation("list_payment_methods"))?;
    customers::find(ctx, ctx.read()?, customer).await?;
    let limit = page.limit()?;
    let mut query = payment_methods::Entity::find()
        .filter(payment_methods::Column::CustomerId.eq(customer))
        .filter(payment_methods::Column::DetachedAt.is_null());
    if let Some(after) = page.after::<PaymentMethodId>()? {
        query = query.filter(payment_methods::Column::Id.gt(after));
    }
    let rows = query.order_by_asc(payment_methods::Column::Id).limit(limit + 1).all(ctx.read()?).await?;
    Ok(Page::cut(rows, limit, |row| row.id.to_string()).map(View::from))
}

/// One usable method of a customer in sight.
pub(crate) async fn find(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    customer: CustomerId,
    id: PaymentMethodId,
) -> Result<payment_methods::Model> {
    customers::find(ctx, conn, customer).await?;
    let row = payment_methods::Entity::find_by_id(id).one(conn).await?;
    row.filter(|row| row.customer_id == customer && row.detached_at.is_none())
        .ok_or_else(|| Error::not_found(format!("payment method {id}")))
}

use sea_orm::sea_query::{Expr, SimpleExpr};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use shop_domain::governance::{Owner, Scope};
use shop_domain::ids::ApprovalId;
use shop_domain::operations::operation;
use shop_store::entities::approvals;

use super::input::Filter;
use super::view::View;
use crate::Ctx;
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};

/// Approvals in sight, newest first.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list(ctx: &Ctx, filter: Filter, page: PageQuery) -> Result<Page<View>> {
    ctx.may(operation("list_approvals"))?;
    let limit = page.limit()?;
    let mut query = approvals::Entity::find().filter(in_sight(&ctx.principal.scope));
    if let Some(status) = filter.status {
        query = query.filter(approvals::Column::Status.eq(status));
    }
    if let Some(subject) = filter.subject {
        query = query.filter(approvals::Column::Subject.eq(subject));
    }
    if let Some(before) = page.after::<ApprovalId>()? {
        query = query.filter(approvals::Column::Id.lt(before));
    }
    let rows = query.order_by_desc(approvals::Column::Id).limit(limit + 1).all(ctx.read()?).await?;
    Ok(Page::cut(rows, limit, |row| row.id.to_string()).map(View::from))
}

/// One approval.
///
/// # Errors
/// When it is out of sight.
pub async fn get(ctx: &Ctx, id: ApprovalId) -> Result<View> {
    ctx.may(operation("get_approval"))?;
    Ok(find(ctx, ctx.read()?, id).await?.into())
}

/// One approval in sight.
pub(crate) async fn find(ctx: &Ctx, conn: &impl ConnectionTrait, id: ApprovalId) -> Result<approvals::Model> {
    let row = approvals::Entity::find_by_id(id).one(conn).await?;
    let row = row.ok_or_else(|| Error::not_found(format!("approval {id}")))?;
    let owner = Owner { brand: row.brand_id, store: row.store_id, customer: row.customer_id };
    ctx.must_see(&owner, format!("approval {id}"))?;
    Ok(row)
}

fn in_sight(scope: &Scope) -> SimpleExpr {
    match *scope {
        Scope::Tenant => Expr::value(true),
        Scope::Brand(brand) => approvals::Column::BrandId.eq(brand),
        Scope::Store(store) => approvals::Column::StoreId.eq(store),
        Scope::Customer(customer) => approvals::Column::CustomerId.eq(customer),
    }
}

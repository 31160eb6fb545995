use std::collections::HashMap;

use sea_orm::sea_query::{Expr, Query, SimpleExpr};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use shop_domain::governance::{Owner, Role, Scope};
use shop_domain::ids::{PrincipalId, StaffId};
use shop_domain::operations::operation;
use shop_store::entities::{principals, role_grants, staff};

use super::input::Filter;
use super::place::{owner_of, scope_of};
use super::standing::roles_of;
use super::view::{GivenRole, View};
use crate::Ctx;
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};

/// A member of staff with who they are when they sign in.
pub(crate) struct Member {
    pub(crate) row: staff::Model,
    pub(crate) principal: principals::Model,
}

/// Members of staff in sight, oldest first.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list(ctx: &Ctx, filter: Filter, page: PageQuery) -> Result<Page<View>> {
    ctx.may(operation("list_staff"))?;
    let limit = page.limit()?;
    let mut who = Query::select();
    who.column(principals::Column::Id).from(principals::Entity).and_where(in_sight(&ctx.principal.scope));
    if let Some(store) = filter.store_id {
        who.and_where(principals::Column::StoreId.eq(store));
    }
    match filter.is_active {
        Some(true) => who.and_where(principals::Column::DeactivatedAt.is_null()),
        Some(false) => who.and_where(principals::Column::DeactivatedAt.is_not_null()),
        None => &mut who,
    };
    let mut query = staff::Entity::find().filter(staff::Column::PrincipalId.in_subquery(who));
    if let Some(email) = filter.email {
        query = query.filter(staff::Column::Email.eq(email));
    }
    if let Some(after) = page.after::<StaffId>()? {
        query = query.filter(staff::Column::Id.gt(after));
    }
    let rows = query.order_by_asc(staff::Column::Id).limit(limit + 1).all(ctx.read()?).await?;
    let page = Page::cut(rows, limit, |row| row.id.to_string());
    let items = views(ctx.read()?, page.items).await?;
    Ok(Page { items, has_more: page.has_more, next_cursor: page.next_cursor })
}

/// Members with their roles.
async fn views(conn: &impl ConnectionTrait, rows: Vec<staff::Model>) -> Result<Vec<View>> {
    let who = rows.iter().map(|row| row.principal_id);
    let who = principals::Entity::find().filter(principals::Column::Id.is_in(who)).all(conn).await?;
    let mut who: HashMap<PrincipalId, principals::Model> = who.into_iter().map(|row| (row.id, row)).collect();
    let given = role_grants::Entity::find()
        .filter(role_grants::Column::StaffId.is_in(rows.iter().map(|row| row.id)))
        .order_by_asc(role_grants::Column::Id)
        .all(conn)
        .await?;
    let named = roles_of(conn, &given).await?;
    let mut views = Vec::with_capacity(rows.len());
    for row in rows {
        let Some(principal) = who.remove(&row.principal_id) else { continue };
        let scope = scope_of(principal.brand_id, principal.store_id);
        let own = (principal.role != Role::None).then(|| GivenRole {
            name: principal.role.to_string(),
            role_id: None,
            scope,
            granted_by: None,
            approval_id: None,
        });
        let given = given.iter().filter(|grant| grant.staff_id == row.id).map(|grant| GivenRole {
            name: grant.role_id.and_then(|id| named.get(&id)).map_or_else(
                || grant.role.map(|role| role.to_string()).unwrap_or_default(),
                |role| role.name.clone(),
            ),
            role_id: grant.role_id,
            scope: scope_of(grant.brand_id, grant.store_id),
            granted_by: Some(grant.granted_by),
            approval_id: grant.approval_id,
        });
        let roles = own.into_iter().chain(given).collect();
        views.push(view(Member { row, principal }, roles));
    }
    Ok(views)
}

fn view(member: Member, roles: Vec<GivenRole>) -> View {
    let Member { row, principal } = member;
    View {
        id: row.id,
        principal_id: row.principal_id,
        name: row.name,
        email: row.email,
        scope: scope_of(principal.brand_id, principal.store_id),
        roles,
        is_active: principal.deactivated_at.is_none(),
        token: None,
        invited_by: row.invited_by,
        created_at: row.created_at,
        deactivated_at: principal.deactivated_at,
        version: row.version,
    }
}

/// One member as callers see them.
pub(super) async fn view_of(conn: &impl ConnectionTrait, row: staff::Model) -> Result<View> {
    let only = views(conn, vec![row]).await?.pop();
    only.ok_or_else(|| Error::internal("a member of staff without a principal"))
}

/// One member in sight.
pub(crate) async fn find(ctx: &Ctx, conn: &impl ConnectionTrait, id: StaffId) -> Result<Member> {
    let missing = || Error::not_found(format!("staff member {id}"));
    let row = staff::Entity::find_by_id(id).one(conn).await?.ok_or_else(missing)?;
    let principal = principals::Entity::find_by_id(row.principal_id).one(conn).await?.ok_or_else(missing)?;
    ctx.must_see(&owner(&principal), format!("staff member {id}"))?;
    Ok(Member { row, principal })
}

/// Where a member works.
pub(crate) fn owner(row: &principals::Model) -> Owner {
    owner_of(row.brand_id, row.store_id)
}

fn in_sight(scope: &Scope) -> SimpleExpr {
    match *scope {
        Scope::Tenant => Expr::value(true),
        Scope::Brand(brand) => principals::Column::BrandId.eq(brand),
        Scope::Store(store) => principals::Column::StoreId.eq(store),
        Scope::Customer(_) => Expr::value(false),
    }
}

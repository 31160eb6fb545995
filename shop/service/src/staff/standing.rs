use std::collections::HashMap;

use sea_orm::sea_query::Query;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder};
use shop_domain::governance::Grant;
use shop_domain::ids::{PrincipalId, RoleId};
use shop_store::entities::{role_grants, roles, staff};

use super::place::scope_of;
use crate::error::Result;

/// What a principal was given besides the role it came with, oldest first. Only staff are given any.
pub(crate) async fn grants_of(conn: &impl ConnectionTrait, principal: PrincipalId) -> Result<Vec<Grant>> {
    let member = Query::select()
        .column(staff::Column::Id)
        .from(staff::Entity)
        .and_where(staff::Column::PrincipalId.eq(principal))
        .to_owned();
    let given = role_grants::Entity::find()
        .filter(role_grants::Column::StaffId.in_subquery(member))
        .order_by_asc(role_grants::Column::Id)
        .all(conn)
        .await?;
    let named = roles_of(conn, &given).await?;
    Ok(given.iter().filter_map(|row| as_grant(row, &named)).collect())
}

/// The tenant's own roles among some grants.
pub(super) async fn roles_of(
    conn: &impl ConnectionTrait,
    given: &[role_grants::Model],
) -> Result<HashMap<RoleId, roles::Model>> {
    let ids: Vec<RoleId> = given.iter().filter_map(|row| row.role_id).collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = roles::Entity::find().filter(roles::Column::Id.is_in(ids)).all(conn).await?;
    Ok(rows.into_iter().map(|row| (row.id, row)).collect())
}

fn as_grant(row: &role_grants::Model, named: &HashMap<RoleId, roles::Model>) -> Option<Grant> {
    let scope = scope_of(row.brand_id, row.store_id);
    match (row.role, row.role_id) {
        (Some(role), _) => {
            Some(Grant { role: role.to_string(), capabilities: role.capabilities().collect(), scope })
        }
        (None, Some(id)) => {
            let role = named.get(&id)?;
            Some(Grant { role: role.name.clone(), capabilities: role.capabilities.0.clone(), scope })
        }
        (None, None) => None,
    }
}

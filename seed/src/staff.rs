//! Who may call, with demo tokens that tutorials can print.

use anyhow::{Context, Result};
use chrono::{DateTime, Utc};
use shop_domain::governance::Role;
use shop_domain::ids::{BrandId, PrincipalId, RoleGrantId, RoleId, StaffId, StoreId};
use shop_store::entities::{principals, role_grants, staff};

use crate::ground::Ground;
use crate::history::Staff;

/// A person; without brand and store they see the whole tenant.
pub(crate) fn principal(
    ground: &mut Ground,
    at: DateTime<Utc>,
    name: &str,
    role: Role,
    (brand_id, store_id): (Option<BrandId>, Option<StoreId>),
) -> Staff {
    let id = ground.draw.id(at, PrincipalId::new);
    ground.rows.principals.push(principals::Model {
        id,
        name: name.to_owned(),
        role,
        token: demo_token(name),
        is_agent: false,
        on_behalf_of: None,
        brand_id,
        store_id,
        customer_id: None,
        created_at: at,
        deactivated_at: None,
    });
    ground.rows.staff.push(staff::Model {
        id: ground.draw.id(at, StaffId::new),
        principal_id: id,
        email: format!("{name}@twinshop.example"),
        name: name.to_owned(),
        invited_by: None,
        created_at: at,
        updated_at: at,
        version: 1,
    });
    Staff { id, name: name.to_owned() }
}

/// Gives a member of staff a role that the tenant made for itself, at a store.
pub(crate) fn grant(
    ground: &mut Ground,
    at: DateTime<Utc>,
    (member, by): (&Staff, &Staff),
    role_id: RoleId,
    (brand_id, store_id): (Option<BrandId>, Option<StoreId>),
) -> Result<()> {
    let row = ground.rows.staff.iter_mut().find(|row| row.principal_id == member.id);
    let row = row.context("a role is given to somebody who works here")?;
    row.version += 1;
    let staff_id = row.id;
    ground.rows.role_grants.push(role_grants::Model {
        id: ground.draw.id(at, RoleGrantId::new),
        staff_id,
        role: None,
        role_id: Some(role_id),
        brand_id,
        store_id,
        granted_by: by.id,
        approval_id: None,
        created_at: at,
    });
    Ok(())
}

/// Demo tokens are fixed by the name.
pub(crate) fn demo_token(name: &str) -> String {
    format!("tok_demo_{name}")
}

/// Name and token of everybody so far.
pub(crate) fn tokens(ground: &Ground) -> Vec<(String, String)> {
    ground.rows.principals.iter().map(|row| (row.name.clone(), row.token.clone())).collect()
}

//! Who may call, with demo tokens that tutorials can print.

use chrono::{DateTime, Utc};
use shop_domain::governance::Role;
use shop_domain::ids::{BrandId, PrincipalId, StoreId};
use shop_store::entities::principals;

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
    Staff { id, name: name.to_owned() }
}

/// Demo tokens are fixed by the name.
pub(crate) fn demo_token(name: &str) -> String {
    format!("tok_demo_{name}")
}

/// Name and token of everybody so far.
pub(crate) fn tokens(ground: &Ground) -> Vec<(String, String)> {
    ground.rows.principals.iter().map(|row| (row.name.clone(), row.token.clone())).collect()
}

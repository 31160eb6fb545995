use serde::{Deserialize, Serialize};
use shop_domain::governance::{Capability, Role, ScopeLevel};
use shop_domain::ids::{ApprovalId, BrandId, RoleId, StoreId};
use shop_domain::limits;

use crate::error::{Error, Result};

/// A new member of staff.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = InviteStaff)]
#[serde(deny_unknown_fields)]
pub struct Invite {
    /// Not used by another member; also the name they sign in with.
    #[schema(example = "kim@harbour.example", max_length = 254)]
    pub email: String,
    #[schema(example = "Kim Ito", min_length = 1, max_length = 120)]
    pub name: String,
    /// A built-in role; send this or `role_id`.
    pub role: Option<Role>,
    /// A role of the tenant's own; send this or `role`.
    pub role_id: Option<RoleId>,
    /// Where they work: `tenant`, `brand` or `store`.
    pub scope: ScopeLevel,
    /// Which brand, for the scope `brand`.
    pub brand_id: Option<BrandId>,
    /// Which store, for the scope `store`.
    pub store_id: Option<StoreId>,
}

/// A role for a member of staff.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = GrantStaffRole)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// A built-in role; send this or `role_id`.
    pub role: Option<Role>,
    /// A role of the tenant's own; send this or `role`.
    pub role_id: Option<RoleId>,
    /// Where it holds: `tenant`, `brand`, `store`, or `self` for where the member works already.
    pub scope: ScopeLevel,
    /// Which brand, for the scope `brand`.
    pub brand_id: Option<BrandId>,
    /// Which store, for the scope `store`.
    pub store_id: Option<StoreId>,
    /// The sign-off, where one is needed.
    pub approval_id: Option<ApprovalId>,
}

/// The end of somebody's access.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = DeactivateStaff)]
#[serde(deny_unknown_fields)]
pub struct Deactivate {
    /// Why, for the records.
    #[schema(example = "left the company", max_length = 500)]
    pub reason: Option<String>,
}

/// A new role.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CreateRole)]
#[serde(deny_unknown_fields)]
pub struct CreateRole {
    /// Not used by another role that you can see.
    #[schema(example = "returns desk", min_length = 1, max_length = 64)]
    pub name: String,
    /// What it holds; you hold all of it yourself.
    #[schema(example = json!(["returns.read", "returns.approve"]))]
    pub capabilities: Vec<Capability>,
}

/// Which members of staff to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Filter {
    /// Only those who can, or cannot, sign in.
    pub is_active: Option<bool>,
    /// Who work in one store.
    pub store_id: Option<StoreId>,
    /// With exactly this address.
    #[param(example = "kim@harbour.example")]
    pub email: Option<String>,
}

pub(super) fn check_reason(reason: Option<&str>) -> Result<()> {
    if reason.is_some_and(|reason| reason.len() > limits::REASON_CHARS_MAX) {
        let message = format!("a reason has at most {} characters", limits::REASON_CHARS_MAX);
        return Err(Error::invalid("/reason", message));
    }
    Ok(())
}

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::governance::{Capability, Scope};
use shop_domain::ids::{ApprovalId, PrincipalId, RoleId, StaffId};

/// A member of staff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = StaffMember)]
pub struct View {
    pub id: StaffId,
    /// Who they are in the audit log and as a requester of approvals.
    pub principal_id: PrincipalId,
    #[schema(example = "Kim Ito")]
    pub name: String,
    #[schema(example = "kim@harbour.example")]
    pub email: String,
    /// Where they work.
    pub scope: Scope,
    /// All roles they hold; the one they came with first.
    pub roles: Vec<GivenRole>,
    /// Whether they can sign in.
    pub is_active: bool,
    /// The bearer token: only in the answer to `invite_staff`, and never again.
    #[schema(example = "tok_2m7k4zd9vxat3hb5")]
    pub token: Option<String>,
    pub invited_by: Option<PrincipalId>,
    pub created_at: DateTime<Utc>,
    pub deactivated_at: Option<DateTime<Utc>>,
    /// Grows with every change; the ETag.
    pub version: i64,
}

/// A role that somebody holds somewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = GivenRole)]
pub struct GivenRole {
    #[schema(example = "support_lead")]
    pub name: String,
    /// Of a role that is not built in.
    pub role_id: Option<RoleId>,
    pub scope: Scope,
    /// Who gave it; null for the role they came with.
    pub granted_by: Option<PrincipalId>,
    /// The approval that was spent on it.
    pub approval_id: Option<ApprovalId>,
}

/// A set of capabilities with a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Role)]
pub struct RoleView {
    /// Absent for built-in roles, which go by their name.
    pub id: Option<RoleId>,
    #[schema(example = "returns desk")]
    pub name: String,
    pub is_built_in: bool,
    pub capabilities: Vec<Capability>,
    /// Where it can be given.
    pub scope: Scope,
    pub created_at: Option<DateTime<Utc>>,
    /// Grows with every change; the ETag.
    pub version: i64,
}

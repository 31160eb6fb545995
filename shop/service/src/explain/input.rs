use serde::{Deserialize, Serialize};
use shop_domain::ids::PrincipalId;

/// A call to be explained, without making it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// The operation's name, such as `refund_unshipped_items`.
    pub operation: String,
    /// An id in the operation's path.
    pub subject: Option<String>,
    /// What would leave the shop, in minor units.
    pub amount_minor: Option<i64>,
    /// Whose call it would be: the caller's own when absent. Administrators may ask about others.
    pub principal_id: Option<PrincipalId>,
}

use serde::{Deserialize, Serialize};
use shop_domain::ids::ActionId;
use shop_domain::status::ApprovalStatus;

/// One exact operation to be signed off.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = RequestApproval)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The operation's name.
    #[schema(example = "refund_unshipped_items", max_length = 64)]
    pub operation: String,
    /// The id in the operation's path: an order, order edit, return, exchange, fulfillment, dispute, customer or staff
    /// member. For `issue_gift_card` the customer, or the store when it is for nobody in particular.
    #[schema(example = "ord_01jz8q4w7c5v6n3m2k1h0g9f8e", max_length = 64)]
    pub subject: String,
    /// The body the operation will be called with, without `approval_id`. Another body needs another approval.
    #[schema(value_type = Object)]
    #[serde(default)]
    pub input: serde_json::Map<String, serde_json::Value>,
    /// Why it should be done, for whoever decides.
    #[schema(example = "The parcel arrived crushed.", min_length = 1, max_length = 500)]
    pub reason: String,
    /// The action that waits for it, if one does.
    #[serde(default)]
    #[schema(ignore)]
    pub action_id: Option<ActionId>,
}

/// A decision.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = DecideApproval)]
#[serde(deny_unknown_fields)]
pub struct Decide {
    /// Why, for the requester.
    #[schema(example = "Photos show the damage.", max_length = 500)]
    pub note: Option<String>,
}

/// Which approvals to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Filter {
    /// In one state.
    pub status: Option<ApprovalStatus>,
    /// About one thing.
    pub subject: Option<String>,
}

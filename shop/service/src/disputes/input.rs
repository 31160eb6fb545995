use serde::{Deserialize, Serialize};
use shop_domain::ids::{ApprovalId, OrderId};
use shop_domain::status::DisputeStatus;

/// Which disputes to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Filter {
    /// In one state.
    pub status: Option<DisputeStatus>,
    /// About one order.
    pub order_id: Option<OrderId>,
}

/// What the bank is to read.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = SubmitDisputeEvidence)]
#[serde(deny_unknown_fields)]
pub struct SubmitEvidence {
    /// Why the money is the shop's: what was ordered, when it arrived, what was said.
    #[schema(
        example = "Delivered on 3 March and signed for; the tracking number is TW000000000042.",
        min_length = 1,
        max_length = 4000
    )]
    pub text: String,
}

/// Gives a dispute up.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = AcceptDispute)]
#[serde(deny_unknown_fields)]
pub struct Accept {
    /// The sign-off, where one is needed.
    pub approval_id: Option<ApprovalId>,
}

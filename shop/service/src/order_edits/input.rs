use serde::{Deserialize, Serialize};
use shop_domain::ids::{ApprovalId, OrderLineId, VariantId};

/// A new line for an order that is being edited.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = AddOrderEditItem)]
#[serde(deny_unknown_fields)]
pub struct AddItem {
    /// What is added, at its price of now.
    pub variant_id: VariantId,
    /// Units; those of the replaced line, or one, when absent.
    #[schema(example = 1, minimum = 1, maximum = 999)]
    pub quantity: Option<i64>,
    /// The line this one takes the place of: another variant of the same product. It keeps the position and the
    /// discount of that line, which is taken out.
    pub replaces_line_id: Option<OrderLineId>,
}

/// Another quantity for a line.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ChangeOrderEditQuantity)]
#[serde(deny_unknown_fields)]
pub struct ChangeQuantity {
    /// Units from now on; zero takes the line out. At least what has shipped.
    #[schema(example = 2, minimum = 0, maximum = 999)]
    pub quantity: i64,
}

/// Makes the staged changes true.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CommitOrderEdit)]
#[serde(deny_unknown_fields)]
pub struct Commit {
    /// The difference that was agreed to, in minor units; another one is refused.
    #[schema(example = 714)]
    pub agreed_difference_minor: Option<i64>,
    /// The sign-off, where one is needed.
    pub approval_id: Option<ApprovalId>,
}

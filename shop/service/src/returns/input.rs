use serde::{Deserialize, Serialize};
use shop_domain::ids::{ApprovalId, CustomerId, LocationId, OrderId, OrderLineId, PaymentMethodId};
use shop_domain::limits;
use shop_domain::reasons::ReturnReason;
use shop_domain::returns::ReturnGrade;
use shop_domain::status::{RefundDestination, ReturnStatus};

use crate::error::{Error, Result};
use crate::units::LineUnits;

/// Delivered units that shall come back.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = RequestReturn)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Which units; everything that is delivered and not on its way back when absent.
    pub lines: Option<Vec<LineUnits>>,
    /// Why; `list_return_reasons` says who pays the postage then.
    pub reason: ReturnReason,
    /// In the customer's words.
    #[schema(example = "The sleeves are too short.", max_length = 500)]
    pub note: Option<String>,
    /// Where the money shall go once the goods are back; the original method when absent.
    pub refund_to: Option<RefundDestination>,
    /// Which method of the customer exactly: one that paid the order, or a gift card of theirs.
    pub refund_method_id: Option<PaymentMethodId>,
    /// The approval that was given for exactly this, where one is needed.
    pub approval_id: Option<ApprovalId>,
}

/// Leave to send the goods.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ApproveReturn)]
#[serde(deny_unknown_fields)]
pub struct Approve {
    /// Days the goods have to arrive; 14 when absent.
    #[schema(example = 14, minimum = 1, maximum = 90)]
    pub deadline_days: Option<i64>,
}

/// A refusal.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = RejectReturn)]
#[serde(deny_unknown_fields)]
pub struct Reject {
    /// Why, for the customer to read.
    #[schema(example = "The photos show wear.", min_length = 1, max_length = 500)]
    pub reason: String,
}

/// Units that have come back.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ReceiveReturnItems)]
#[serde(deny_unknown_fields)]
pub struct Receive {
    /// Which units came; all that are still expected when absent.
    pub lines: Option<Vec<LineUnits>>,
}

/// What becomes of the units that came back: every one of them has a grade.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = InspectReturnItems)]
#[serde(deny_unknown_fields)]
pub struct Inspect {
    /// A line may be named once for each grade.
    pub grades: Vec<Grade>,
    /// Where restocked units go; the location they were sent from when absent.
    pub location_id: Option<LocationId>,
}

/// Units of one line with the same grade.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ReturnGrading)]
#[serde(deny_unknown_fields)]
pub struct Grade {
    /// A line of the return.
    pub line_id: OrderLineId,
    /// How many units of it.
    #[schema(example = 1, minimum = 1)]
    pub quantity: i64,
    /// What becomes of them.
    pub grade: ReturnGrade,
}

/// Which returns to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Filter {
    /// Of one order.
    pub order_id: Option<OrderId>,
    /// Of one customer.
    pub customer_id: Option<CustomerId>,
    /// In one state.
    pub status: Option<ReturnStatus>,
}

pub(super) fn check_reason(text: &str) -> Result<()> {
    if text.trim().is_empty() || text.len() > limits::REASON_CHARS_MAX {
        return Err(Error::invalid(
            "/reason",
            format!("a reason has 1 to {} characters", limits::REASON_CHARS_MAX),
        ));
    }
    Ok(())
}

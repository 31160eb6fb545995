use serde::{Deserialize, Serialize};
use shop_domain::ids::{CustomerId, OrderId, PrincipalId};
use shop_domain::reasons::TicketResolution;
use shop_domain::status::TicketStatus;

/// A new case.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CreateTicket)]
#[serde(deny_unknown_fields)]
pub struct Create {
    /// Whose case it is; a shopper's own, or the order's, when absent.
    pub customer_id: Option<CustomerId>,
    /// The order it is about, if it is about one. It is not changed.
    pub order_id: Option<OrderId>,
    /// The case in one line.
    #[schema(example = "The lamp flickers", min_length = 1, max_length = 120)]
    pub subject: String,
    /// The first message, which the customer sees.
    #[schema(example = "It worked for two days and flickers since.", min_length = 1, max_length = 4000)]
    pub text: String,
}

/// A message.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ReplyToTicket)]
#[serde(deny_unknown_fields)]
pub struct Reply {
    #[schema(example = "A new bulb is on its way to you.", min_length = 1, max_length = 4000)]
    pub text: String,
    /// Whether only staff see it; it then changes nothing else about the ticket. Staff only.
    #[serde(default)]
    pub is_internal: bool,
}

/// To whom a case is passed, and what they must know.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = EscalateTicket)]
#[serde(deny_unknown_fields)]
pub struct Escalate {
    /// The team of people that takes it.
    #[schema(example = "payments", min_length = 1, max_length = 64)]
    pub team: String,
    /// What happened so far and what is wanted; an internal message when staff write it.
    #[schema(example = "Charged twice, both captured. Wants one back.", min_length = 1, max_length = 4000)]
    pub summary: String,
}

/// How a case ended.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CloseTicket)]
#[serde(deny_unknown_fields)]
pub struct Close {
    /// Customers themselves say `solved` or `no_longer_needed`.
    pub resolution: TicketResolution,
}

/// Which tickets to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Filter {
    /// In one state.
    pub status: Option<TicketStatus>,
    /// Of one member of staff.
    pub assignee_id: Option<PrincipalId>,
    /// Of one customer.
    pub customer_id: Option<CustomerId>,
    /// About one order.
    pub order_id: Option<OrderId>,
}

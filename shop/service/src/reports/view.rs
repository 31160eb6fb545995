use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{ApprovalId, AuditId, EventId, OrderId, PaymentId, PrincipalId};
use shop_domain::ledger::Account;
use shop_domain::money::Currency;
use shop_store::entities::{audit_log, events};

/// Double-entry balances.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct LedgerReport {
    pub accounts: Vec<AccountBalance>,
    /// The sum over all accounts, in minor units: zero, or something is wrong.
    #[schema(example = 0)]
    pub sum_minor: i64,
}

/// One account in one currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AccountBalance {
    pub account: Account,
    pub currency: Currency,
    /// Debits minus credits, in minor units.
    pub balance_minor: i64,
}

/// Shop ledger against gateway ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Reconciliation {
    /// Payments that were compared.
    pub payments: i64,
    /// What the shop believes to lie at the gateway, in minor units over all currencies.
    pub shop_minor: i64,
    /// What the gateway says, in minor units over all currencies.
    pub gateway_minor: i64,
    /// Every payment on which the two differ, and every gateway charge the shop does not know.
    pub differences: Vec<Difference>,
}

/// One payment on which the books differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Difference {
    /// The shop's payment; absent when the shop knows of none.
    pub payment_id: Option<PaymentId>,
    /// The gateway's name for the charge.
    pub charge_id: String,
    /// Captured minus refunded by the shop's books, in minor units.
    pub shop_minor: i64,
    /// Captured minus refunded by the gateway's books, in minor units.
    pub gateway_minor: i64,
    /// The shop knows that an answer is missing here.
    pub is_unknown: bool,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Event {
    /// Place in the log.
    pub seq: i64,
    pub id: EventId,
    #[serde(rename = "type")]
    #[schema(example = "payment.captured")]
    pub kind: String,
    /// The id of what it happened to.
    pub subject: String,
    pub order_id: Option<OrderId>,
    #[schema(value_type = Object)]
    pub data: serde_json::Value,
    pub at: DateTime<Utc>,
}

/// Which events to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EventFilter {
    /// Of one type.
    #[serde(rename = "type")]
    #[param(example = "payment.captured")]
    pub kind: Option<String>,
    /// About one order.
    pub order_id: Option<OrderId>,
}

/// Who did what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AuditEntry {
    /// Place in the log.
    pub seq: i64,
    pub id: AuditId,
    pub principal_id: PrincipalId,
    pub principal_name: String,
    /// The person an agent acted for.
    pub on_behalf_of: Option<PrincipalId>,
    pub operation: String,
    pub subject: Option<String>,
    /// `allowed` or `refused`.
    pub outcome: String,
    /// Which layer decided: schema, capability, scope, risk, approval or execution.
    pub layer: String,
    pub reason: Option<String>,
    pub approval_id: Option<ApprovalId>,
    /// The door it came in by.
    pub door: String,
    pub at: DateTime<Utc>,
}

/// Which audit entries to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AuditFilter {
    /// By one principal.
    pub principal_id: Option<PrincipalId>,
    /// Of one operation.
    pub operation: Option<String>,
    /// `allowed` or `refused`.
    pub outcome: Option<String>,
}

impl From<events::Model> for Event {
    fn from(row: events::Model) -> Self {
        Self {
            seq: row.seq,
            id: row.id,
            kind: row.kind,
            subject: row.subject,
            order_id: row.order_id,
            data: row.data,
            at: row.at,
        }
    }
}

impl From<audit_log::Model> for AuditEntry {
    fn from(row: audit_log::Model) -> Self {
        Self {
            seq: row.seq,
            id: row.id,
            principal_id: row.principal_id,
            principal_name: row.principal_name,
            on_behalf_of: row.on_behalf_of,
            operation: row.operation,
            subject: row.subject,
            outcome: row.outcome,
            layer: row.layer,
            reason: row.reason,
            approval_id: row.approval_id,
            door: row.door,
            at: row.at,
        }
    }
}

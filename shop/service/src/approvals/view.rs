use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{ActionId, ApprovalId, PrincipalId};
use shop_domain::status::ApprovalStatus;
use shop_store::entities::approvals;

/// One approval: what exactly is to be allowed, and where that stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Approval)]
pub struct View {
    pub id: ApprovalId,
    /// The operation's name.
    pub operation: String,
    /// The id in the operation's path.
    pub subject: String,
    /// The version the subject had when the approval was asked for.
    pub subject_version: Option<i64>,
    /// The exact body.
    #[schema(value_type = Object)]
    pub input: serde_json::Value,
    /// SHA-256 over operation, subject and body: what the approval is bound to.
    pub digest: String,
    /// In minor units, where the body names an amount.
    pub amount_minor: Option<i64>,
    /// Of the amount: the order's currency.
    #[schema(example = "EUR")]
    pub currency: Option<String>,
    pub reason: String,
    pub requester_id: PrincipalId,
    pub requester_name: String,
    pub status: ApprovalStatus,
    pub decided_by: Option<PrincipalId>,
    pub decided_at: Option<DateTime<Utc>>,
    pub decision_note: Option<String>,
    pub action_id: Option<ActionId>,
    pub expires_at: DateTime<Utc>,
    pub created_at: DateTime<Utc>,
    /// Grows with every change; the ETag.
    pub version: i64,
}

impl From<approvals::Model> for View {
    fn from(row: approvals::Model) -> Self {
        Self {
            id: row.id,
            operation: row.operation,
            subject: row.subject,
            subject_version: row.subject_version,
            input: row.input,
            digest: row.digest,
            amount_minor: row.amount_minor,
            currency: row.currency,
            reason: row.reason,
            requester_id: row.requester_id,
            requester_name: row.requester_name,
            status: row.status,
            decided_by: row.decided_by,
            decided_at: row.decided_at,
            decision_note: row.decision_note,
            action_id: row.action_id,
            expires_at: row.expires_at,
            created_at: row.created_at,
            version: row.version,
        }
    }
}

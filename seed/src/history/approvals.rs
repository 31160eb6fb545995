//! Sign-offs: asked for by support, decided by their lead.

use anyhow::{Result, ensure};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use shop_domain::after_sales::AfterSalesOperation;
use shop_domain::approvals::ApprovalEvent;
use shop_domain::ids::{ApprovalId, JobId};
use shop_domain::status::ApprovalStatus;
use shop_store::entities::{approvals, jobs};

use super::History;

/// What becomes of a sign-off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Waiting,
    Approved,
    Rejected,
    Withdrawn,
    Expired,
    Used,
}

impl Ending {
    const fn events(self) -> &'static [ApprovalEvent] {
        match self {
            Self::Waiting => &[],
            Self::Approved => &[ApprovalEvent::Approved],
            Self::Rejected => &[ApprovalEvent::Rejected],
            Self::Withdrawn => &[ApprovalEvent::Withdrawn],
            Self::Expired => &[ApprovalEvent::Expired],
            Self::Used => &[ApprovalEvent::Approved, ApprovalEvent::Used],
        }
    }
}

impl History<'_> {
    /// Support asks for leave to refund without return; nothing is refunded.
    pub(crate) fn asked_to_refund_without_return(mut self, minor: i64, ending: Ending) -> Result<Self> {
        let asked = (AfterSalesOperation::RefundWithoutReturn.as_str(), self.order.id.to_string());
        let input = json!({ "amount_minor": minor, "reason": "goodwill" });
        let reason = "the customer has the goods and is unhappy with them".to_owned();
        self.sign_off(asked, minor, input, reason, ending)?;
        Ok(self)
    }

    /// A second person is asked whether an operation may be done to something.
    pub(super) fn sign_off(
        &mut self,
        (operation, subject): (&str, String),
        minor: i64,
        input: Value,
        reason: String,
        ending: Ending,
    ) -> Result<ApprovalId> {
        let id = self.id(ApprovalId::new);
        let expires_at = self.at + TimeDelta::hours(self.site.store.policy.approval_hours);
        let mut row = approvals::Model {
            id,
            operation: operation.to_owned(),
            digest: shop_service::approvals::digest(operation, &subject, &input)?,
            subject,
            subject_version: Some(self.order.version),
            store_id: Some(self.order.store_id),
            brand_id: Some(self.order.brand_id),
            customer_id: self.order.customer_id,
            input,
            amount_minor: (minor > 0).then_some(minor),
            currency: Some(self.order.currency.to_string()),
            reason,
            requester_id: self.site.requester.id,
            requester_name: self.site.requester.name.clone(),
            status: ApprovalStatus::Waiting,
            decided_by: None,
            decided_at: None,
            decision_note: None,
            action_id: None,
            expires_at,
            created_at: self.at,
            version: 1,
        };
        self.tell("approval.requested", id, json!({ "operation": operation }));
        for &event in ending.events() {
            self.decide(&mut row, event)?;
        }
        if matches!(row.status, ApprovalStatus::Waiting | ApprovalStatus::Approved) {
            self.expire_later(&row);
        }
        self.approvals.push(row);
        Ok(id)
    }

    fn decide(&mut self, row: &mut approvals::Model, event: ApprovalEvent) -> Result<()> {
        self.pass_minutes(20);
        if event == ApprovalEvent::Expired {
            self.at = row.expires_at;
        }
        ensure!(self.at <= row.expires_at, "an approval is decided before it expires");
        row.status = row.status.after(event)?;
        row.version += 1;
        if matches!(event, ApprovalEvent::Approved | ApprovalEvent::Rejected) {
            row.decided_by = Some(self.site.decider.id);
            row.decided_at = Some(self.at);
        }
        // Using an approval is told by what it allowed.
        if event != ApprovalEvent::Used {
            self.tell(format!("approval.{}", row.status), row.id, json!({ "operation": row.operation }));
        }
        Ok(())
    }

    /// What is still open expires by itself, as it would in a running shop.
    fn expire_later(&mut self, row: &approvals::Model) {
        let job = job(self.id(JobId::new), row, self.at);
        self.ground.rows.jobs.push(job);
    }
}

fn job(id: JobId, approval: &approvals::Model, created_at: DateTime<Utc>) -> jobs::Model {
    jobs::Model {
        id,
        kind: "expire_approval".to_owned(),
        subject: approval.id.to_string(),
        due_at: approval.expires_at,
        tries: 0,
        lease_until_ms: 0,
        lease_owner: None,
        created_at,
    }
}

//! The gate before every after-sales step: legality, then risk, then a second person where one is needed.

use anyhow::{Result, bail};
use chrono::TimeDelta;
use serde_json::Value;
use shop_domain::after_sales::{AfterSalesOperation, RulesMode, Verdict, line_verdict, verdict};
use shop_domain::governance::{Gate, RiskFacts, gate, risk};
use shop_domain::ids::ApprovalId;
use shop_domain::operations::operation;
use shop_domain::status::RefundStatus;

use super::{Ending, History};

impl History<'_> {
    /// A step that needs no second person.
    pub(super) fn must_be_legal(&mut self, operation: AfterSalesOperation) -> Result<()> {
        match self.permit(operation, &[], 0, Value::Null)? {
            None => Ok(()),
            Some(_) => bail!("{operation} needs an approval on order {}", self.order.id),
        }
    }

    /// Leave to go on; lines by their position, or none for the whole order. Where a second person must agree, they
    /// are asked and do.
    pub(super) fn permit(
        &mut self,
        op: AfterSalesOperation,
        lines: &[usize],
        outflow_minor: i64,
        input: Value,
    ) -> Result<Option<ApprovalId>> {
        let reason = match self.judge(op, lines) {
            Verdict::No { rule } => bail!("{op} is refused on order {}: {rule}", self.order.id),
            Verdict::AlreadyDone => bail!("{op} is done already on order {}", self.order.id),
            Verdict::Approval => Some(format!("{op} is possible here only when a second person agrees")),
            Verdict::Yes => self.risk(op.as_str(), outflow_minor),
        };
        match reason {
            None => Ok(None),
            Some(reason) => {
                let asked = (op.as_str(), self.order.id.to_string());
                self.sign_off(asked, outflow_minor, input, reason, Ending::Used).map(Some)
            }
        }
    }

    fn judge(&self, op: AfterSalesOperation, lines: &[usize]) -> Verdict {
        let (facts, policy) = (self.facts(), &self.site.store.policy);
        if lines.is_empty() {
            return verdict(op, &facts, policy, RulesMode::Server);
        }
        let mut needs_approval = false;
        for line in lines.iter().filter_map(|line| facts.lines.get(*line)) {
            match line_verdict(op, &facts, line, policy, RulesMode::Server) {
                no @ (Verdict::No { .. } | Verdict::AlreadyDone) => return no,
                Verdict::Approval => needs_approval = true,
                Verdict::Yes => {}
            }
        }
        if needs_approval { Verdict::Approval } else { Verdict::Yes }
    }

    /// Why a second person must agree to an operation, for what leaves the shop with it.
    pub(super) fn risk(&self, op: &str, outflow_minor: i64) -> Option<String> {
        let today = self.at - TimeDelta::hours(24);
        let recent = self
            .refunds
            .iter()
            .filter(|refund| refund.created_at > today && refund.status != RefundStatus::Cancelled);
        let facts = RiskFacts {
            amount_minor: outflow_minor,
            order_total_minor: self.order.total_minor,
            refunded_today_minor: recent.map(|refund| refund.amount_minor).sum(),
            order_age_days: (self.at - self.order.placed_at).num_days(),
            ..RiskFacts::of(operation(op).class)
        };
        match gate(&risk(&facts), &self.site.store.policy) {
            Gate::Pass => None,
            Gate::NeedsApproval { reason } => Some(reason),
        }
    }
}

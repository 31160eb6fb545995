//! A no that helps: the rule, its words, and the flows that are open instead.

use mcp_actions_engine::parts::{NextAction, Suggestion, ValidationError};
use mcp_actions_engine::{Reason, Refusal};
use serde_json::{Value, json};
use shop_domain::after_sales::{AfterSalesOperation as Op, Verdict};
use shop_domain::status::OrderStatus;

use super::Entry;
use super::desk::Desk;
use super::dispatch::No;
use super::items::Stage;
use super::remedy::{Remedy, Want};

impl Desk {
    /// A rule's no as a validation error. It names the way that is open instead.
    pub(super) fn refused(&self, field: &str, no: &No) -> ValidationError {
        ValidationError::new(
            field,
            Reason::NotEligible,
            format!("{}: {}{}", no.rule, no.words, self.way_on_words()),
        )
    }

    /// The same for a flow that must not even begin.
    pub(super) fn refusal(&self, no: &No) -> Refusal {
        let words = format!("{}: {}{}", no.rule, no.words, self.way_on_words());
        Refusal::new(Reason::NotEligible, words).leading_to(self.right_doors())
    }

    /// The flows that are open for this order, other than this one.
    pub(super) fn right_doors(&self) -> Vec<NextAction> {
        let own = self.entry.capability();
        let is_other = |next: &&NextAction| {
            next.args.as_ref().and_then(|args| args.get("capability")).and_then(Value::as_str) != Some(own)
        };
        self.ways_on.iter().filter(is_other).cloned().collect()
    }

    /// What is wanted cannot be had here; something else can, here or by another flow.
    pub(super) fn not_offered(&self, want: Want, offered: &[(Want, Remedy)]) -> ValidationError {
        let words: Vec<&str> = offered.iter().map(|(want, _)| want.word()).collect();
        let message = format!(
            "{} is not possible here; possible is {}{}",
            want.word(),
            words.join(" or "),
            self.way_on_words()
        );
        let suggestions = offered.iter().map(|(want, _)| Suggestion {
            field: "wants".to_owned(),
            value: json!(want.word()),
            label: want.label().to_owned(),
            confidence: 0.5,
        });
        ValidationError::new("wants", Reason::NotEligible, message)
            .allowing(words.iter().map(|word| json!(word)).collect())
            .suggesting(suggestions.collect())
    }

    fn way_on_words(&self) -> String {
        let names: Vec<&str> = self
            .ways_on
            .iter()
            .filter_map(|next| next.args.as_ref()?.get("capability")?.as_str())
            .filter(|name| *name != self.entry.capability() && *name != "after_sales")
            .collect();
        if names.is_empty() { String::new() } else { format!(". Open for this order: {}", names.join(", ")) }
    }

    /// Why this flow cannot be entered with this order at all.
    pub(super) fn gate(&self) -> Option<No> {
        if self.case.order.status == OrderStatus::Draft {
            return Some(No::because("order_is_a_draft", "it was never placed"));
        }
        let lines = || 0..self.case.order.lines.len();
        let open = |op: Op| lines().any(|at| self.line_verdict(op, at).is_eligible());
        let rule = |op: Op| match self.verdict(op) {
            Verdict::No { rule } => Some(No::of(rule)),
            Verdict::AlreadyDone => Some(No::of("already_done")),
            Verdict::Yes | Verdict::Approval => None,
        };
        match self.entry {
            Entry::Any => None,
            Entry::Cancel => rule(Op::CancelOrder),
            Entry::RefundOnly => {
                let is_lost = self.case.facts.lines.iter().any(|line| line.has_exception);
                if is_lost { None } else { rule(Op::RefundUnshippedItems) }
            }
            Entry::ReturnRefund if self.unpaid_return().is_some() => None,
            Entry::ReturnRefund | Entry::Exchange => {
                let op = if self.entry == Entry::Exchange { Op::RequestExchange } else { Op::RequestReturn };
                let travels = lines().any(|at| self.units_in(at, Stage::Shipped) > 0);
                if travels || open(op) { None } else { rule(op) }
            }
        }
    }
}

//! The legality table as people read it, drawn by asking the rules about sample orders.

use super::AfterSalesOperation as Op;
use super::AfterSalesState as S;
use super::{LineFacts, OrderFacts, RulesMode, Verdict, verdict};
use crate::policy::Policy;

/// The table in Markdown, in the words of the design.
#[must_use]
pub fn markdown() -> String {
    let mut table = String::from(
        "| Operation | authorised, unshipped | captured, unshipped | shipped | delivered in window \
         | delivered out of window | return received | cancelled |\n|---|---|---|---|---|---|---|---|\n",
    );
    for &operation in Op::ALL {
        let cells: Vec<&str> = S::ALL.iter().map(|&state| cell(operation, state)).collect();
        table.push_str(&format!("| `{operation}` | {} |\n", cells.join(" | ")));
    }
    table
}

/// One cell: where the samples of a state disagree, what they differ in is the condition.
fn cell(operation: Op, state: S) -> &'static str {
    let policy = Policy::default();
    let judge = |order: &OrderFacts| verdict(operation, order, &policy, RulesMode::Server);
    let plain = sample(state);
    let with_exception = OrderFacts {
        lines: plain.lines.iter().map(|line| LineFacts { has_exception: true, ..*line }).collect(),
        ..plain.clone()
    };
    // Only a cancelled order can be with or without held or taken money.
    let still_held = OrderFacts { holds_money: plain.holds_money || state == S::Cancelled, ..plain.clone() };
    let not_refunded = OrderFacts {
        has_captured: plain.has_captured || state == S::Cancelled,
        has_refundable: plain.has_refundable || state == S::Cancelled,
        ..plain.clone()
    };
    match judge(&plain) {
        Verdict::Yes if operation == Op::CancelOrder && plain.has_captured => "yes (then refund)",
        Verdict::Yes => "yes",
        Verdict::Approval => "approval",
        Verdict::AlreadyDone => "no-op replay",
        Verdict::No { .. } if judge(&with_exception) == Verdict::Yes => "with delivery exception",
        Verdict::No { .. } if judge(&still_held) == Verdict::Yes => "yes if still held",
        Verdict::No { .. } if judge(&not_refunded) == Verdict::Yes => "yes if captured and not refunded",
        Verdict::No { .. } => "no",
    }
}

/// The plainest order whose goods are in a state.
fn sample(state: S) -> OrderFacts {
    let line = match state {
        S::AuthorizedUnshipped | S::CapturedUnshipped => LineFacts { unshipped: 1, ..LineFacts::default() },
        S::Shipped => LineFacts { shipped: 1, ..LineFacts::default() },
        S::DeliveredInWindow => LineFacts { delivered: 1, ..LineFacts::default() },
        S::DeliveredOutOfWindow => {
            LineFacts { delivered: 1, days_since_delivery: i64::MAX, ..LineFacts::default() }
        }
        S::ReturnReceived => LineFacts { return_received: 1, ..LineFacts::default() },
        S::Cancelled => LineFacts::default(),
    };
    let is_cancelled = state == S::Cancelled;
    let holds_money = state == S::AuthorizedUnshipped;
    let has_captured = !is_cancelled && !holds_money;
    OrderFacts {
        is_cancelled,
        holds_money,
        has_captured,
        has_refundable: has_captured,
        lines: vec![line],
        ..OrderFacts::default()
    }
}

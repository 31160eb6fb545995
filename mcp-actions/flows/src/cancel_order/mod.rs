//! Cancelling a whole order that has not shipped: the after-sales desk with that one door open.

#[cfg(test)]
mod tests;

use mcp_actions_engine::node::NodeError;
use mcp_actions_engine::{About, Ends, Node, Verb};

use crate::after_sales::{AfterSales, Entry, fields};

const ABOUT: About = About {
    name: "cancel_order",
    aliases: &["cancel"],
    title: "Cancel an order",
    entity: "Order",
    trigger: "The customer wants a whole order stopped before anything of it ships",
    examples: &[
        "cancel my order",
        "cancel order 1042, I ordered it by mistake",
        "I do not need it any more, please stop the order",
        "call that order off before it ships",
        "cancel the whole order and give me my money back",
    ],
    not_for: &[
        "only some of the items: refund_only when it is paid, modify_order when it is not",
        "an order that has shipped: return_refund once it is there",
        "calling off a return or an exchange: neither is an order",
    ],
    prerequisites: &["nothing of the order has shipped"],
    postconditions: &["the order is cancelled, its stock is free, and its money has gone back or is let go"],
    side_effects: &["cancels the order", "frees its stock", "refunds or lets go of its money"],
    requires_approval: true,
    verbs: Verb::ALL,
};

const NODES: &[Node] = &[
    Node { key: "REASON", fields: &[fields::CANCEL_REASON] },
    Node { key: "REFUND_TO", fields: &[fields::REFUND_TO.depends_on(&[]), fields::REFUND_METHOD] },
];

const CONFIRM: Ends = Ends::Confirm { node: "CONFIRM_CANCEL", submitted: "CANCEL_SUBMITTED" };

pub(crate) fn flow() -> Result<AfterSales, NodeError> {
    AfterSales::entered(&ABOUT, Entry::Cancel, NODES, CONFIRM)
}

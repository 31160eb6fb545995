//! Goods go back, and another variant of the same product comes: the after-sales desk with that one door open.

use mcp_actions_engine::node::NodeError;
use mcp_actions_engine::{About, Ends, Node, Verb};

use crate::after_sales::{AfterSales, Entry, fields};

const ABOUT: About = About {
    name: "exchange",
    aliases: &["exchange_items", "swap"],
    title: "Exchange goods",
    entity: "Order",
    trigger: "The customer wants another variant of the same product instead of the one that was bought",
    examples: &[
        "wrong size, I need the shoes in 42",
        "exchange the black one for a white one",
        "swap the keyboard for the clicky one with RGB",
        "can I get the larger bag instead",
    ],
    not_for: &[
        "the same goods again because they are faulty or lost: after_sales",
        "goods that have not shipped: modify_order",
        "sending goods back for a refund: return_refund",
    ],
    prerequisites: &["the goods were delivered, or are on their way: then it waits for them"],
    postconditions: &["an exchange is open and the new goods are held"],
    side_effects: &["opens an exchange", "reserves the new goods"],
    requires_approval: true,
    verbs: Verb::ALL,
};

const NODES: &[Node] = &[
    Node { key: "ITEMS", fields: &[fields::SWAPS] },
    Node { key: "REASON", fields: &[fields::RETURN_REASON, fields::DETAILS] },
    Node { key: "SETTLE", fields: &[fields::SETTLE_WITH] },
    Node { key: "AWAIT_DELIVERY", fields: &[] },
];

const CONFIRM: Ends = Ends::Confirm { node: "CONFIRM_EXCHANGE", submitted: "EXCHANGE_SUBMITTED" };

pub(crate) fn flow() -> Result<AfterSales, NodeError> {
    AfterSales::entered(&ABOUT, Entry::Exchange, NODES, CONFIRM)
}

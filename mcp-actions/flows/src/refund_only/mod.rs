//! Money back without goods coming back: the after-sales desk with that one door open.

use mcp_actions_engine::node::NodeError;
use mcp_actions_engine::{About, Ends, Node, Verb};

use crate::after_sales::{AfterSales, Entry, fields};

const ABOUT: About = About {
    name: "refund_only",
    aliases: &["refund_unshipped"],
    title: "Refund without a return",
    entity: "Order",
    trigger: "The customer wants money back for paid goods that have not shipped, or that a carrier lost",
    examples: &[
        "take the kettle out of my order and refund it, the rest may come",
        "refund the item that has not shipped yet",
        "take one item off my order, you have not sent it yet",
    ],
    not_for: &[
        "goods that are with the customer: return_refund",
        "the whole order: cancel_order",
        "anything else that is wrong: after_sales",
    ],
    prerequisites: &["the money was taken", "the goods have not shipped, or their parcel is late or lost"],
    postconditions: &["the money has gone back, and the goods that had not shipped stay in stock"],
    side_effects: &["gives money back", "cancels goods that have not shipped"],
    requires_approval: true,
    verbs: Verb::ALL,
};

const NODES: &[Node] = &[
    Node { key: "ITEMS", fields: &[fields::ITEMS] },
    Node { key: "REASON", fields: &[fields::REFUND_REASON, fields::DETAILS] },
    Node { key: "REFUND_TO", fields: &[fields::REFUND_TO, fields::REFUND_METHOD] },
];

const CONFIRM: Ends = Ends::Confirm { node: "CONFIRM_REFUND", submitted: "REFUND_SUBMITTED" };

pub(crate) fn flow() -> Result<AfterSales, NodeError> {
    AfterSales::entered(&ABOUT, Entry::RefundOnly, NODES, CONFIRM)
}

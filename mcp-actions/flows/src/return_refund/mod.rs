//! Goods go back, then money does: the after-sales desk with that one door open.

use mcp_actions_engine::node::NodeError;
use mcp_actions_engine::{About, Ends, Node, Verb};

use crate::after_sales::{AfterSales, Entry, fields};

const ABOUT: About = About {
    name: "return_refund",
    aliases: &["return", "return_items"],
    title: "Return goods for a refund",
    entity: "Order",
    trigger: "The customer wants to send back goods and get the money for them",
    examples: &[
        "I want to send it back",
        "return the shoes from my last order and refund my card",
        "they do not fit, I want to return them for the money",
        "how do I return the lamp, I changed my mind",
    ],
    not_for: &[
        "the same product in another size or colour: exchange",
        "goods that have not shipped: cancel_order or refund_only",
        "a parcel that never came: after_sales",
    ],
    prerequisites: &["the goods were delivered, or are on their way: then it waits for them"],
    postconditions: &["a return is open; money follows once the goods are back and accepted"],
    side_effects: &["opens a return, or pays for one whose goods are back"],
    requires_approval: true,
    verbs: Verb::ALL,
};

const NODES: &[Node] = &[
    Node { key: "ITEMS", fields: &[fields::ITEMS] },
    Node { key: "REASON", fields: &[fields::RETURN_REASON, fields::DETAILS] },
    Node { key: "REFUND_TO", fields: &[fields::REFUND_TO, fields::REFUND_METHOD] },
    Node { key: "INSPECTION", fields: &[fields::CONDITION] },
    Node { key: "AWAIT_DELIVERY", fields: &[] },
];

const CONFIRM: Ends = Ends::Confirm { node: "CONFIRM_RETURN", submitted: "RETURN_SUBMITTED" };

pub(crate) fn flow() -> Result<AfterSales, NodeError> {
    AfterSales::entered(&ABOUT, Entry::ReturnRefund, NODES, CONFIRM)
}

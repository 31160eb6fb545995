//! After-sales: one entry that asks what is wrong, and code that sends it through the right door. The direct entries
//! (refund only, return, exchange, cancellation) are the same desk with one door open.
//!
//! `desk.rs` reads what is true, `items.rs` and `dispatch.rs` decide what is right, `quote.rs` rehearses it,
//! `agreed.rs` is what the person says yes to, and `effects.rs` does exactly that.

mod agreed;
mod desk;
mod dispatch;
mod effects;
mod facts;
pub(crate) mod fields;
mod items;
mod judge;
mod methods;
mod money_let_go;
mod problem;
mod quote;
mod refusal;
mod remedy;
mod summary;
#[cfg(test)]
mod tests;

use async_trait::async_trait;
use mcp_actions_engine::node::NodeError;
use mcp_actions_engine::parts::Map;
use mcp_actions_engine::{
    About, Effects, Ends, Facts, Failure, Field, Flow, Lapse, Node, Nodes, Opened, Reason, Record, Verb,
};
use serde_json::Value;
use shop_domain::ids::OrderId;

use self::desk::Desk;
use crate::caller::Caller;
use crate::entities;
use crate::wire::text_schema;

const ABOUT: About = About {
    name: "after_sales",
    aliases: &["refund", "complain", "claim"],
    title: "Put something right about an order",
    entity: "Order",
    trigger: "Something is wrong with an order, and the customer wants money back, other goods or the same goods again",
    examples: &[
        "I want my money back",
        "I want my money back for order 1042",
        "the mug arrived broken",
        "my parcel got lost, the carrier cannot find it",
        "I never received my package",
        "please send me the same thing again, it does not work",
        "I paid for express shipping and you sent it standard, refund the difference",
        "refund the shipping fee, I want what shipping cost back",
        "it is cheaper now, the price went down after I bought it",
        "I forgot to use my coupon code on that order",
        "you have had my return back for days and I still have no refund",
        "the wrong item was in the box",
        "refund just one of the two items",
    ],
    not_for: &[
        "where is my order: track_order",
        "sending an order to another address: change_delivery_address",
        "buying something else: checkout",
        "changing items of an order that has not shipped: modify_order",
    ],
    prerequisites: &["the order was placed"],
    postconditions: &["the money has gone back, or a return, exchange or replacement is under way"],
    side_effects: &[
        "gives money back",
        "opens a return or an exchange",
        "cancels goods that have not shipped",
    ],
    requires_approval: true,
    verbs: Verb::ALL,
};

const NODES: &[Node] = &[
    Node {
        key: "PROBLEM",
        fields: &[Field::required("problem", "problem", "What is wrong.", problem::schema)],
    },
    Node { key: "ITEMS", fields: &[fields::CLAIMED] },
    Node {
        key: "REMEDY",
        fields: &[
            Field::optional(
                "wants",
                "wants",
                "What the customer wants; asked only where there is a choice.",
                remedy::want_schema,
            )
            .depends_on(&["problem", "items"])
            .lapsing(Lapse::Ask),
            fields::DETAILS,
        ],
    },
    Node {
        key: "COUPON",
        fields: &[Field::optional("coupon_code", "coupon_code", "The code that was forgotten.", text_schema)
            .depends_on(&["problem"])],
    },
    Node {
        key: "REFUND_TO",
        fields: &[fields::REFUND_TO.depends_on(&["problem", "items", "wants"]), fields::REFUND_METHOD],
    },
    Node { key: "SETTLE", fields: &[fields::SETTLE_WITH.depends_on(&["items", "wants"])] },
    Node { key: "INSPECTION", fields: &[fields::CONDITION.depends_on(&["problem"])] },
    Node { key: "AWAIT_DELIVERY", fields: &[] },
];

const CONFIRM: Ends = Ends::Confirm { node: "CONFIRM_AFTER_SALES", submitted: "AFTER_SALES_SUBMITTED" };

/// Which doors an entry may lead through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    Any,
    RefundOnly,
    ReturnRefund,
    Exchange,
    Cancel,
}

impl Entry {
    pub(crate) const fn capability(self) -> &'static str {
        match self {
            Self::Any => "after_sales",
            Self::RefundOnly => "refund_only",
            Self::ReturnRefund => "return_refund",
            Self::Exchange => "exchange",
            Self::Cancel => "cancel_order",
        }
    }
}

/// One entry to the after-sales desk.
pub(crate) struct AfterSales {
    about: &'static About,
    entry: Entry,
    nodes: Nodes,
}

impl AfterSales {
    pub(crate) fn new() -> Result<Self, NodeError> {
        Self::entered(&ABOUT, Entry::Any, NODES, CONFIRM)
    }

    pub(crate) fn entered(
        about: &'static About,
        entry: Entry,
        nodes: &[Node],
        ends: Ends,
    ) -> Result<Self, NodeError> {
        Ok(Self { about, entry, nodes: Nodes::new(nodes, ends)? })
    }
}

#[async_trait]
impl Flow<Caller> for AfterSales {
    fn about(&self) -> &About {
        self.about
    }

    fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    async fn open(&self, caller: &Caller, target: Option<&str>, _said: &Map) -> Result<Opened, Failure> {
        let opened = entities::open_order(caller, target).await?;
        let Opened::Entity(opening) = &opened else { return Ok(opened) };
        let order = opening.entity.as_ref().and_then(|entity| entity.id.parse().ok());
        let Some(order) = order.filter(|_| self.entry != Entry::Any) else { return Ok(opened) };
        let desk = Desk::look(caller, self.entry, order).await?;
        Ok(match desk.gate() {
            Some(no) => Opened::Refused(desk.refusal(&no)),
            None => opened,
        })
    }

    /// Words for one of a few values: “wrong size” is `wrong_size`.
    async fn understand(&self, _caller: &Caller, _record: &Record, mut patch: Map) -> Result<Map, Failure> {
        let bare = |word: &str| -> String {
            word.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase()
        };
        for (name, value) in &mut patch {
            let (Some(field), Some(said)) = (self.nodes.field(name), value.as_str()) else { continue };
            let schema = (field.schema)();
            let mut words = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
            if let Some(word) = words.find(|word| word.as_str().map(bare) == Some(bare(said))) {
                *value = word.clone();
            }
        }
        Ok(patch)
    }

    async fn facts(&self, caller: &Caller, record: &Record) -> Result<Box<dyn Facts>, Failure> {
        Ok(Box::new(Desk::read(caller, self.entry, record).await?))
    }

    async fn observe(&self, caller: &Caller, record: &Record) -> Result<Option<Map>, Failure> {
        if record.entity.is_none() {
            return Ok(None);
        }
        entities::order_state(caller, order_of(record)?).await.map(Some)
    }

    fn effects(&self) -> Option<&dyn Effects<Caller>> {
        Some(self)
    }
}

fn order_of(record: &Record) -> Result<OrderId, Failure> {
    let id = record.entity.as_ref().and_then(|entity| entity.id.parse().ok());
    id.ok_or_else(|| Failure::new(Reason::Internal, "an after-sales action without its order"))
}

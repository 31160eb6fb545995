//! Sending an order somewhere else: the order's own address while nothing has shipped, the carrier's redirect while it
//! travels, and a clear no with the right door once it has arrived.
//!
//! `desk.rs` reads what is true, `facts.rs` judges it purely, `agreed.rs` is what the person says yes to, and
//! `effects.rs` does exactly that.

mod agreed;
mod desk;
mod effects;
mod facts;
#[cfg(test)]
mod tests;

use async_trait::async_trait;
use mcp_actions_engine::node::NodeError;
use mcp_actions_engine::parts::Map;
use mcp_actions_engine::{
    About, Effects, Ends, Facts, Failure, Field, Flow, Lapse, Node, Nodes, Opened, Reason, Record, Verb,
};
use serde_json::{Value, json};
use shop_domain::ids::OrderId;
use shop_service::orders;

use self::desk::Desk;
use crate::book;
use crate::caller::Caller;
use crate::entities;
use crate::failure::failure;
use crate::wallet;
use crate::wire::{block, text, text_schema};

const ABOUT: About = About {
    name: "change_delivery_address",
    aliases: &["change_address", "redirect_parcel", "ship_elsewhere"],
    title: "Send an order to another address",
    entity: "Order",
    trigger: "The customer wants an order that was placed delivered somewhere else",
    examples: &[
        "change the delivery address of my order",
        "I gave the wrong shipping address for order 1042",
        "send my parcel to the office instead",
        "I have moved, deliver it to my new home",
        "can the package be redirected, it is on its way already",
        "ship it to my sister in Vienna",
        "there is a typo in the street of my order",
    ],
    not_for: &[
        "the address book or the default address, for later orders: update_profile",
        "an order that was not placed yet: checkout",
        "where the parcel is and when it arrives: track_order",
        "other items or another shipping speed: modify_order",
        "sending back what has arrived: return_refund",
    ],
    prerequisites: &["the order was placed", "it has not been delivered or cancelled"],
    postconditions: &[
        "the order, or every parcel of it that travels, goes to the new address",
        "what it costs more is paid, what it costs less has gone back",
    ],
    side_effects: &[
        "changes where the order goes",
        "quotes shipping and tax anew and settles the difference",
        "asks the carrier to redirect",
    ],
    requires_approval: true,
    verbs: Verb::ALL,
};

pub(super) const ADDRESS_ID: &str = "address_id";
pub(super) const ADDRESS: &str = "address";
pub(super) const SAVE: &str = "save_address";
pub(super) const LABEL: &str = "address_label";
pub(super) const METHOD: &str = "shipping_method_id";
pub(super) const PAY_WITH: &str = "payment_method_id";

const NODES: &[Node] = &[
    Node {
        key: "ADDRESS",
        fields: &[
            Field::optional(
                ADDRESS_ID,
                ADDRESS_ID,
                "Where it goes now: an entry of the address book, by its id or by what it is called (“my office”).",
                text_schema,
            ),
            Field::optional(
                ADDRESS,
                ADDRESS,
                "A whole new address instead. It is not kept in the address book, unless save_address says so.",
                book::whole_schema,
            ),
            Field::optional(
                SAVE,
                SAVE,
                "Whether the new address is kept in the address book too.",
                yes_schema,
            )
            .depends_on(&[ADDRESS])
            .lapsing(Lapse::Drop),
            Field::optional(
                LABEL,
                LABEL,
                "What the kept address is called; its town when left out.",
                book::label_schema,
            )
            .depends_on(&[ADDRESS])
            .lapsing(Lapse::Drop),
        ],
    },
    Node {
        key: "SHIPPING",
        fields: &[Field::optional(
            METHOD,
            METHOD,
            "How it travels; as it was chosen for the order, where that goes there.",
            text_schema,
        )
        .depends_on(&[ADDRESS_ID, ADDRESS])
        .lapsing(Lapse::Ask)],
    },
    Node {
        key: "PAYMENT",
        fields: &[Field::optional(
            PAY_WITH,
            PAY_WITH,
            "What pays if it costs more; what paid for the order when nothing is said.",
            text_schema,
        )
        .depends_on(&[ADDRESS_ID, ADDRESS, METHOD])
        .lapsing(Lapse::Drop)],
    },
];

const CONFIRM: Ends = Ends::Confirm { node: "CONFIRM_ADDRESS", submitted: "ADDRESS_SUBMITTED" };

fn yes_schema() -> Value {
    json!({ "type": "boolean" })
}

pub(crate) struct ChangeDeliveryAddress {
    nodes: Nodes,
}

impl ChangeDeliveryAddress {
    pub(crate) fn new() -> Result<Self, NodeError> {
        Ok(Self { nodes: Nodes::new(NODES, CONFIRM)? })
    }
}

#[async_trait]
impl Flow<Caller> for ChangeDeliveryAddress {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    async fn open(&self, caller: &Caller, target: Option<&str>, _said: &Map) -> Result<Opened, Failure> {
        let opened = entities::open_order(caller, target).await?;
        let Opened::Entity(opening) = &opened else { return Ok(opened) };
        let Some(order) = opening.entity.as_ref().and_then(|entity| entity.id.parse().ok()) else {
            return Ok(opened);
        };
        let desk = Desk::look(caller, order).await?;
        Ok(desk.closed().map_or(opened, Opened::Refused))
    }

    async fn understand(&self, caller: &Caller, record: &Record, mut patch: Map) -> Result<Map, Failure> {
        swap_misplaced(&mut patch);
        if let Some(said) = patch.get_mut(ADDRESS) {
            book::tidy(said);
        }
        if record.entity.is_none() {
            return Ok(patch);
        }
        let order = orders::get(&caller.ctx(), order_of(record)?).await.map_err(failure)?;
        let Some(customer) = order.customer_id else { return Ok(patch) };
        if let Some(said) = text(&patch, ADDRESS_ID)
            && let Some(entry) = book::the_one(&book::of(caller, customer).await?, said)
        {
            patch.insert(ADDRESS_ID.to_owned(), json!(entry.id));
        }
        if let Some(said) = text(&patch, PAY_WITH)
            && let Some(method) = wallet::the_one(&wallet::of(caller, customer).await?, said)
        {
            patch.insert(PAY_WITH.to_owned(), json!(method.id));
        }
        Ok(patch)
    }

    async fn facts(&self, caller: &Caller, record: &Record) -> Result<Box<dyn Facts>, Failure> {
        Ok(Box::new(Desk::read(caller, order_of(record)?, &record.given).await?))
    }

    async fn observe(&self, caller: &Caller, record: &Record) -> Result<Option<Map>, Failure> {
        if record.entity.is_none() {
            return Ok(None);
        }
        let id = order_of(record)?;
        let mut state = entities::order_state(caller, id).await?;
        let order = orders::get(&caller.ctx(), id).await.map_err(failure)?;
        state.insert("ship_to".to_owned(), block(&order.shipping_address));
        let parcels = desk::parcels(caller, id).await?;
        let parcel = |it: &shop_service::fulfillments::View| json!({ "id": it.id, "status": it.status, "ship_to": block(&it.destination) });
        state.insert("parcels".to_owned(), parcels.iter().map(parcel).collect());
        Ok(Some(state))
    }

    fn effects(&self) -> Option<&dyn Effects<Caller>> {
        Some(self)
    }
}

/// A new address said where an entry is asked for, or the other way round, is taken for what it is; and the latest of
/// the two that was said counts.
fn swap_misplaced(patch: &mut Map) {
    if patch.get(ADDRESS_ID).is_some_and(Value::is_object) && !patch.contains_key(ADDRESS) {
        let said = patch.remove(ADDRESS_ID).unwrap_or_default();
        patch.insert(ADDRESS.to_owned(), said);
    }
    if patch.get(ADDRESS).is_some_and(Value::is_string) && !patch.contains_key(ADDRESS_ID) {
        let said = patch.remove(ADDRESS).unwrap_or_default();
        patch.insert(ADDRESS_ID.to_owned(), said);
    }
    if patch.get(ADDRESS).is_some_and(Value::is_object) {
        patch.entry(ADDRESS_ID).or_insert(Value::Null);
    } else if patch.get(ADDRESS_ID).is_some_and(Value::is_string) {
        for field in [ADDRESS, SAVE, LABEL] {
            patch.entry(field).or_insert(Value::Null);
        }
    }
}

fn order_of(record: &Record) -> Result<OrderId, Failure> {
    let id = record.entity.as_ref().and_then(|entity| entity.id.parse().ok());
    id.ok_or_else(|| Failure::new(Reason::Internal, "a change of address without its order"))
}

//! A customer's own data: contact, address book, default address and default way to pay. One change an action.
//!
//! Card data is never an input: the person enters it on the shop's own page, and here a card is a masked
//! `payment_method_id`. `change.rs` says what can be changed, `desk.rs` reads and judges, `agreed.rs` is what the person
//! says yes to, and `effects.rs` does exactly that.

mod agreed;
mod change;
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
use shop_domain::ids::CustomerId;
use shop_domain::limits;

use self::desk::Desk;
use crate::caller::Caller;
use crate::entities;
use crate::wire::{block, object, text_schema};
use crate::{book, wallet};

const ABOUT: About = About {
    name: "update_profile",
    aliases: &["change_profile", "edit_account", "manage_addresses"],
    title: "Change a customer's profile",
    entity: "Customer",
    trigger: "The customer wants their own data changed: contact, address book, default address or ways to pay",
    examples: &[
        "change my email address",
        "I have a new phone number",
        "my last name has changed",
        "add my office to my address book",
        "delete my old address",
        "correct the zip code of my home address in my profile",
        "make the office my default address",
        "use my paypal by default",
        "remove my card",
        "update the address in my user profile",
        "stop sending me marketing mail",
    ],
    not_for: &[
        "where an order that was placed goes: change_delivery_address",
        "adding a card: the person enters it on the shop's own page, never here",
        "paying an order with another card: modify_order",
        "erasing an account and its data: erase_customer",
        "a gift card: gift_card",
    ],
    prerequisites: &["signed in, or a customer that staff may see"],
    postconditions: &["the profile is as agreed", "no order that was placed has changed"],
    side_effects: &["changes the customer's data", "a removed card has to be entered again"],
    requires_approval: true,
    verbs: Verb::ALL,
};

pub(super) const CHANGE: &str = "change";
pub(super) const EMAIL: &str = "email";
pub(super) const FIRST_NAME: &str = "first_name";
pub(super) const LAST_NAME: &str = "last_name";
pub(super) const PHONE: &str = "phone";
pub(super) const MARKETING: &str = "accepts_marketing";
pub(super) const ADDRESS_ID: &str = "address_id";
pub(super) const ADDRESS: &str = "address";
pub(super) const LABEL: &str = "address_label";
pub(super) const DEFAULT: &str = "is_default";
pub(super) const METHOD: &str = "payment_method_id";

/// What a contact is made of.
pub(super) const CONTACT: [&str; 5] = [EMAIL, PHONE, FIRST_NAME, LAST_NAME, MARKETING];

const NODES: &[Node] = &[
    Node {
        key: "CHANGE",
        fields: &[Field::required(
            CHANGE,
            CHANGE,
            "What is changed; one thing an action. Follows from the other fields where they leave no doubt.",
            change::schema,
        )],
    },
    Node {
        key: "CONTACT",
        fields: &[
            Field::optional(EMAIL, EMAIL, "The new email address.", email_schema).depends_on(&[CHANGE]),
            Field::optional(PHONE, PHONE, "The new phone number; empty removes it.", phone_schema)
                .depends_on(&[CHANGE]),
            Field::optional(FIRST_NAME, FIRST_NAME, "The new first name.", name_schema)
                .depends_on(&[CHANGE]),
            Field::optional(LAST_NAME, LAST_NAME, "The new last name.", name_schema).depends_on(&[CHANGE]),
            Field::optional(MARKETING, MARKETING, "Whether the customer agrees to marketing.", yes_schema)
                .depends_on(&[CHANGE]),
        ],
    },
    Node {
        key: "ENTRY",
        fields: &[Field::optional(
            ADDRESS_ID,
            ADDRESS_ID,
            "Which entry of the address book, by its id or by what it is called (“my office”).",
            text_schema,
        )
        .depends_on(&[CHANGE])
        .lapsing(Lapse::Ask)],
    },
    Node {
        key: "ADDRESS",
        fields: &[
            Field::optional(
                ADDRESS,
                ADDRESS,
                "The address. An edit may name only the parts that are new; a whole address replaces all of it.",
                book::part_schema,
            )
            .depends_on(&[CHANGE, ADDRESS_ID]),
            Field::optional(LABEL, LABEL, "What the entry is called.", book::label_schema)
                .depends_on(&[CHANGE, ADDRESS_ID]),
            Field::optional(DEFAULT, DEFAULT, "Whether new carts use it from now on.", yes_schema)
                .depends_on(&[CHANGE, ADDRESS_ID]),
        ],
    },
    Node {
        key: "PAYMENT_METHOD",
        fields: &[Field::optional(
            METHOD,
            METHOD,
            "Which saved way to pay, by its masked id or by what it is called (“my visa”).",
            text_schema,
        )
        .depends_on(&[CHANGE])
        .lapsing(Lapse::Ask)],
    },
];

const CONFIRM: Ends = Ends::Confirm { node: "CONFIRM_PROFILE", submitted: "PROFILE_SUBMITTED" };

fn email_schema() -> Value {
    json!({ "type": "string", "minLength": 3, "maxLength": limits::EMAIL_CHARS_MAX })
}

fn phone_schema() -> Value {
    json!({ "type": "string", "maxLength": limits::PHONE_CHARS_MAX })
}

fn name_schema() -> Value {
    json!({ "type": "string", "minLength": 1, "maxLength": limits::NAME_CHARS_MAX })
}

fn yes_schema() -> Value {
    json!({ "type": "boolean" })
}

pub(crate) struct UpdateProfile {
    nodes: Nodes,
}

impl UpdateProfile {
    pub(crate) fn new() -> Result<Self, NodeError> {
        Ok(Self { nodes: Nodes::new(NODES, CONFIRM)? })
    }
}

#[async_trait]
impl Flow<Caller> for UpdateProfile {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    async fn open(&self, caller: &Caller, target: Option<&str>, _said: &Map) -> Result<Opened, Failure> {
        entities::open_customer(caller, target).await
    }

    async fn understand(&self, caller: &Caller, record: &Record, mut patch: Map) -> Result<Map, Failure> {
        if let Some(said) = patch.get_mut(ADDRESS) {
            book::tidy(said);
        }
        if record.entity.is_some() {
            let desk = Desk::look(caller, customer_of(record)?).await?;
            desk.understand(&record.given, &mut patch);
        }
        Ok(patch)
    }

    async fn facts(&self, caller: &Caller, record: &Record) -> Result<Box<dyn Facts>, Failure> {
        let desk = Box::pin(Desk::read(caller, customer_of(record)?, &record.given)).await?;
        Ok(Box::new(desk))
    }

    async fn observe(&self, caller: &Caller, record: &Record) -> Result<Option<Map>, Failure> {
        if record.entity.is_none() {
            return Ok(None);
        }
        let Desk { customer, book, methods, .. } = Desk::look(caller, customer_of(record)?).await?;
        Ok(Some(object(json!({
            "type": "Customer",
            "id": customer.id,
            "email": customer.email,
            "phone": customer.phone,
            "first_name": customer.first_name,
            "last_name": customer.last_name,
            "accepts_marketing": customer.accepts_marketing,
            "addresses": book.iter().map(book::entry).collect::<Vec<_>>(),
            "payment_methods": methods.iter().map(wallet::entry).collect::<Vec<_>>(),
            "updated_at": block(&customer.updated_at),
            "version": customer.version,
        }))))
    }

    fn effects(&self) -> Option<&dyn Effects<Caller>> {
        Some(self)
    }
}

fn customer_of(record: &Record) -> Result<CustomerId, Failure> {
    let id = record.entity.as_ref().and_then(|entity| entity.id.parse().ok());
    id.ok_or_else(|| Failure::new(Reason::Internal, "a change of a profile without its customer"))
}

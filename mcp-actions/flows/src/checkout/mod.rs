//! Buying: items or a cart → address → shipping → coupon → payment → confirm → place, authorise, capture → verify.

mod effects;
mod facts;
mod look;
mod payment;
#[cfg(test)]
mod tests;

use async_trait::async_trait;
use mcp_actions_engine::node::NodeError;
use mcp_actions_engine::parts::{Candidate, EntityRef, Evidence, Map};
use mcp_actions_engine::{
    About, Effects, Ends, Facts, Failure, Field, Flow, Lapse, Merge, Node, Nodes, Opened, Opening, Record,
    Refusal, Verb,
};
use serde_json::{Value, json};
use shop_domain::governance::Scope;
use shop_domain::ids::{CartId, CartLineId, CustomerId, OrderId, VariantId};
use shop_service::checkout::{self, Cart, Wish};
use shop_service::{orders, pricing};

use self::facts::Choices;
use crate::book;
use crate::caller::Caller;
use crate::entities;
use crate::failure::{failure, reason, words};
use crate::wire::{block, id, object, text, text_schema};

const ABOUT: About = About {
    name: "checkout",
    aliases: &["buy", "place_order", "purchase"],
    title: "Buy and pay",
    entity: "Order",
    trigger: "The user wants to buy items and pay for them",
    examples: &[
        "buy two of the item in my cart and ship it to the office",
        "order the blue mug",
        "check out my basket with my card",
        "I want to purchase this and pay from my balance",
        "get me one more of those, send it home",
        "place the order and use my coupon",
    ],
    not_for: &[
        "changing an order that was placed already: modify_order",
        "sending another unit for one that was wrong: after_sales",
        "a gift card: gift_card",
    ],
    prerequisites: &["signed in", "cart or specified item is not empty"],
    postconditions: &[
        "the order is placed and its payment is captured",
        "the stock is reserved for the order",
    ],
    side_effects: &["reserves inventory", "creates an order", "charges payment"],
    requires_approval: true,
    verbs: Verb::ALL,
};

const NODES: &[Node] = &[
    Node {
        key: "ITEMS",
        fields: &[Field::required(
            "items",
            "items[].quantity",
            "What to buy: the id of a variant (or of a line of the cart) and how many; 0 takes it out. Variants named \
             at the start, with no target, are bought alone and leave the cart as it is."
            ,
            items_schema,
        )
        .merging(Merge::ById)],
    },
    Node {
        key: "ADDRESS",
        fields: &[Field::required(
            "address_id",
            "address_id",
            "Where it goes: an entry of the address book.",
            text_schema,
        )
        .depends_on(&["items"])],
    },
    Node {
        key: "SHIPPING",
        fields: &[Field::optional(
            "shipping_method_id",
            "shipping_method_id",
            "How it travels; the cheapest that reaches the address when nothing is said.",
            text_schema,
        )
        .depends_on(&["items", "address_id"])
        .lapsing(Lapse::Ask)],
    },
    Node {
        key: "COUPON",
        fields: &[Field::optional("coupon_id", "coupon_id", "A coupon, by its id or code.", text_schema)
            .depends_on(&["items", "address_id"])
            .lapsing(Lapse::Drop)],
    },
    Node {
        key: "PAYMENT",
        fields: &[
            Field::required(
                "payment_type",
                "payment_type",
                "What it is paid with: balance (store credit), card, paypal or gift_card.",
                payment::type_schema,
            ),
            Field::optional(
                "payment_method_id",
                "payment_method_id",
                "Which card or account; the default of that type when nothing is said.",
                text_schema,
            )
            .depends_on(&["payment_type"])
            .lapsing(Lapse::Drop),
            Field::optional(
                "payments",
                "payments[]",
                "Several instruments instead of one, each with its amount in minor units; one may go without and pays \
                 the rest.",
                payment::split_schema,
            )
            .lapsing(Lapse::Ask),
        ],
    },
];

const CONFIRM: Ends = Ends::Confirm { node: "CONFIRM_ORDER", submitted: "PAYMENT_SUBMITTED" };

fn items_schema() -> Value {
    json!({
        "type": "array",
        "minItems": 1,
        "maxItems": 100,
        "items": {
            "type": "object",
            "properties": {
                "id": { "type": "string", "minLength": 1, "maxLength": 64 },
                "quantity": { "type": "integer", "minimum": 0, "maximum": 999 },
            },
            "required": ["id", "quantity"],
            "additionalProperties": false,
        },
    })
}

pub(crate) struct Checkout {
    nodes: Nodes,
}

impl Checkout {
    pub(crate) fn new() -> Result<Self, NodeError> {
        Ok(Self { nodes: Nodes::new(NODES, CONFIRM)? })
    }
}

#[async_trait]
impl Flow<Caller> for Checkout {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    async fn open(&self, caller: &Caller, target: Option<&str>, said: &Map) -> Result<Opened, Failure> {
        let Some(target) = target.map(str::trim).filter(|target| !target.is_empty()) else {
            return if names_goods(said) { open_nothing(caller) } else { open_carts(caller).await };
        };
        if let Ok(id) = target.parse::<CartId>() {
            return open_cart(caller, id).await;
        }
        if entities::mentions(target, &["cart", "basket"]) {
            return open_carts(caller).await;
        }
        open_goods(caller, target).await
    }

    async fn understand(&self, caller: &Caller, record: &Record, mut patch: Map) -> Result<Map, Failure> {
        let cart = cart_of(caller, record).await?;
        if let Some(items) = patch.get_mut("items").and_then(Value::as_array_mut) {
            for item in items.iter_mut().filter_map(Value::as_object_mut) {
                if let Some(variant) = text(item, "id").and_then(|id| variant_of(cart.as_ref(), id)) {
                    item.insert("id".to_owned(), json!(variant));
                }
            }
        }
        if let Some(said) = text(&patch, "address_id") {
            let own = book::of(caller, customer(caller, cart.as_ref())?).await?;
            if let Some(entry) = book::the_one(&own, said) {
                patch.insert("address_id".to_owned(), json!(entry.id));
            }
        }
        if let Some(coupon) = code_of(caller, text(&patch, "coupon_id")).await? {
            patch.insert("coupon_id".to_owned(), json!(coupon));
        }
        Ok(patch)
    }

    async fn facts(&self, caller: &Caller, record: &Record) -> Result<Box<dyn Facts>, Failure> {
        let ctx = caller.ctx();
        let cart = cart_of(caller, record).await?;
        let customer_id = customer(caller, cart.as_ref())?;
        let given = &record.given;
        let wish = Wish {
            customer_id,
            store_id: cart.as_ref().map(|cart| cart.store_id),
            items: facts::wanted(given),
            address_id: id(given, "address_id"),
            shipping_method_id: id(given, "shipping_method_id"),
            coupon_id: id(given, "coupon_id"),
            holder: record.id.clone(),
        };
        let sheet = checkout::sheet(&ctx, &wish).await.map_err(failure)?;
        Ok(Box::new(Choices::new(sheet)))
    }

    async fn observe(&self, caller: &Caller, record: &Record) -> Result<Option<Map>, Failure> {
        if let Some(order) = effects::order_of(record) {
            return order_state(caller, order).await.map(Some);
        }
        let Some(cart) = record.entity.as_ref().and_then(|entity| entity.id.parse::<CartId>().ok()) else {
            return Ok(None);
        };
        let view = shop_service::carts::get(&caller.ctx(), cart).await.map_err(failure)?;
        Ok(Some(object(json!({
            "type": "Cart",
            "id": view.id,
            "status": view.status,
            "version": view.version,
        }))))
    }

    fn effects(&self) -> Option<&dyn Effects<Caller>> {
        Some(self)
    }
}

/// The order as it is now, in the few words that tell whether a claim about it is true.
async fn order_state(caller: &Caller, id: OrderId) -> Result<Map, Failure> {
    let order = orders::get(&caller.ctx(), id).await.map_err(failure)?;
    Ok(object(json!({
        "type": "Order",
        "id": order.id,
        "number": order.number,
        "status": order.status,
        "payment_status": order.payment_status,
        "fulfillment_status": order.fulfillment_status,
        "total": order.total_minor,
        "currency": order.currency,
        "version": order.version,
    })))
}

/// The open cart, where there is one.
async fn open_carts(caller: &Caller) -> Result<Opened, Failure> {
    let mut carts = checkout::open_carts(&caller.ctx()).await.map_err(failure)?;
    if carts.len() > 1 {
        let candidate = |cart: &Cart| Candidate {
            id: cart.id.to_string(),
            kind: "Cart".to_owned(),
            label: label(cart),
            confidence: 0.5,
            reason: "it is open and has something in it".to_owned(),
        };
        return Ok(Opened::Candidates(carts.iter().map(candidate).collect()));
    }
    match carts.pop() {
        Some(cart) => Ok(begin(&cart)),
        None => open_nothing(caller),
    }
}

/// Nothing is known yet, and items may be named.
fn open_nothing(caller: &Caller) -> Result<Opened, Failure> {
    customer(caller, None)?;
    Ok(Opened::Entity(Opening::default()))
}

/// Goods that are named without a cart are bought alone: two such purchases never fight for the one cart.
fn names_goods(said: &Map) -> bool {
    let items = said.get("items").and_then(Value::as_array);
    let is_line = |item: &Value| item["id"].as_str().is_some_and(|id| id.parse::<CartLineId>().is_ok());
    items.is_some_and(|items| !items.iter().any(is_line))
}

async fn open_cart(caller: &Caller, id: CartId) -> Result<Opened, Failure> {
    match checkout::cart(&caller.ctx(), id).await {
        Ok(cart) => Ok(begin(&cart)),
        Err(error) if error.code == shop_domain::code::ErrorCode::NotFound => {
            Ok(Opened::NotFound { near_misses: Vec::new() })
        }
        Err(error) => Ok(Opened::Refused(Refusal::new(reason(error.code), words(&error)))),
    }
}

/// Goods by id or words: one of the one variant that is meant.
async fn open_goods(caller: &Caller, target: &str) -> Result<Opened, Failure> {
    customer(caller, None)?;
    let found = entities::variants(caller, target).await?;
    let entities::Found { mut clear, candidates, near_misses } = found;
    if candidates.len() > 1 {
        return Ok(Opened::Candidates(candidates));
    }
    let Some(only) = clear.take() else { return Ok(Opened::NotFound { near_misses }) };
    let inputs = object(json!({ "items": [{ "id": only.id, "quantity": 1 }] }));
    let evidence = Evidence {
        source: "catalogue".to_owned(),
        logic: "words of titles, SKUs and options".to_owned(),
        matched: vec![only.label.clone()],
        detail: only.reason,
    };
    Ok(Opened::Entity(Opening {
        entity: None,
        inputs,
        confidence: Some(only.confidence),
        evidence: vec![evidence],
    }))
}

fn begin(cart: &Cart) -> Opened {
    let item = |item: &checkout::CartItem| json!({ "id": item.variant_id, "quantity": item.quantity });
    let items: Vec<Value> = cart.items.iter().map(item).collect();
    let inputs = if items.is_empty() { Map::new() } else { object(json!({ "items": items })) };
    let entity = EntityRef { kind: "Cart".to_owned(), id: cart.id.to_string(), label: label(cart) };
    Opened::Entity(Opening { entity: Some(entity), inputs, confidence: Some(1.0), evidence: Vec::new() })
}

fn label(cart: &Cart) -> String {
    let titles: Vec<String> =
        cart.items.iter().map(|item| format!("{} × {}", item.quantity, item.title)).collect();
    if titles.is_empty() { "an empty cart".to_owned() } else { titles.join(", ") }
}

/// Who buys: the customer behind the call, or the one whose cart staff named.
fn customer(caller: &Caller, cart: Option<&Cart>) -> Result<CustomerId, Failure> {
    match (cart, caller.ctx().principal.scope) {
        (Some(cart), _) => Ok(cart.customer_id),
        (None, Scope::Customer(own)) => Ok(own),
        (None, Scope::Tenant | Scope::Brand(_) | Scope::Store(_)) => Err(Failure::new(
            mcp_actions_engine::Reason::ValidationFailed,
            "staff buy for a customer: start with the id of that customer's cart as target",
        )),
    }
}

/// The cart the action began with, while it is open; afterwards its order is what counts.
async fn cart_of(caller: &Caller, record: &Record) -> Result<Option<Cart>, Failure> {
    let id = record.entity.as_ref().and_then(|entity| entity.id.parse::<CartId>().ok());
    let Some(id) = id.filter(|_| record.submission.is_none()) else { return Ok(None) };
    checkout::cart(&caller.ctx(), id).await.map(Some).map_err(failure)
}

fn variant_of(cart: Option<&Cart>, id: &str) -> Option<VariantId> {
    let line: CartLineId = id.parse().ok()?;
    cart?.items.iter().find(|item| item.line_id == line).map(|item| item.variant_id)
}

/// A coupon by its code.
async fn code_of(caller: &Caller, said: Option<&str>) -> Result<Option<String>, Failure> {
    let Some(said) = said.filter(|said| said.parse::<shop_domain::ids::CouponId>().is_err()) else {
        return Ok(None);
    };
    let found = pricing::validate_coupon(&caller.ctx(), said, pricing::CouponQuery::default()).await;
    Ok(found.ok().map(|check| check.coupon_id.to_string()))
}

/// The whole of a view, for context blocks.
fn address_block(address: &checkout::Address) -> Value {
    json!({
        "id": address.id,
        "label": address.label,
        "address": block(&address.address),
        "is_default": address.is_default,
        "is_deliverable": address.is_deliverable,
    })
}

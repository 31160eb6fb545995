//! The fields that several entries ask for.

use mcp_actions_engine::{Field, Lapse};
use serde_json::{Value, json};
use shop_domain::reasons::CancelReason;
use shop_domain::returns::ReturnGrade;
use shop_domain::status::RefundDestination;

use super::{items, problem};
use crate::wire::text_schema;

pub(crate) const ITEMS: Field = Field::optional(
    "items",
    "items[].id",
    "Which items and how many: the id of a line, or words that name it. Not needed where only one thing can be meant.",
    items::schema,
);

pub(super) const CLAIMED: Field = Field {
    description: "Which items and how many: the id of a line, or words that name it. Not needed where only one thing \
                  can be meant. An exchange also needs items[].to: another variant, by id, SKU or options in words.",
    schema: items::swap_schema,
    ..ITEMS
}
.depends_on(&["problem"]);

pub(crate) const SWAPS: Field = Field::required(
    "items",
    "items[].to",
    "Which items, how many, and what for: items[].to is another variant of the same product, by id, SKU or options in \
     words; options that are not named stay as they are.",
    items::swap_schema,
);

pub(crate) const RETURN_REASON: Field =
    Field::required("reason", "reason", "Why it goes back.", problem::return_reason_schema);

pub(crate) const REFUND_REASON: Field = Field::optional(
    "reason",
    "reason",
    "Why it is not wanted, or what happened.",
    problem::before_delivery_schema,
);

pub(crate) const CANCEL_REASON: Field =
    Field::required("reason", "reason", "Why the order is cancelled.", cancel_reason_schema);

pub(crate) const DETAILS: Field = Field::optional(
    "details",
    "details",
    "What happened, in the customer's words, with links to photos where there are any. Needed where staff decide.",
    details_schema,
);

pub(crate) const REFUND_TO: Field = Field::optional(
    "refund_to",
    "refund_to",
    "Where the money goes; back to what paid when nothing is said.",
    refund_to_schema,
)
.depends_on(&["items"])
.lapsing(Lapse::Drop);

pub(crate) const REFUND_METHOD: Field = Field::optional(
    "refund_method_id",
    "refund_method_id",
    "Which gift card of the customer, or which of the methods that paid, exactly.",
    text_schema,
)
.depends_on(&["refund_to"])
.lapsing(Lapse::Drop);

pub(crate) const SETTLE_WITH: Field = Field::optional(
    "settle_with",
    "settle_with",
    "What a difference is paid with or given back to: a saved payment method or a gift card of the customer. What paid \
     the order, when the new goods cost more and nothing is said.",
    text_schema,
)
.depends_on(&["items"])
.lapsing(Lapse::Ask);

pub(crate) const CONDITION: Field = Field::optional(
    "condition",
    "condition",
    "For staff: how the goods that came back are.",
    condition_schema,
);

fn cancel_reason_schema() -> Value {
    json!({ "type": "string", "enum": CancelReason::WORDS })
}

fn details_schema() -> Value {
    json!({ "type": "string", "minLength": 1, "maxLength": 500 })
}

fn refund_to_schema() -> Value {
    json!({ "type": "string", "enum": RefundDestination::WORDS })
}

fn condition_schema() -> Value {
    json!({ "type": "string", "enum": ReturnGrade::WORDS })
}

//! The answer is cut short, and its length with it.

use shop_world::Placement;

use super::{Apply, CALLS, Fault, ONLY_AFTER};
use crate::exchange::{Delivery, Exchange};

pub(super) const FAULT: Fault = Fault {
    name: "truncated_json",
    summary: "half of the JSON, as if it were whole",
    teaches: "an answer that does not parse is no answer",
    operations: CALLS,
    placements: ONLY_AFTER,
    default_placement: Placement::After,
    apply: Apply::Call(apply),
};

fn apply(exchange: &mut Exchange) -> Delivery {
    let mut reply = exchange.process();
    reply.body.truncate(reply.body.len() / 2);
    Delivery::Reply(reply)
}

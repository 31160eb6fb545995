//! A proxy relabels the answer.

use shop_world::Placement;

use super::{Apply, CALLS, Fault, ONLY_AFTER};
use crate::exchange::{Delivery, Exchange};
use crate::reply::Reply;

pub(super) const FAULT: Fault = Fault {
    name: "wrong_content_type",
    summary: "the answer comes as text/html",
    teaches: "an answer of the wrong kind is no answer",
    operations: CALLS,
    placements: ONLY_AFTER,
    default_placement: Placement::After,
    apply: Apply::Call(apply),
};

fn apply(exchange: &mut Exchange) -> Delivery {
    Delivery::Reply(Reply { content_type: "text/html", ..exchange.process() })
}

//! A new version of the API wraps its answers.

use shop_world::Placement;

use super::{Apply, CALLS, Fault, ONLY_AFTER};
use crate::exchange::{Delivery, Exchange};

pub(super) const FAULT: Fault = Fault {
    name: "schema_drift",
    summary: "the answer in another shape",
    teaches: "an answer you do not understand is no answer",
    operations: CALLS,
    placements: ONLY_AFTER,
    default_placement: Placement::After,
    apply: Apply::Call(apply),
};

fn apply(exchange: &mut Exchange) -> Delivery {
    let mut reply = exchange.process();
    reply.body = [b"{\"data\":", reply.body.as_slice(), b"}"].concat();
    Delivery::Reply(reply)
}

//! The server failed, before or after the effect.

use shop_world::Placement;

use super::{Apply, CALLS, EITHER, Fault};
use crate::exchange::{Delivery, Exchange};
use crate::refusals::Refusal;
use crate::reply::Reply;

pub(super) const FAULT: Fault = Fault {
    name: "http_500",
    summary: "500 in the gateway's own words",
    teaches: "a 5xx says nothing about the effect",
    operations: CALLS,
    placements: EITHER,
    default_placement: Placement::Before,
    apply: Apply::Call(apply),
};

const ERROR: Refusal = Refusal { code: "internal_error", status: 500, message: "something went wrong" };

fn apply(_: &mut Exchange) -> Delivery {
    Delivery::Reply(Reply::refusal(ERROR))
}

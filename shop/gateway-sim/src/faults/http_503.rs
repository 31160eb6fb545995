//! A proxy or a deployment turned the call away, or only seemed to.

use shop_world::Placement;

use super::{Apply, CALLS, EITHER, Fault};
use crate::exchange::{Delivery, Exchange};
use crate::refusals::Refusal;
use crate::reply::Reply;

pub(super) const FAULT: Fault = Fault {
    name: "http_503",
    summary: "503 in the gateway's own words",
    teaches: "a 5xx says nothing about the effect",
    operations: CALLS,
    placements: EITHER,
    default_placement: Placement::Before,
    apply: Apply::Call(apply),
};

const ERROR: Refusal = Refusal { code: "unavailable", status: 503, message: "the service is not available" };

fn apply(_: &mut Exchange) -> Delivery {
    Delivery::Reply(Reply::refusal(ERROR))
}

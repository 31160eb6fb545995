//! A proxy got nonsense from the server behind it.

use shop_world::Placement;

use super::{Apply, CALLS, EITHER, Fault};
use crate::exchange::{Delivery, Exchange};
use crate::refusals::Refusal;
use crate::reply::Reply;

pub(super) const FAULT: Fault = Fault {
    name: "http_502",
    summary: "502 in the gateway's own words",
    teaches: "a 5xx says nothing about the effect",
    operations: CALLS,
    placements: EITHER,
    default_placement: Placement::Before,
    apply: Apply::Call(apply),
};

const ERROR: Refusal =
    Refusal { code: "bad_gateway", status: 502, message: "the server behind did not answer properly" };

fn apply(_: &mut Exchange) -> Delivery {
    Delivery::Reply(Reply::refusal(ERROR))
}

//! Too many requests: nothing was accepted.

use shop_world::Placement;

use super::{Apply, CALLS, Fault, ONLY_BEFORE};
use crate::exchange::{Delivery, Exchange};
use crate::refusals;
use crate::reply::Reply;

pub(super) const FAULT: Fault = Fault {
    name: "http_429",
    summary: "429 with Retry-After",
    teaches: "wait as long as told, then send the same key",
    operations: CALLS,
    placements: ONLY_BEFORE,
    default_placement: Placement::Before,
    apply: Apply::Call(apply),
};

fn apply(_: &mut Exchange) -> Delivery {
    Delivery::Reply(Reply { retry_after_s: Some(1), ..Reply::refusal(refusals::RATE_LIMITED) })
}

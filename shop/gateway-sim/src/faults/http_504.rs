//! A proxy gave up; the server behind it may not have.

use shop_world::Placement;

use super::{Apply, CALLS, EITHER, Fault};
use crate::exchange::{Delivery, Exchange};
use crate::refusals::Refusal;
use crate::reply::Reply;

pub(super) const FAULT: Fault = Fault {
    name: "http_504",
    summary: "504 in the gateway's own words",
    teaches: "a 5xx says nothing about the effect",
    operations: CALLS,
    placements: EITHER,
    default_placement: Placement::After,
    apply: Apply::Call(apply),
};

const ERROR: Refusal =
    Refusal { code: "gateway_timeout", status: 504, message: "the server behind did not answer in time" };

fn apply(_: &mut Exchange) -> Delivery {
    Delivery::Reply(Reply::refusal(ERROR))
}

//! The read comes from a replica that has not heard of it yet.

use shop_gateway::wire::Operation;
use shop_world::Placement;

use super::{Apply, Fault, ONLY_BEFORE};
use crate::exchange::{Delivery, Exchange};
use crate::refusals;
use crate::reply::Reply;

pub(super) const FAULT: Fault = Fault {
    name: "stale_read",
    summary: "a look-up finds nothing, whatever there is",
    teaches: "one empty look-up proves nothing; the fence does",
    operations: &[Operation::Lookup],
    placements: ONLY_BEFORE,
    default_placement: Placement::Before,
    apply: Apply::Call(apply),
};

fn apply(_: &mut Exchange) -> Delivery {
    Delivery::Reply(Reply::refusal(refusals::NOT_FOUND))
}

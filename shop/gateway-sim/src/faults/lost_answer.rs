//! The charge is made; the answer is lost. The fault that makes naive retries pay twice.

use shop_world::Placement;

use super::{Apply, CALLS, EITHER, Fault};
use crate::exchange::{Delivery, Exchange};

pub(super) const FAULT: Fault = Fault {
    name: "lost_answer",
    summary: "the connection is closed without an answer",
    teaches: "look up by key before trying again",
    operations: CALLS,
    placements: EITHER,
    default_placement: Placement::After,
    apply: Apply::Call(apply),
};

fn apply(_: &mut Exchange) -> Delivery {
    Delivery::Close
}

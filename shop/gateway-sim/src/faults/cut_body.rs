//! The connection breaks in the middle of the answer.

use shop_world::Placement;

use super::{Apply, CALLS, Fault, ONLY_AFTER};
use crate::exchange::{Delivery, Exchange};

pub(super) const FAULT: Fault = Fault {
    name: "cut_body",
    summary: "half of the answer, then the connection closes",
    teaches: "an answer that breaks off is no answer",
    operations: CALLS,
    placements: ONLY_AFTER,
    default_placement: Placement::After,
    apply: Apply::Call(apply),
};

fn apply(exchange: &mut Exchange) -> Delivery {
    Delivery::Cut(exchange.process())
}

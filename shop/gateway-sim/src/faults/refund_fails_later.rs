//! The refund is accepted, and bounces a day later.

use shop_gateway::wire::Operation;
use shop_world::Placement;

use super::{Apply, Fault, ONLY_BEFORE};
use crate::exchange::{Delivery, Exchange};

pub(super) const FAULT: Fault = Fault {
    name: "refund_fails_later",
    summary: "the refund is accepted as pending and fails a day later",
    teaches: "accepted is not done",
    operations: &[Operation::Refund],
    placements: ONLY_BEFORE,
    default_placement: Placement::Before,
    apply: Apply::Call(apply),
};

fn apply(exchange: &mut Exchange) -> Delivery {
    exchange.bend().refund_fails_later = true;
    Delivery::Reply(exchange.process())
}

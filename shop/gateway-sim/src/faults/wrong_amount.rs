//! The gateway moves more than it was asked to.

use shop_gateway::wire::Operation;
use shop_world::Placement;

use super::{Apply, Fault, ONLY_BEFORE};
use crate::exchange::{Delivery, Exchange};
use crate::rules::Amount;

pub(super) const FAULT: Fault = Fault {
    name: "wrong_amount",
    summary: "ten times the amount moves, as far as the payment allows",
    teaches: "compare the amount in the answer with the one you asked for",
    operations: &[Operation::Authorize, Operation::Capture, Operation::Refund],
    placements: ONLY_BEFORE,
    default_placement: Placement::Before,
    apply: Apply::Call(apply),
};

fn apply(exchange: &mut Exchange) -> Delivery {
    exchange.bend().amount = Amount::TenFold;
    Delivery::Reply(exchange.process())
}

//! The bank says no. After the effect, the answer says no to a charge that was made.

use shop_world::Placement;

use super::{Apply, EITHER, Fault, WRITES};
use crate::exchange::{Delivery, Exchange};
use crate::reply::Reply;

pub(super) const FAULT: Fault = Fault {
    name: "decline",
    summary: "the bank declines",
    teaches: "a decline is final for its key; the ledger decides, not the words",
    operations: WRITES,
    placements: EITHER,
    default_placement: Placement::Before,
    apply: Apply::Call(apply),
};

fn apply(exchange: &mut Exchange) -> Delivery {
    // Before the effect it is truly refused, and stays so; after it, only the answer says so.
    let decline = exchange.decline();
    match exchange.placement() {
        Placement::Before => {
            exchange.bend().decline = Some(decline);
            Delivery::Reply(exchange.process())
        }
        Placement::After => Delivery::Reply(Reply::refusal(decline)),
    }
}

//! What all status machines share: the refusal of a move, and the diagram drawn from the table itself.

use std::fmt::{Display, Write as _};

use thiserror::Error;

/// An event that cannot happen in the state a thing is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{noun} is {from}: the event `{event}` is not possible")]
pub struct IllegalMove {
    /// What should have moved, such as `order`.
    pub noun: &'static str,
    /// The state it is in.
    pub from: &'static str,
    /// What should have happened.
    pub event: &'static str,
}

/// Draws a status machine as a Mermaid state diagram by asking its table about every state and event.
pub fn mermaid<S, E>(
    initial: &[S],
    states: &[S],
    events: &[E],
    after: impl Fn(S, E) -> Result<S, IllegalMove>,
) -> String
where
    S: Copy + Display,
    E: Copy + Display,
{
    let mut diagram = String::from("stateDiagram-v2\n");
    for state in initial {
        line(&mut diagram, format_args!("    [*] --> {state}"));
    }
    for &from in states {
        let mut is_final = true;
        for &event in events {
            if let Ok(to) = after(from, event) {
                is_final = false;
                line(&mut diagram, format_args!("    {from} --> {to}: {event}"));
            }
        }
        if is_final {
            line(&mut diagram, format_args!("    {from} --> [*]"));
        }
    }
    diagram
}

/// Every status machine of the shop as a diagram, by noun, for the documentation.
#[must_use]
pub fn diagrams() -> [(&'static str, String); 15] {
    use crate::status::{
        ApprovalStatus, CustomerStatus, DeliveryStatus, DisputeStatus, ExchangeStatus, FulfillmentStatus,
        OrderEditStatus, OrderStatus, PaymentState, ProductStatus, RefundStatus, ReturnStatus, ReviewStatus,
        TicketStatus, TransferStatus,
    };
    [
        ("product", ProductStatus::diagram()),
        ("customer", CustomerStatus::diagram()),
        ("order", OrderStatus::diagram()),
        ("order edit", OrderEditStatus::diagram()),
        ("payment", PaymentState::diagram()),
        ("refund", RefundStatus::diagram()),
        ("fulfillment", FulfillmentStatus::diagram()),
        ("return", ReturnStatus::diagram()),
        ("exchange", ExchangeStatus::diagram()),
        ("approval", ApprovalStatus::diagram()),
        ("dispute", DisputeStatus::diagram()),
        ("inventory transfer", TransferStatus::diagram()),
        ("ticket", TicketStatus::diagram()),
        ("review", ReviewStatus::diagram()),
        ("webhook delivery", DeliveryStatus::diagram()),
    ]
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing into a String cannot fail.
    let _ = writeln!(text, "{line}");
}

/// Checks one machine against a literal list of its moves: every other pair must be refused.
#[cfg(test)]
pub(crate) fn check_moves<S, E>(
    states: &[S],
    events: &[E],
    after: impl Fn(S, E) -> Result<S, IllegalMove>,
    moves: &[(S, E, S)],
) where
    S: Copy + PartialEq + std::fmt::Debug + Display,
    E: Copy + PartialEq + std::fmt::Debug + Display,
{
    for &from in states {
        for &event in events {
            let expected = moves.iter().find(|(f, e, _)| *f == from && *e == event).map(|(_, _, to)| *to);
            let got = after(from, event);
            assert_eq!(got.ok(), expected, "{from} after {event}");
            if let Err(refusal) = got {
                assert_eq!(
                    (refusal.from.to_owned(), refusal.event.to_owned()),
                    (from.to_string(), event.to_string())
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    /// An archived product can be sold again, a reply reopens a ticket, and a hidden review can be shown again.
    const NEVER_OVER: [&str; 3] = ["product", "ticket", "review"];

    #[test]
    fn every_diagram_shows_every_state_on_a_way_from_the_start() {
        for (noun, diagram) in super::diagrams() {
            let states = diagram.lines().filter_map(|line| line.trim().split_once(" --> "));
            let reached: Vec<&str> =
                states.clone().map(|(_, to)| to.split(':').next().unwrap_or(to)).collect();
            for (from, _) in states.filter(|(from, _)| *from != "[*]") {
                assert!(reached.contains(&from), "{noun} never becomes {from}");
            }
            assert!(diagram.contains("    [*] --> "), "{noun} has no start");
            assert_eq!(diagram.contains(" --> [*]"), !NEVER_OVER.contains(&noun), "the end of {noun}");
        }
    }
}

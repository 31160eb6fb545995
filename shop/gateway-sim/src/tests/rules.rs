//! What the gateway allows, and what test instruments do.

use chrono::TimeDelta;
use shop_gateway::Outcome;
use shop_gateway::wire::{DisputeStatus, PaymentStatus, RefundStatus, TransactionKind};

use super::*;
use crate::instruments::{Behaviour, INSTRUMENTS};
use crate::limits;

#[tokio::test]
async fn money_moves_only_as_far_as_it_was_allowed_to() {
    let gateway = Gateway::start();
    let client = &gateway.client;

    // A hold of 1000, captured in parts.
    let held = gateway.hold("a", 1_000).await;
    assert_eq!((held.status, held.authorized_minor), (PaymentStatus::Authorized, 1_000));
    assert_eq!(refusal(client.refund("r0", &refund_of(&held, 1)).await), "refund_exceeds_captured");
    assert_eq!(refusal(client.capture("c0", &held.id, 1_001).await), "capture_exceeds_authorized");
    let part = done(client.capture("c1", &held.id, 400).await);
    assert_eq!((part.status, part.captured_minor), (PaymentStatus::Captured, 400));
    assert_eq!(refusal(client.capture("c2", &held.id, 601).await), "capture_exceeds_authorized");
    assert_eq!(done(client.capture("c3", &held.id, 600).await).captured_minor, 1_000);
    assert_eq!(refusal(client.void("v1", &held.id).await), "payment_captured");

    // Refunded in parts.
    assert_eq!(refusal(client.refund("r1", &refund_of(&held, 1_001)).await), "refund_exceeds_captured");
    let refund = done(client.refund("r2", &refund_of(&held, 700)).await);
    assert_eq!(
        (refund.status, refund.amount_minor, refund.currency.as_str()),
        (RefundStatus::Succeeded, 700, "EUR")
    );
    assert_eq!(refusal(client.refund("r3", &refund_of(&held, 301)).await), "refund_exceeds_captured");
    done(client.refund("r4", &refund_of(&held, 300)).await);
    assert_eq!(found(client.lookup_refund(&refund.id).await), refund);
    assert_eq!(found(client.lookup(&held.id).await).refunded_minor, 1_000);

    // A hold that is released stays released.
    let other = gateway.hold("b", 50).await;
    assert_eq!(done(client.void("v2", &other.id).await).status, PaymentStatus::Voided);
    assert_eq!(refusal(client.void("v3", &other.id).await), "payment_voided");
    assert_eq!(refusal(client.capture("c4", &other.id, 50).await), "payment_voided");
    assert_eq!(refusal(client.refund("r5", &refund_of(&other, 50)).await), "payment_voided");
    assert_eq!(refusal(client.capture("c5", "ch_nobody", 50).await), "not_found");
    assert_eq!(client.lookup("ch_nobody").await, Lookup::NotFound);

    let truth = gateway.account.truth().unwrap();
    assert_eq!(truth.charges_for("pay_1").count(), 2);
    assert_eq!(truth.kept_minor("pay_1"), 0);
    assert_eq!(truth.charges[0].key.as_deref(), Some("a"));
}

#[tokio::test]
async fn the_instrument_chooses_the_outcome() {
    let gateway = Gateway::start();
    for instrument in INSTRUMENTS {
        let key = instrument.token;
        let outcome = gateway.client.authorize(key, &paying_with(instrument.token, 1_001)).await;
        match instrument.behaviour {
            Behaviour::Decline(code) => assert_eq!(refusal(outcome), code),
            Behaviour::PartialApproval => {
                let payment = done(outcome);
                assert_eq!((payment.requested_minor, payment.authorized_minor), (1_001, 500));
            }
            Behaviour::Fault("lost_answer") => {
                assert_eq!(outcome, Outcome::Unknown);
                // The answer is lost once; whoever asks again under the same key gets it.
                let again = done(gateway.client.authorize(key, &paying_with(instrument.token, 1_001)).await);
                assert_eq!(again.authorized_minor, 1_001);
            }
            Behaviour::Approve | Behaviour::DisputeLater | Behaviour::Fault(_) => {
                let payment = done(outcome);
                assert_eq!(payment.authorized_minor, 1_001);
                assert_eq!(payment.instrument.token, instrument.token);
            }
        }
    }
}

#[tokio::test]
async fn a_card_number_never_reaches_the_books() {
    let gateway = Gateway::start();
    let paid = done(gateway.client.authorize("k", &paying_with("5555 5555 5555 4444", 5)).await);
    assert_eq!((paid.instrument.token.as_str(), paid.instrument.last4.as_str()), ("tok_mastercard", "4444"));
    assert_eq!(
        refusal(gateway.client.authorize("l", &paying_with("4111 2222 3333 4444", 5)).await),
        "invalid_request"
    );
    let bytes = String::from_utf8(gateway.account.snapshot().unwrap()).unwrap();
    assert!(!bytes.contains("5555") && !bytes.contains("4111"), "{bytes}");
}

#[tokio::test]
async fn magic_amounts_choose_what_becomes_of_a_refund() {
    let gateway = Gateway::start();
    let client = &gateway.client;
    let clock = &gateway.account.world().clock;
    let paid = gateway.take("c", 100_000_000).await;

    assert_eq!(refusal(client.refund("r1", &refund_of(&paid, 9_000_001)).await), "refund_declined");
    let slow = done(client.refund("r2", &refund_of(&paid, 9_000_002)).await);
    let bounced = done(client.refund("r3", &refund_of(&paid, 9_000_003)).await);
    assert_eq!((slow.status, bounced.status), (RefundStatus::Pending, RefundStatus::Pending));
    done(client.refund("r4", &refund_of(&paid, 9_000_004)).await);
    assert_eq!(client.refund("r5", &refund_of(&paid, 9_000_005)).await, Outcome::Unknown);
    let before = found(client.lookup(&paid.id).await).refunded_minor;

    clock.advance(limits::REFUND_SETTLES_AFTER - TimeDelta::seconds(1));
    assert_eq!(gateway.account.tick().unwrap(), 0);
    clock.advance(TimeDelta::seconds(1));
    assert_eq!(gateway.account.tick().unwrap(), 2);
    assert_eq!(found(client.lookup_refund(&slow.id).await).status, RefundStatus::Succeeded);
    let bounced = found(client.lookup_refund(&bounced.id).await);
    assert_eq!(bounced.status, RefundStatus::Failed);
    assert!(bounced.failure.is_some());
    // The money is with the merchant again, and can be refunded again.
    assert_eq!(found(client.lookup(&paid.id).await).refunded_minor, before - 9_000_003);
}

#[tokio::test]
async fn a_dispute_comes_once_and_days_after_the_first_capture() {
    let gateway = Gateway::start();
    let client = &gateway.client;
    let held = done(client.authorize("a", &paying_with("tok_dispute_later", 900)).await);
    done(client.capture("c1", &held.id, 500).await);
    done(client.capture("c2", &held.id, 100).await);
    gateway.account.world().clock.advance(limits::DISPUTE_AFTER);
    let payment = found(client.lookup(&held.id).await);
    assert_eq!(payment.dispute.map(|dispute| dispute.amount_minor), Some(600));
    gateway.account.world().clock.advance(limits::DISPUTE_AFTER * 5);
    assert_eq!(gateway.account.tick().unwrap(), 1, "nobody answered, so it is lost");
    assert_eq!(gateway.account.tick().unwrap(), 0);
    assert_eq!(refusal(client.refund("r", &refund_of(&held, 1)).await), "payment_disputed");
}

/// A payment of 900 that was taken and is disputed.
async fn disputed(gateway: &Gateway, key: &str) -> (Payment, String) {
    let held = done(gateway.client.authorize(key, &paying_with("tok_dispute_later", 900)).await);
    done(gateway.client.capture(&format!("{key}-c"), &held.id, 900).await);
    done(gateway.client.refund(&format!("{key}-r"), &refund_of(&held, 100)).await);
    gateway.account.world().clock.advance(limits::DISPUTE_AFTER);
    let payment = found(gateway.client.lookup(&held.id).await);
    let dispute = payment.dispute.clone().unwrap();
    assert_eq!((dispute.amount_minor, dispute.status), (800, DisputeStatus::NeedsResponse));
    (payment, dispute.id)
}

#[tokio::test]
async fn a_dispute_is_won_by_evidence_and_lost_without() {
    let gateway = Gateway::start();
    let (client, clock) = (&gateway.client, &gateway.account.world().clock);
    let standing = async |payment: &Payment| {
        let dispute = found(client.lookup(&payment.id).await).dispute.unwrap();
        (dispute.status, dispute.closed_at)
    };
    let (won, dispute) = disputed(&gateway, "won").await;
    done(client.contest("e1", &dispute, "the parcel was signed for").await);
    assert_eq!(refusal(client.contest("e2", &dispute, "again").await), "dispute_answered");
    assert_eq!(standing(&won).await, (DisputeStatus::UnderReview, None));
    clock.advance(limits::DISPUTE_DECIDED_AFTER);
    assert_eq!(standing(&won).await, (DisputeStatus::Won, Some(clock.now())));
    assert_eq!(refusal(client.concede("e3", &dispute).await), "dispute_closed");
    done(client.refund("r", &refund_of(&won, 800)).await);

    let (lost, dispute) = disputed(&gateway, "lost").await;
    done(client.contest("f1", &dispute, "losing_evidence").await);
    clock.advance(limits::DISPUTE_DECIDED_AFTER);
    assert_eq!(standing(&lost).await.0, DisputeStatus::Lost);
    let (late, dispute) = disputed(&gateway, "late").await;
    clock.advance(limits::DISPUTE_ANSWERED_WITHIN);
    assert_eq!(refusal(client.contest("g1", &dispute, "too late").await), "dispute_closed");
    let (given_up, dispute) = disputed(&gateway, "given").await;
    done(client.concede("h1", &dispute).await);
    assert_eq!(standing(&given_up).await.0, DisputeStatus::Lost);
    assert_eq!(refusal(client.concede("h2", "dp_none").await), "dispute_not_found");

    let listed = found(client.disputed(0, 2).await);
    assert_eq!(listed.data.iter().map(|p| &p.id).collect::<Vec<_>>(), [&won.id, &lost.id]);
    let rest = found(client.disputed(listed.next_after.unwrap(), 9).await);
    assert_eq!(rest.data.iter().map(|p| &p.id).collect::<Vec<_>>(), [&late.id, &given_up.id]);
    // What the statement says is what was kept.
    let net: i64 = found(client.ledger(0, 100).await).data.iter().map(|entry| entry.net_minor).sum();
    let kept: i64 = gateway.account.truth().unwrap().charges.iter().map(|charge| charge.kept_minor()).sum();
    assert_eq!((net, kept), (0, 0));
    assert_eq!(gateway.account.tick().unwrap(), 0);
}

#[tokio::test]
async fn nobody_disputes_what_they_got_back() {
    let gateway = Gateway::start();
    let held = done(gateway.client.authorize("a", &paying_with("tok_dispute_later", 900)).await);
    done(gateway.client.capture("c", &held.id, 900).await);
    done(gateway.client.refund("r", &refund_of(&held, 900)).await);
    gateway.account.world().clock.advance(limits::DISPUTE_AFTER);
    assert_eq!(found(gateway.client.lookup(&held.id).await).dispute, None);
}

#[tokio::test]
async fn the_statement_tells_every_movement_once() {
    let gateway = Gateway::start();
    let client = &gateway.client;
    let paid = gateway.take("c", 1_000).await;
    done(client.refund("r", &refund_of(&paid, 300)).await);
    let held = gateway.hold("h", 70).await;
    done(client.void("v", &held.id).await);
    assert_eq!(refusal(client.capture("no", &held.id, 70).await), "payment_voided");

    let mut entries = Vec::new();
    let mut after = 0;
    loop {
        let page = found(client.ledger(after, 2).await);
        assert!(page.data.len() <= 2);
        entries.extend(page.data);
        match page.next_after {
            Some(next) => after = next,
            None => break,
        }
    }
    let told: Vec<_> =
        entries.iter().map(|e| (e.kind, e.amount_minor, e.net_minor, e.key.as_deref())).collect();
    assert_eq!(
        told,
        [
            (TransactionKind::Hold, 1_000, 0, Some("c-hold")),
            (TransactionKind::Capture, 1_000, 1_000, Some("c")),
            (TransactionKind::Refund, 300, -300, Some("r")),
            (TransactionKind::Hold, 70, 0, Some("h")),
            (TransactionKind::Void, 70, 0, Some("v")),
        ]
    );
    assert_eq!(entries[2].reference, "rfd_1");
    assert_eq!(found(client.ledger(0, 5).await).next_after, None);
}

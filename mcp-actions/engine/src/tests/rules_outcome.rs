//! Rules 9, 11, 13 and 18: what happens after the yes, and when its answer gets lost.

use chrono::TimeDelta;
use serde_json::json;

use super::{Desk, id, node, offers, start, tools};
use crate::parts::Tool;
use crate::record::StaffApprovalStatus;
use crate::testing::canned::approve;
use crate::testing::expense::Fault;
use crate::{ConfirmCall, Outcome, Reason, Resumed, StartCall, Status};

#[tokio::test]
async fn rule_09_confirm_is_idempotent_by_key() {
    let desk = Desk::trusting();
    let ready = desk.ready().await;
    let missing = desk.confirm(&ready, " ").await;
    assert_eq!(missing.reason, Some(Reason::IdempotencyKeyRequired));
    let first = desk.confirm(&ready, "k").await;
    desk.verify(&ready).await;
    let again = desk.confirm(&ready, "k").await;
    assert!(again.replayed && !first.replayed);
    assert_eq!((again.version, again.status, again.node), (first.version, first.status, first.node));

    let other = desk.ready().await;
    let conflict = desk.confirm(&other, "k").await;
    assert_eq!(
        (conflict.outcome, conflict.reason),
        (Outcome::TerminalFailure, Some(Reason::IdempotencyConflict))
    );
    // Two equal claims that are meant as two both go through.
    assert_eq!(desk.confirm(&other, "k2").await.outcome, Outcome::Success);
    assert_eq!(desk.office.count("pay"), 2);
}

#[tokio::test]
async fn rule_09_a_key_lives_a_day_and_the_action_protects_itself_after() {
    let desk = Desk::trusting();
    let ready = desk.ready().await;
    desk.confirm(&ready, "k").await;
    desk.world.clock.advance(TimeDelta::hours(25));
    let late = desk.confirm(&ready, "k").await;
    assert_eq!(late.reason, Some(Reason::ActionNotAllowed));
    assert_eq!(desk.office.count("pay"), 1);
}

#[tokio::test]
async fn rule_09_while_unknown_the_same_confirm_only_looks_and_a_new_key_is_refused() {
    let desk = Desk::trusting();
    let lost = desk.lost(Fault::LoseAnswer).await;
    assert_eq!(lost.reason, Some(Reason::OutcomeUnknown));
    desk.office.set_blind(true);
    assert_eq!(desk.confirm(&lost, "key-1").await.reason, Some(Reason::OutcomeUnknown));
    assert_eq!(desk.confirm(&lost, "key-2").await.reason, Some(Reason::ActionNotAllowed));
    desk.office.set_blind(false);
    let found = desk.confirm(&lost, "key-1").await;
    assert_eq!((found.outcome, found.status), (Outcome::Success, Some(Status::Submitted)));
    assert_eq!(desk.office.keys_of("pay").len(), 1);
}

#[tokio::test]
async fn rule_09_a_running_confirm_answers_in_progress() {
    let desk = Desk::trusting();
    desk.office.plan("file", Fault::Busy);
    let ready = desk.ready().await;
    let busy = desk.confirm(&ready, "k").await;
    assert_eq!((busy.reason, busy.retry_after_ms), (Some(Reason::UpstreamUnavailable), Some(250)));
    let lease = crate::Store::claim(desk.store.as_ref(), &desk.ada, id(&ready)).await.unwrap().unwrap();
    let running = desk.confirm(&ready, "k").await;
    assert_eq!((running.outcome, running.reason), (Outcome::RetryableFailure, Some(Reason::InProgress)));
    assert!(running.retry_after_ms.is_some());
    assert_eq!(desk.engine.resume(&desk.ada, id(&ready)).await.unwrap(), Resumed::Busy);
    crate::Store::unclaim(desk.store.as_ref(), &desk.ada, lease).await.unwrap();
    assert_eq!(desk.confirm(&ready, "k").await.outcome, Outcome::Success);
    assert_eq!(desk.office.count("pay"), 1);
}

#[tokio::test]
async fn rule_09_a_start_is_idempotent_by_key_too() {
    let desk = Desk::trusting();
    let call = StartCall { idempotency_key: Some("s".to_owned()), ..start(json!({"account_id": "office"})) };
    let first = desk.engine.start(&desk.ada, call.clone()).await;
    let again = desk.engine.start(&desk.ada, call.clone()).await;
    assert_eq!((again.replayed, &again.action_id, again.version), (true, &first.action_id, first.version));
    let other = StartCall { patch: crate::Map::new(), ..call };
    assert_eq!(desk.engine.start(&desk.ada, other).await.reason, Some(Reason::IdempotencyConflict));
}

#[tokio::test]
async fn rule_11_a_lost_answer_is_unknown_and_verify_finishes_it() {
    for step in ["file", "reserve", "pay"] {
        let desk = Desk::trusting();
        desk.office.plan(step, Fault::LoseAnswer);
        let ready = desk.ready().await;
        let lost = desk.confirm(&ready, "k").await;
        assert_eq!((lost.outcome, lost.status), (Outcome::RetryableFailure, Some(Status::Unknown)));
        assert!(lost.recoverable && offers(&lost, Tool::VerifyAction) && offers(&lost, Tool::RecoverAction));
        assert!(!offers(&lost, Tool::ConfirmAction) && lost.allowed_patch.is_empty());
        let done = desk.verify(&lost).await;
        assert_eq!(
            (done.outcome, done.status, node(&done)),
            (Outcome::Success, Some(Status::Completed), "DONE")
        );
        assert!(done.next_actions.is_empty());
        assert_eq!((desk.office.count("pay"), desk.office.keys_of(step).len()), (1, 1));
    }
}

#[tokio::test]
async fn rule_11_retry_needs_a_look_that_found_nothing_and_uses_the_original_key() {
    let desk = Desk::trusting();
    let lost = desk.lost(Fault::LoseRequest).await;
    desk.office.set_blind(true);
    let blind = desk.recover(&lost, Some("retry")).await;
    assert_eq!((blind.reason, blind.status), (Some(Reason::OutcomeUnknown), Some(Status::Unknown)));
    assert_eq!(desk.office.keys_of("pay").len(), 0);
    desk.office.set_blind(false);
    let seen = desk.verify(&lost).await;
    assert_eq!((seen.reason, seen.status), (Some(Reason::OutcomeUnknown), Some(Status::Unknown)));
    assert_eq!(seen.verification.unwrap().status, "not_found");
    let retried = desk.recover(&lost, Some("retry")).await;
    assert_eq!((retried.outcome, retried.status), (Outcome::Success, Some(Status::Submitted)));
    assert_eq!(desk.office.keys_of("pay"), [format!("{}/pay/1", id(&lost))]);
    assert_eq!(desk.verify(&lost).await.status, Some(Status::Completed));
}

#[tokio::test]
async fn rule_11_recover_looks_by_itself_and_finds_what_happened() {
    let desk = Desk::trusting();
    let lost = desk.lost(Fault::LoseAnswer).await;
    let bad = desk.recover(&lost, Some("pray")).await;
    assert_eq!((bad.reason, bad.version), (Some(Reason::ActionNotAllowed), lost.version));
    let found = desk.recover(&lost, None).await;
    assert_eq!((found.outcome, found.status), (Outcome::Success, Some(Status::Completed)));
    assert_eq!(desk.office.keys_of("pay").len(), 1);
}

#[tokio::test]
async fn rule_11_abandon_undoes_what_turns_up_and_releases() {
    for (fault, reversals) in [(Fault::LoseAnswer, 3), (Fault::LoseRequest, 2)] {
        let desk = Desk::trusting();
        let lost = desk.lost(fault).await;
        desk.office.set_blind(true);
        let blind = desk.recover(&lost, Some("abandon")).await;
        assert_eq!((blind.reason, blind.status), (Some(Reason::OutcomeUnknown), Some(Status::Unknown)));
        assert_eq!(tools(&blind), ["verify_action", "recover_action"]);
        desk.office.set_blind(false);
        let gone = desk.recover(&lost, Some("abandon")).await;
        assert_eq!((gone.outcome, gone.status), (Outcome::Success, Some(Status::Canceled)));
        assert_eq!(gone.result_refs.iter().filter(|found| found.kind == "Reversal").count(), reversals);
        assert_eq!((desk.office.count("pay"), desk.office.held().len()), (0, 0));
        assert!(gone.next_actions.is_empty());
        let stored = desk.confirm(&lost, "key-1").await;
        assert_eq!((stored.replayed, stored.reason), (true, Some(Reason::PreconditionFailed)));
    }
}

#[tokio::test]
async fn rule_11_an_unknown_that_expires_is_abandoned() {
    let desk = Desk::trusting();
    let lost = desk.lost(Fault::LoseAnswer).await;
    desk.world.clock.advance(TimeDelta::minutes(31));
    assert_eq!(desk.get(&lost).await.status, Some(Status::Unknown));
    desk.world.clock.advance(TimeDelta::hours(24));
    let due = desk.engine.due(&desk.ada, 10).await.unwrap();
    assert_eq!(due[0].action_id, id(&lost));
    assert_eq!(desk.engine.resume(&desk.ada, id(&lost)).await.unwrap(), Resumed::At(Status::Expired));
    assert_eq!((desk.office.count("pay"), desk.office.held().len()), (0, 0));
    assert!(desk.engine.due(&desk.ada, 10).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_silent_failure_and_a_short_payment_are_found_out_by_verify() {
    let desk = Desk::trusting();
    let claimed = desk.lost(Fault::Silent).await;
    assert_eq!(claimed.outcome, Outcome::Success);
    let seen = desk.verify(&claimed).await;
    assert_eq!((seen.reason, seen.status), (Some(Reason::OutcomeUnknown), Some(Status::Unknown)));
    assert_eq!(desk.recover(&claimed, None).await.status, Some(Status::Submitted));
    assert_eq!(desk.verify(&claimed).await.status, Some(Status::Completed));
    assert_eq!(desk.office.count("pay"), 1);

    let desk = Desk::trusting();
    let short = desk.lost(Fault::Short).await;
    let seen = desk.verify(&short).await;
    assert_eq!((seen.reason, seen.status), (Some(Reason::PreconditionFailed), Some(Status::Unknown)));
    assert_eq!(seen.verification.as_ref().unwrap().amount, Some(50));
    assert_eq!(tools(&seen), ["verify_action", "recover_action"]);
    assert_eq!(desk.recover(&short, Some("abandon")).await.status, Some(Status::Canceled));
    assert_eq!(desk.office.count("pay"), 0);
}

#[tokio::test]
async fn a_look_that_fails_puts_nothing_in_doubt_that_was_done() {
    let desk = Desk::trusting();
    let ready = desk.ready().await;
    let submitted = desk.confirm(&ready, "k").await;
    desk.office.set_blind(true);
    let blind = desk.verify(&submitted).await;
    assert_eq!((blind.reason, blind.status), (Some(Reason::UpstreamUnavailable), Some(Status::Submitted)));
    assert_eq!(blind.version, submitted.version);
}

#[tokio::test]
async fn rule_13_what_is_reserved_is_released_on_cancel_expiry_and_failure() {
    let desk = Desk::trusting();
    let ready = desk.ready().await;
    assert_eq!(desk.office.held(), [100]);
    let more = desk.advance(&ready, json!({"items": [{"id": "taxi", "amount": 40}]})).await;
    assert_eq!(desk.office.held(), [40]);
    assert_eq!(desk.cancel(&more).await.version, Some(3));
    assert!(desk.office.held().is_empty());

    let ready = desk.ready().await;
    desk.world.clock.advance(TimeDelta::minutes(30));
    let expired = desk.confirm(&ready, "k").await;
    assert_eq!((expired.reason, expired.status), (Some(Reason::ActionExpired), Some(Status::Expired)));
    assert!(desk.office.held().is_empty() && expired.next_actions.is_empty());

    desk.office.plan("reserve", Fault::Refuse(Reason::NotEligible));
    let ready = desk.ready().await;
    let failed = desk.confirm(&ready, "k2").await;
    assert_eq!((failed.outcome, failed.reason), (Outcome::TerminalFailure, Some(Reason::NotEligible)));
    assert_eq!((failed.status, failed.recoverable), (Some(Status::Failed), false));
    assert_eq!((desk.office.count("file"), desk.office.held().len()), (0, 0));
    let again = desk.confirm(&ready, "k2").await;
    assert_eq!((again.replayed, again.reason), (true, Some(Reason::NotEligible)));
}

#[tokio::test]
async fn a_mendable_refusal_can_be_opened_again_with_keys_of_its_own() {
    let desk = Desk::trusting();
    let declined = desk.lost(Fault::Refuse(Reason::PaymentDeclined)).await;
    assert_eq!((declined.reason, declined.status), (Some(Reason::PaymentDeclined), Some(Status::Failed)));
    assert_eq!(declined.recoverable_errors[0].suggestions[0].value, json!("home"));
    assert_eq!((declined.recoverable, tools(&declined)), (true, vec!["recover_action"]));
    let open = desk.recover(&declined, None).await;
    assert_eq!((open.status, open.outcome), (Some(Status::ReadyForConfirmation), Outcome::Success));
    assert!(!open.recoverable_errors.is_empty());
    let changed = desk.advance(&open, json!({"account_id": "home"})).await;
    assert_eq!(desk.confirm(&changed, "key-1").await.reason, Some(Reason::PaymentDeclined));
    assert_eq!(desk.confirm(&changed, "key-2").await.outcome, Outcome::Success);
    assert_eq!(desk.verify(&changed).await.status, Some(Status::Completed));
    assert_eq!(desk.office.keys_of("pay"), [format!("{}/pay/2", id(&open))]);
    assert_eq!((desk.office.count("pay"), desk.office.count("file")), (1, 1));
}

#[tokio::test]
async fn staff_approval_waits_without_blocking_and_moves_on_by_itself() {
    let desk = Desk::trusting();
    desk.office.plan("file", Fault::Approval);
    let big = json!({"items": [{"id": "hotel", "amount": 700}], "account_id": "office", "reason": "fair"});
    let ready = desk.start(big).await;
    assert_eq!(ready.staff_approval.as_ref().unwrap().status, StaffApprovalStatus::NotRequested);
    let waits = desk.confirm(&ready, "k").await;
    assert_eq!((waits.outcome, waits.reason), (Outcome::RetryableFailure, Some(Reason::ApprovalPending)));
    assert_eq!(
        (waits.status, tools(&waits)),
        (Some(Status::AwaitingApproval), vec!["get_context", "advance_action"])
    );
    assert_eq!(waits.staff_approval.as_ref().unwrap().id.as_deref(), Some("apr_1"));
    // The idle half hour does not run while somebody else has to decide.
    desk.world.clock.advance(TimeDelta::hours(2));
    assert_eq!(desk.confirm(&ready, "k").await.version, waits.version);
    desk.office.decide(true);
    assert_eq!(desk.engine.resume(&desk.ada, id(&ready)).await.unwrap(), Resumed::At(Status::Submitted));
    let after = desk.confirm(&ready, "k").await;
    assert_eq!(
        (after.outcome, after.staff_approval.unwrap().status),
        (Outcome::Success, StaffApprovalStatus::Approved)
    );
    assert_eq!(desk.verify(&ready).await.status, Some(Status::Completed));
}

#[tokio::test]
async fn staff_approval_rejected_withdrawn_or_overdue_releases_everything() {
    let rejected = Desk::trusting();
    rejected.office.plan("file", Fault::Approval);
    let ready = rejected.ready().await;
    rejected.confirm(&ready, "k").await;
    rejected.office.decide(false);
    rejected.engine.resume(&rejected.ada, id(&ready)).await.unwrap();
    let failed = rejected.get(&ready).await;
    assert_eq!((failed.status, failed.recoverable), (Some(Status::Failed), false));
    assert_eq!(rejected.confirm(&ready, "k").await.reason, Some(Reason::ApprovalRejected));
    assert!(rejected.office.held().is_empty());

    let withdrawn = Desk::trusting();
    withdrawn.office.plan("file", Fault::Approval);
    let ready = withdrawn.ready().await;
    let waits = withdrawn.confirm(&ready, "k").await;
    assert_eq!(withdrawn.cancel(&waits).await.status, Some(Status::Canceled));
    assert!(withdrawn.office.held().is_empty());

    let overdue = Desk::trusting();
    overdue.office.plan("file", Fault::Approval);
    let ready = overdue.ready().await;
    overdue.confirm(&ready, "k").await;
    overdue.world.clock.advance(TimeDelta::hours(24));
    assert_eq!(overdue.get(&ready).await.status, Some(Status::Expired));
    assert!(overdue.office.held().is_empty());
}

#[tokio::test]
async fn an_event_after_confirm_is_waited_for() {
    let desk = Desk::trusting();
    let waits = desk.lost(Fault::Event).await;
    assert_eq!(
        (waits.outcome, node(&waits), waits.status),
        (Outcome::Success, "AWAIT_POST", Some(Status::Submitted))
    );
    assert_eq!(desk.verify(&waits).await.version, waits.version);
    assert_eq!(desk.recover(&waits, None).await.reason, Some(Reason::ActionNotAllowed));
    desk.office.let_arrive();
    desk.engine.resume(&desk.ada, id(&waits)).await.unwrap();
    let after = desk.get(&waits).await;
    assert_eq!((node(&after), desk.office.count("pay")), ("CLAIM_SUBMITTED", 1));
    assert_eq!(desk.verify(&waits).await.status, Some(Status::Completed));
}

#[tokio::test]
async fn what_waits_for_an_event_can_be_given_up() {
    let desk = Desk::trusting();
    let waits = desk.lost(Fault::Event).await;
    assert_eq!(tools(&waits), ["verify_action", "recover_action"]);
    assert_eq!(desk.recover(&waits, Some("abandon")).await.status, Some(Status::Canceled));
    assert_eq!((desk.office.count("file"), desk.office.held().len()), (0, 0));
}

#[tokio::test]
async fn the_journal_tells_how_an_action_got_where_it_stands() {
    let desk = Desk::trusting();
    let lost = desk.lost(Fault::LoseRequest).await;
    desk.recover(&lost, Some("retry")).await;
    desk.verify(&lost).await;
    let journal = crate::Store::journal(desk.store.as_ref(), &desk.ada, id(&lost)).await.unwrap();
    let told: Vec<String> =
        journal.iter().map(|entry| format!("{:?} {}", entry.event, entry.detail)).collect();
    assert_eq!(
        told,
        [
            "Started claim_expenses",
            "Submitted consent spent",
            "EffectIntended file",
            "EffectRecorded done",
            "EffectIntended reserve",
            "EffectRecorded done",
            "EffectIntended pay",
            "EffectRecorded unknown",
            "LookedUp not found",
            "EffectIntended retry under the original key",
            "EffectRecorded done",
            "Answered ",
            "Completed verified outside",
        ]
    );
    assert!(journal.iter().map(|entry| entry.version).is_sorted());
}

#[tokio::test]
async fn rule_18_confirm_answers_submitted_and_verify_done() {
    let desk = Desk::trusting();
    let ready = desk.ready().await;
    let call = ConfirmCall { version: ready.version, ..approve(&ready, "k") };
    let submitted = desk.engine.confirm(&desk.ada, call).await;
    assert_eq!((submitted.outcome, node(&submitted)), (Outcome::Success, "CLAIM_SUBMITTED"));
    assert_eq!((submitted.status, tools(&submitted)), (Some(Status::Submitted), vec!["verify_action"]));
    assert!(submitted.external_id.is_some());
    assert_eq!(submitted.observed_state.unwrap()["paid"], json!(100));
    let done = desk.verify(&ready).await;
    assert_eq!((done.status, node(&done), done.next_actions.len()), (Some(Status::Completed), "DONE", 0));
    assert_eq!(desk.verify(&ready).await.reason, Some(Reason::ActionNotAllowed));
}

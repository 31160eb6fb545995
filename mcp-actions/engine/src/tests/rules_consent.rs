//! Rules 10 and 14: the person's yes, and their no.

use chrono::TimeDelta;
use serde_json::json;

use super::{Desk, id, node, offers, reject};
use crate::parts::Tool;
use crate::testing::expense::Clerk;
use crate::{ConsentLevel, ConsentStatus, Outcome, Reason, Status, View};

fn person(desk: &Desk) -> Clerk {
    Clerk { is_agent: false, ..desk.ada.clone() }
}

/// The id of the consent a view asks for, from its url.
fn consent_id(view: &View) -> String {
    let url = view.consent.as_ref().unwrap().url.clone().unwrap();
    url.rsplit('/').next().unwrap().to_owned()
}

async fn agree(desk: &Desk, view: &View) {
    desk.engine.decide_consent(&person(desk), &consent_id(view), true).await.unwrap();
}

#[tokio::test]
async fn rule_10_without_consent_nothing_happens_and_confirm_stays_offered() {
    let desk = Desk::new(ConsentLevel::Human);
    let ready = desk.ready().await;
    let consent = ready.consent.clone().unwrap();
    assert_eq!((consent.level, consent.status), (ConsentLevel::Human, ConsentStatus::Pending));

    let asked = desk.confirm(&ready, "k").await;
    assert_eq!((asked.outcome, asked.reason), (Outcome::RetryableFailure, Some(Reason::ConsentRequired)));
    assert!(asked.retry_after_ms.is_some() && offers(&asked, Tool::ConfirmAction));
    assert_eq!((asked.version, desk.office.count("file")), (ready.version, 0));

    // The agent cannot answer for the person, and the key was not spent.
    let forbidden = desk.engine.decide_consent(&desk.ada, &consent_id(&asked), true).await.unwrap_err();
    assert_eq!(forbidden.reason, Reason::Forbidden);
    let forbidden =
        desk.engine.answer_consent(&desk.ada, id(&ready), &consent.digest, true).await.unwrap_err();
    assert_eq!(forbidden.reason, Reason::Forbidden);
    agree(&desk, &asked).await;
    assert_eq!(desk.get(&ready).await.consent.unwrap().status, ConsentStatus::Granted);
    let submitted = desk.confirm(&ready, "k").await;
    assert_eq!((submitted.outcome, submitted.status), (Outcome::Success, Some(Status::Submitted)));
    assert_eq!(submitted.consent.unwrap().status, ConsentStatus::Spent);
}

#[tokio::test]
async fn rule_10_a_consent_is_void_once_the_summary_changes() {
    let desk = Desk::new(ConsentLevel::Human);
    let ready = desk.ready().await;
    agree(&desk, &ready).await;
    let changed = desk.advance(&ready, json!({"items": [{"id": "taxi", "amount": 900}]})).await;
    let stale = desk.confirm(&changed, "k").await;
    assert_eq!((stale.outcome, stale.reason), (Outcome::TerminalFailure, Some(Reason::ConsentStale)));
    assert!(offers(&stale, Tool::ConfirmAction));
    // Changing back does not bring the old yes back either.
    let back = desk.advance(&changed, json!({"items": [{"id": "taxi", "amount": 100}]})).await;
    assert_eq!(back.summary, ready.summary);
    assert_eq!(desk.confirm(&back, "k").await.reason, Some(Reason::ConsentStale));
    agree(&desk, &back).await;
    assert_eq!(desk.confirm(&back, "k").await.outcome, Outcome::Success);
}

#[tokio::test]
async fn rule_10_a_change_in_the_world_makes_consent_stale_before_anything_is_spent() {
    for level in [ConsentLevel::Human, ConsentLevel::Agent] {
        let desk = Desk::new(level);
        let ready = desk
            .start(json!({"items": [{"id": "taxi", "amount": 600}], "account_id": "office", "reason": "x"}))
            .await;
        desk.office.set_limit(500);
        let refused = desk.confirm(&ready, "k").await;
        assert_eq!((refused.outcome, refused.reason), (Outcome::TerminalFailure, Some(Reason::OutOfStock)));
        assert_eq!((node(&refused), desk.office.count("file")), ("ITEMS", 0));
        assert!(!offers(&refused, Tool::ConfirmAction));
    }
}

#[tokio::test]
async fn rule_10_a_summary_that_moved_is_shown_before_it_is_confirmed() {
    for level in [ConsentLevel::Human, ConsentLevel::Agent] {
        let desk = Desk::new(level);
        let ready = desk.ready().await;
        if level == ConsentLevel::Human {
            agree(&desk, &ready).await;
        }
        desk.office.set_fee(7);
        let stale = desk.confirm(&ready, "k").await;
        assert_eq!((stale.outcome, stale.reason), (Outcome::TerminalFailure, Some(Reason::ConsentStale)));
        assert_eq!((super::summary(&stale)["fee"].clone(), stale.version), (json!(7), Some(2)));
        assert_eq!(desk.office.count("file"), 0);
        if level == ConsentLevel::Human {
            assert_eq!(desk.confirm(&ready, "k").await.reason, Some(Reason::ConsentStale));
            agree(&desk, &stale).await;
        }
        assert_eq!(desk.confirm(&ready, "k").await.outcome, Outcome::Success);
    }
}

#[tokio::test]
async fn rule_10_a_consent_expires_and_is_used_once() {
    let desk = Desk::new(ConsentLevel::Human);
    let ready = desk.ready().await;
    agree(&desk, &ready).await;
    desk.world.clock.advance(TimeDelta::minutes(15));
    let asked = desk.confirm(&ready, "k").await;
    assert_eq!(asked.reason, Some(Reason::ConsentRequired));
    assert_ne!(consent_id(&asked), consent_id(&ready));
    let late = desk.engine.decide_consent(&person(&desk), &consent_id(&ready), true).await.unwrap_err();
    assert_eq!(late.reason, Reason::ConsentStale);
    agree(&desk, &asked).await;
    assert_eq!(desk.confirm(&ready, "k").await.outcome, Outcome::Success);
    let again = desk.engine.decide_consent(&person(&desk), &consent_id(&asked), true).await.unwrap_err();
    assert_eq!(again.reason, Reason::ConsentStale);
}

#[tokio::test]
async fn rule_10_the_clients_answer_counts_only_where_the_client_can_ask() {
    let desk = Desk::new(ConsentLevel::Client);
    let ready = desk.ready().await;
    let consent = ready.consent.clone().unwrap();
    assert_eq!(consent.level, ConsentLevel::Client);
    desk.engine.answer_consent(&desk.ada, id(&ready), &consent.digest, true).await.unwrap();
    assert_eq!(desk.confirm(&ready, "k").await.outcome, Outcome::Success);

    let mute = Clerk { can_be_asked: false, ..desk.ada.clone() };
    let other = desk.ready().await;
    let digest = other.consent.clone().unwrap().digest;
    let refused = desk.engine.answer_consent(&mute, id(&other), &digest, true).await.unwrap_err();
    assert_eq!(refused.reason, Reason::Forbidden);
    assert_eq!(desk.engine.get(&mute, id(&other)).await.consent.unwrap().level, ConsentLevel::Human);
}

#[tokio::test]
async fn a_no_on_the_persons_page_refuses_the_confirm() {
    let desk = Desk::new(ConsentLevel::Human);
    let ready = desk.ready().await;
    desk.engine.decide_consent(&person(&desk), &consent_id(&ready), false).await.unwrap();
    let refused = desk.confirm(&ready, "k").await;
    assert_eq!(
        (refused.reason, refused.status),
        (Some(Reason::ApprovalRejected), Some(Status::ReadyForConfirmation))
    );
    let changed = desk.advance(&refused, json!({"items": [{"id": "taxi", "amount": 10}]})).await;
    assert_eq!(desk.confirm(&changed, "k").await.reason, Some(Reason::ConsentRequired));
}

#[tokio::test]
async fn rule_14_rejected_voids_the_consent_and_keeps_everything_filled_in() {
    let desk = Desk::new(ConsentLevel::Human);
    let ready = desk.ready().await;
    agree(&desk, &ready).await;
    let rejected = desk.engine.confirm(&desk.ada, reject(&ready, "no")).await;
    assert_eq!((rejected.outcome, rejected.status), (Outcome::Success, Some(Status::ReadyForConfirmation)));
    assert_eq!((node(&rejected), &rejected.inputs), ("CONFIRM_CLAIM", &ready.inputs));
    assert!(offers(&rejected, Tool::AdvanceAction) && offers(&rejected, Tool::ConfirmAction));

    // The yes from before is gone, and the same rejection gets its stored answer.
    assert_eq!(desk.confirm(&rejected, "yes").await.reason, Some(Reason::ConsentStale));
    let again = desk.engine.confirm(&desk.ada, reject(&ready, "no")).await;
    assert!(again.replayed);
    assert_eq!((again.version, &again.next_actions), (rejected.version, &rejected.next_actions));
    let conflict = desk.confirm(&rejected, "no").await;
    assert_eq!(conflict.reason, Some(Reason::IdempotencyConflict));
    assert_eq!(desk.cancel(&rejected).await.status, Some(Status::Canceled));
    assert_eq!(desk.office.count("file"), 0);
}

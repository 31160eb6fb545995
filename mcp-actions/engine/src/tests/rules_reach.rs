//! Rules 1, 8, 15, 16 and 17: what is offered, to whom, by which process.

use serde_json::{Value, json};

use super::{Desk, advance, id, node, reject, start, tools};
use crate::parts::Tool;
use crate::testing::canned::approve;
use crate::testing::expense::{self, Clerk, Fault};
use crate::{AdvanceCall, ConfirmCall, ConsentLevel, Outcome, Reason, RecoverCall, StartCall, Status, View};

/// Every field of the contract, in every answer.
const FIELDS: &[&str] = &[
    "outcome",
    "reason",
    "retry_after_ms",
    "action_id",
    "capability",
    "entity",
    "node",
    "status",
    "version",
    "inputs",
    "missing",
    "allowed_patch",
    "applied",
    "pending",
    "validation_errors",
    "candidates",
    "requires_confirmation",
    "requires_approval",
    "summary",
    "risk",
    "consent",
    "staff_approval",
    "external_id",
    "verification",
    "recoverable",
    "observed_state",
    "recoverable_errors",
    "confidence",
    "evidence",
    "result_refs",
    "next_actions",
    "patch_schema",
];
const ARRAYS: &[&str] = &[
    "inputs",
    "missing",
    "allowed_patch",
    "applied",
    "pending",
    "validation_errors",
    "candidates",
    "recoverable_errors",
    "evidence",
    "result_refs",
    "next_actions",
];

/// One view of every status and some refusals.
async fn gallery() -> Vec<View> {
    let desk = Desk::trusting();
    let begun = desk.start(json!({})).await;
    let refused = desk.advance(&begun, json!({"nonsense": 1})).await;
    let ready = desk.ready().await;
    let canceled = desk.cancel(&begun).await;
    let submitted = desk.confirm(&ready, "k").await;
    let done = desk.verify(&ready).await;
    let lost = desk.lost(Fault::LoseRequest).await;
    desk.office.plan("file", Fault::Refuse(Reason::PaymentDeclined));
    let ready_too = desk.ready().await;
    let failed = desk.confirm(&ready_too, "k3").await;
    let nothing = desk.engine.get(&desk.ada, "act_nothing").await;
    vec![begun, refused, ready, canceled, submitted, done, lost, failed, nothing]
}

#[tokio::test]
async fn rule_01_every_view_has_every_field_and_arrays_are_arrays() {
    for view in gallery().await {
        let wire = serde_json::to_value(&view).unwrap();
        for field in FIELDS {
            assert!(wire.get(field).is_some(), "{field} is missing in {wire}");
        }
        for field in ARRAYS {
            assert!(wire[field].is_array(), "{field} in {wire}");
        }
        assert_eq!(serde_json::from_value::<View>(wire).unwrap(), view);
    }
}

#[tokio::test]
async fn rule_01_what_is_not_offered_is_refused_and_changes_nothing() {
    let desk = Desk::trusting();
    let begun = desk.start(json!({})).await;
    let ready = desk.ready().await;
    let canceled = desk.ready().await;
    let canceled = desk.cancel(&canceled).await;
    let submitted = desk.ready().await;
    let submitted = desk.confirm(&submitted, "k").await;
    for view in [&begun, &ready, &canceled, &submitted] {
        let offered = tools(view);
        let all = [Tool::AdvanceAction, Tool::ConfirmAction, Tool::VerifyAction, Tool::RecoverAction];
        for tool in all.into_iter().filter(|tool| !offered.contains(&tool.name())) {
            let answer = match tool {
                Tool::AdvanceAction => desk.advance(view, json!({"reason": "other"})).await,
                Tool::ConfirmAction => desk.confirm(view, "new").await,
                Tool::VerifyAction => desk.verify(view).await,
                Tool::RecoverAction => desk.recover(view, None).await,
                Tool::SearchCapabilities | Tool::StartAction | Tool::GetContext => {
                    unreachable!("always legal")
                }
            };
            let at = format!("{} at {:?}", tool.name(), view.status);
            assert_eq!(
                (answer.outcome, answer.reason),
                (Outcome::TerminalFailure, Some(Reason::ActionNotAllowed)),
                "{at}"
            );
            assert_eq!((&answer.action_id, answer.version), (&view.action_id, view.version), "{at}");
        }
    }
}

#[tokio::test]
async fn rule_01_the_stored_answer_comes_before_what_is_offered_and_that_before_the_version() {
    let desk = Desk::trusting();
    let ready = desk.ready().await;
    desk.confirm(&ready, "k").await;
    let stale = |key: &str| ConfirmCall { version: Some(99), ..approve(&ready, key) };
    assert!(desk.engine.confirm(&desk.ada, stale("k")).await.replayed);
    assert_eq!(desk.engine.confirm(&desk.ada, stale("k2")).await.reason, Some(Reason::ActionNotAllowed));
    let late = AdvanceCall { version: 99, ..advance(&ready, json!({"reason": "x"})) };
    assert_eq!(desk.engine.advance(&desk.ada, late).await.reason, Some(Reason::ActionNotAllowed));
    let other = desk.ready().await;
    let conflict = ConfirmCall { version: Some(99), ..approve(&other, "k3") };
    assert_eq!(desk.engine.confirm(&desk.ada, conflict).await.reason, Some(Reason::VersionConflict));
    let conflict = ConfirmCall { version: Some(99), ..reject(&other, "k4") };
    assert_eq!(desk.engine.confirm(&desk.ada, conflict).await.reason, Some(Reason::VersionConflict));
}

#[tokio::test]
async fn rule_08_no_secret_and_no_inside_reaches_a_caller() {
    for view in gallery().await {
        let wire = serde_json::to_string(&view).unwrap().to_lowercase();
        for word in ["ptk_", "handler", "select ", "panicked", "src/", "wake_at", "lease", "submission"] {
            assert!(!wire.contains(word), "{word} in {wire}");
        }
    }
}

#[tokio::test]
async fn rule_15_words_resolve_only_when_clear() {
    let desk = Desk::trusting();
    let about = |words: &str| StartCall {
        target: Some(words.to_owned()),
        ..start(json!({"account_id": "office", "reason": "fair"}))
    };
    let clear = desk.engine.start(&desk.ada, about("the taxi")).await;
    assert_eq!((node(&clear), clear.confidence), ("CONFIRM_CLAIM", Some(0.95)));

    let unclear = desk.engine.start(&desk.ada, about("my lunch")).await;
    assert_eq!((unclear.outcome, node(&unclear)), (Outcome::Success, "RESOLVE"));
    assert_eq!(unclear.candidates.len(), 2);
    assert_eq!(
        (unclear.missing.as_slice(), tools(&unclear)),
        (["target".to_owned()].as_slice(), vec!["advance_action"])
    );
    assert_eq!(unclear.pending, ["account_id", "reason"]);
    assert_eq!(unclear.allowed_patch[0], "target");
    let schema = desk.get(&unclear).await.patch_schema.unwrap();
    assert_eq!(schema["properties"]["target"]["enum"], json!(["clm_1", "clm_2"]));

    let wrong = desk.advance(&unclear, json!({"target": "clm_9"})).await;
    assert_eq!((wrong.reason, wrong.version), (Some(Reason::NotFound), unclear.version));
    assert_eq!(wrong.validation_errors[0].field, "target");
    let chosen = desk.advance(&unclear, json!({"target": "clm_2"})).await;
    assert_eq!((node(&chosen), chosen.candidates.len()), ("CONFIRM_CLAIM", 0));
    assert_eq!(chosen.applied, ["target", "account_id", "reason"]);

    let nothing = desk.engine.start(&desk.ada, about("the submarine")).await;
    assert_eq!((nothing.outcome, nothing.reason), (Outcome::TerminalFailure, Some(Reason::NotFound)));
    assert!(!nothing.candidates.is_empty() && !nothing.next_actions.is_empty());
    let no_flow = StartCall { capability: "track".to_owned(), ..StartCall::default() };
    let no_flow = desk.engine.start(&desk.ada, no_flow).await;
    assert_eq!(no_flow.reason, Some(Reason::NotFound));
    assert_eq!(no_flow.next_actions[0].args.as_ref().unwrap()["capability"], json!("track_claim"));
}

#[tokio::test]
async fn rule_16_other_peoples_ids_answer_like_ids_that_do_not_exist() {
    let desk = Desk::trusting();
    let ready = desk.ready().await;
    let eve = Clerk::new(&desk.world, "eve");
    let scrub = |mut view: View, action_id: &str| {
        view.message = view.message.map(|message| message.replace(action_id, "ID"));
        view
    };
    let mut answers = Vec::new();
    for action_id in [id(&ready), "act_01jzzzzzzzzzzzzzzzzzzzzzzz"] {
        let recover = RecoverCall { action_id: action_id.to_owned(), ..RecoverCall::default() };
        let advance =
            AdvanceCall { action_id: action_id.to_owned(), ..advance(&ready, json!({"reason": "x"})) };
        let confirm = ConfirmCall { action_id: action_id.to_owned(), ..approve(&ready, "k") };
        let all = [
            desk.engine.get(&eve, action_id).await,
            desk.engine.advance(&eve, advance).await,
            desk.engine.confirm(&eve, confirm).await,
            desk.engine.verify(&eve, action_id, false).await,
            desk.engine.recover(&eve, recover).await,
        ];
        assert!(
            all.iter().all(|view| view.reason == Some(Reason::NotFound) && !view.next_actions.is_empty())
        );
        answers.push(all.map(|view| scrub(view, action_id)));
    }
    assert_eq!(answers[0], answers[1]);
    assert_eq!(desk.get(&ready).await.version, ready.version);
    let bobs = desk.engine.get_entity(&desk.ada, "Claim", "clm_4").await;
    assert_eq!(bobs["reason"], json!("not_found"));
}

#[tokio::test]
async fn rule_17_any_process_serves_the_next_call() {
    let desk = Desk::trusting();
    let process = || expense::engine(&desk.office, desk.store.clone(), ConsentLevel::Agent).unwrap();
    let begun = process().start(&desk.ada, start(json!({"account_id": "office"}))).await;
    let ready = process().advance(&desk.ada, advance(&begun, json!({"reason": "fair"}))).await;
    let submitted = process().confirm(&desk.ada, approve(&ready, "k")).await;
    assert_eq!(submitted.status, Some(Status::Submitted));
    assert_eq!(process().verify(&desk.ada, id(&ready), false).await.status, Some(Status::Completed));
    let views: Vec<Value> =
        [process().get(&desk.ada, id(&ready)).await, process().get(&desk.ada, id(&ready)).await]
            .map(|view| serde_json::to_value(view).unwrap())
            .into();
    assert_eq!(views[0], views[1]);
}

#[tokio::test]
async fn a_flow_that_only_reads_answers_at_once() {
    let desk = Desk::trusting();
    let call = StartCall {
        capability: "track_claim".to_owned(),
        target: Some("taxi".to_owned()),
        ..StartCall::default()
    };
    let view = desk.engine.start(&desk.ada, call).await;
    assert_eq!((view.outcome, view.status, node(&view)), (Outcome::Success, Some(Status::Completed), "DONE"));
    assert!(view.next_actions.is_empty() && !view.requires_confirmation);
    assert_eq!(view.context["claim"]["at"], json!("bookkeeping"));
    assert_eq!(desk.get(&view).await.context, view.context);
    assert_eq!(view.result_refs[0].id, "clm_3");
}

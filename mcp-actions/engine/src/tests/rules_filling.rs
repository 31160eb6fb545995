//! Rules 2 to 7: what a patch does.

use std::sync::Arc;

use serde_json::json;

use super::{Desk, advance, node, offers, start, summary, tools};
use crate::parts::Tool;
use crate::testing::expense;
use crate::{ConsentLevel, Outcome, Reason, Status, Store};

#[tokio::test]
async fn rule_02_one_patch_fills_nodes_in_order_and_stops_at_the_first_invalid_one() {
    let desk = Desk::trusting();
    let begun = desk.start(json!({})).await;
    assert_eq!((begun.outcome, node(&begun)), (Outcome::Success, "ACCOUNT"));
    assert_eq!(begun.missing, ["account_id", "reason"]);
    assert_eq!(
        begun.allowed_patch,
        ["items[].amount", "account_id", "transfer_id", "allowance_id", "reason"]
    );

    let patch = json!({"items": [{"id": "taxi", "amount": 5_000}], "account_id": "office", "reason": "fair"});
    let stopped = desk.advance(&begun, patch).await;
    assert_eq!((stopped.outcome, stopped.reason), (Outcome::TerminalFailure, Some(Reason::OutOfStock)));
    assert_eq!((node(&stopped), stopped.version), ("ITEMS", Some(2)));
    assert_eq!(stopped.pending, ["account_id", "reason"]);
    assert_eq!(stopped.validation_errors[0].field, "items");
    assert!(!stopped.validation_errors[0].suggestions.is_empty());
    assert!(stopped.applied.is_empty() && stopped.missing.is_empty());
    assert_eq!(tools(&stopped), ["advance_action"]);

    // The error stands until it is mended; then what was held takes effect by itself.
    assert_eq!(desk.get(&stopped).await.validation_errors, stopped.validation_errors);
    let mended = desk.advance(&stopped, json!({"items": [{"id": "taxi", "amount": 50}]})).await;
    assert_eq!((mended.outcome, node(&mended)), (Outcome::Success, "CONFIRM_CLAIM"));
    assert_eq!(mended.applied, ["items", "account_id", "reason"]);
    assert!(mended.pending.is_empty());
}

#[tokio::test]
async fn rule_02_a_value_of_the_wrong_shape_is_one_validation_error() {
    let desk = Desk::trusting();
    let begun = desk.start(json!({})).await;
    let wrong = desk.advance(&begun, json!({"account_id": 7, "reason": "fair"})).await;
    assert_eq!(wrong.reason, Some(Reason::ValidationFailed));
    assert_eq!(wrong.validation_errors[0].field, "account_id");
    assert_eq!((node(&wrong), wrong.pending.as_slice()), ("ACCOUNT", ["reason".to_owned()].as_slice()));
}

#[tokio::test]
async fn rule_03_a_change_reopens_exactly_its_dependents() {
    let desk = Desk::trusting();
    let patch = json!({
        "items": [{"id": "hotel", "amount": 300}],
        "account_id": "office",
        "transfer_id": "fast",
        "allowance_id": "meal",
        "reason": "fair",
    });
    let ready = desk.start(patch).await;
    assert_eq!(summary(&ready)["amount"], json!(430));

    // Something that nothing depends on changes nothing else.
    let same = desk.advance(&ready, json!({"reason": "visit"})).await;
    assert_eq!((node(&same), &same.summary), ("CONFIRM_CLAIM", &ready.summary));

    // A smaller total: the allowance does not fit any more, and that is said. The transfer stays.
    let smaller = desk.advance(&same, json!({"items": [{"id": "hotel", "amount": 10}]})).await;
    assert_eq!((smaller.outcome, node(&smaller)), (Outcome::Success, "CONFIRM_CLAIM"));
    assert_eq!(smaller.recoverable_errors[0].field.as_deref(), Some("allowance_id"));
    assert_eq!(smaller.recoverable_errors[0].code, Reason::CouponInvalid);
    assert_eq!(
        (&summary(&smaller)["allowance"], &summary(&smaller)["transfer"]),
        (&json!(null), &json!("fast"))
    );

    // Another account lacks the chosen transfer: it is asked for again, not replaced.
    let moved = desk.advance(&smaller, json!({"account_id": "home"})).await;
    assert_eq!((moved.outcome, node(&moved)), (Outcome::Success, "TRANSFER"));
    assert_eq!(moved.missing, ["transfer_id"]);
    assert!(!offers(&moved, Tool::ConfirmAction));
    assert_eq!(desk.get(&moved).await.missing, ["transfer_id"]);
    let chosen = desk.advance(&moved, json!({"transfer_id": "courier"})).await;
    assert_eq!(node(&chosen), "CONFIRM_CLAIM");
}

#[tokio::test]
async fn rule_04_the_confirm_node_is_never_skipped() {
    let desk = Desk::trusting();
    let ready = desk.start(json!({"account_id": "office", "reason": "fair", "transfer_id": "fast"})).await;
    assert_eq!((node(&ready), ready.status), ("CONFIRM_CLAIM", Some(Status::ReadyForConfirmation)));
    assert!(ready.requires_confirmation && ready.requires_approval && ready.missing.is_empty());
    assert_eq!(tools(&ready), ["advance_action", "confirm_action"]);
    assert_eq!(ready.next_actions[1].requires_user_approval, Some(true));
    assert_eq!(desk.office.count("file"), 0);

    let broken = desk.advance(&ready, json!({"account_id": "mars"})).await;
    assert!(!offers(&broken, Tool::ConfirmAction));
    let refused = desk.confirm(&broken, "k").await;
    assert_eq!(refused.reason, Some(Reason::ActionNotAllowed));
    assert_eq!(desk.office.count("file"), 0);
}

#[tokio::test]
async fn rule_05_an_early_preference_is_kept_and_judged_later() {
    let desk = Desk::trusting();
    let early = desk.start(json!({"transfer_id": "courier", "reason": "fair"})).await;
    assert_eq!((early.outcome, node(&early)), (Outcome::Success, "ACCOUNT"));
    assert_eq!(
        (early.pending.as_slice(), early.applied.as_slice()),
        (["transfer_id".to_owned()].as_slice(), ["reason".to_owned()].as_slice())
    );

    let judged = desk.advance(&early, json!({"account_id": "office"})).await;
    assert_eq!((judged.reason, node(&judged)), (Some(Reason::AddressUndeliverable), "TRANSFER"));
    assert_eq!(judged.validation_errors[0].allowed, Some(vec![json!("slow"), json!("fast")]));
    let transfer = judged.inputs.iter().find(|input| input.field == "transfer_id").unwrap();
    assert_eq!(transfer.options.as_ref().unwrap().len(), 2);
}

#[tokio::test]
async fn rule_06_a_stale_version_changes_nothing() {
    let desk = Desk::trusting();
    let first = desk.start(json!({})).await;
    let second = desk.advance(&first, json!({"account_id": "office"})).await;
    let stale = desk.advance(&first, json!({"account_id": "home", "reason": "fair"})).await;
    assert_eq!((stale.outcome, stale.reason), (Outcome::TerminalFailure, Some(Reason::VersionConflict)));
    assert_eq!((stale.version, &stale.inputs), (second.version, &second.inputs));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rule_06_of_concurrent_patches_one_wins_and_the_reservation_is_the_winners() {
    let desk = Arc::new(Desk::trusting());
    let ready = desk.ready().await;
    let patches = (1..=8).map(|n| {
        let (desk, call) =
            (desk.clone(), advance(&ready, json!({"items": [{"id": "taxi", "amount": n * 10}]})));
        tokio::spawn(async move { desk.engine.advance(&desk.ada, call).await })
    });
    let mut won = Vec::new();
    for patch in patches.collect::<Vec<_>>() {
        let view = patch.await.unwrap();
        match view.reason {
            None => won.push(view),
            Some(reason) => assert_eq!(reason, Reason::VersionConflict),
        }
    }
    assert_eq!(won.len(), 1);
    let now = desk.get(&ready).await;
    assert_eq!((now.version, &now.summary), (won[0].version, &won[0].summary));
    assert_eq!(desk.office.held(), [summary(&now)["amount"].as_i64().unwrap()]);
}

#[tokio::test]
async fn rule_06_whoever_loses_a_race_puts_the_reservation_back_in_line_with_the_winner() {
    let desk = Desk::trusting();
    let ready = desk.ready().await;
    let won = desk.store.load(&desk.ada, super::id(&ready)).await.unwrap().unwrap();
    let flow = desk.engine.flow_of(&won).unwrap();
    let mut lost = won.clone();
    lost.inputs.insert("items".to_owned(), json!([{"id": "taxi", "amount": 999}]));
    flow.effects().unwrap().hold(&desk.ada, &lost).await.unwrap();
    assert_eq!(desk.office.held(), [999]);
    desk.engine.realign(&desk.ada, flow, &won).await.unwrap();
    assert_eq!(desk.office.held(), [100]);
    let given_up = crate::Record { status: Status::Canceled, ..won };
    desk.engine.realign(&desk.ada, flow, &given_up).await.unwrap();
    assert!(desk.office.held().is_empty());
}

#[tokio::test]
async fn rule_07_an_unknown_field_refuses_the_whole_patch() {
    let desk = Desk::trusting();
    let begun = desk.start(json!({})).await;
    for patch in [
        json!({"account_id": "office", "handler": "PAY"}),
        json!({"account_id": "office", "items": [{"id": "taxi", "amount": 1, "colour": "red"}]}),
        json!({"account_id": "office", "target": "clm_1"}),
    ] {
        let refused = desk.advance(&begun, patch).await;
        assert_eq!(
            (refused.outcome, refused.reason),
            (Outcome::TerminalFailure, Some(Reason::FieldNotAllowed))
        );
        assert_eq!((refused.version, &refused.missing), (begun.version, &begun.missing));
        assert!(refused.message.unwrap().contains("account_id"));
        assert!(refused.applied.is_empty());
    }
    let refused = desk.start(json!({"nonsense": 1})).await;
    assert_eq!((refused.reason, refused.action_id), (Some(Reason::FieldNotAllowed), None));
    assert_eq!(refused.allowed_patch, begun.allowed_patch);
}

#[tokio::test]
async fn null_takes_a_value_back_and_an_empty_patch_is_refused() {
    let desk = Desk::trusting();
    let ready = desk.ready().await;
    let back = desk.advance(&ready, json!({"account_id": null})).await;
    assert_eq!((node(&back), back.missing.as_slice()), ("ACCOUNT", ["account_id".to_owned()].as_slice()));
    assert_eq!(back.applied, ["account_id"]);
    let empty = desk.advance(&back, json!({})).await;
    assert_eq!((empty.reason, empty.version), (Some(Reason::ValidationFailed), back.version));
}

#[tokio::test]
async fn the_patch_schema_carries_live_options() {
    let desk = Desk::trusting();
    let begun = desk.start(json!({"account_id": "home"})).await;
    assert_eq!(begun.patch_schema, None);
    let schema = desk.get(&begun).await.patch_schema.unwrap();
    assert_eq!(schema["properties"]["transfer_id"]["enum"], json!(["slow", "courier"]));
    assert_eq!(schema["additionalProperties"], json!(false));
    let call = crate::StartCall { include_schema: true, ..start(json!({})) };
    assert!(desk.engine.start(&desk.ada, call).await.patch_schema.is_some());
}

#[tokio::test]
async fn waiting_for_an_event_before_confirm_ends_by_itself() {
    let desk = Desk::trusting();
    desk.office.set_paper_missing(true);
    let waiting = desk.start(json!({"account_id": "office", "reason": "fair"})).await;
    assert_eq!((node(&waiting), waiting.status), ("AWAIT_PAPER", Some(Status::Incomplete)));
    assert!(waiting.missing.is_empty());
    assert_eq!(tools(&waiting), ["advance_action", "get_context"]);
    // It outlives the half hour an idle action has.
    desk.world.clock.advance(chrono::TimeDelta::days(3));
    assert_eq!(desk.get(&waiting).await.version, waiting.version);
    desk.office.set_paper_missing(false);
    desk.engine.resume(&desk.ada, super::id(&waiting)).await.unwrap();
    let ready = desk.get(&waiting).await;
    assert_eq!((node(&ready), ready.version), ("CONFIRM_CLAIM", Some(2)));
}

#[tokio::test]
async fn another_engine_knows_an_action_by_alias_too() {
    let desk = Desk::trusting();
    let other = expense::engine(&desk.office, desk.store.clone(), ConsentLevel::Agent).unwrap();
    let call = crate::StartCall { capability: "reimburse".to_owned(), ..start(json!({})) };
    assert_eq!(other.start(&desk.ada, call).await.capability.as_deref(), Some("claim_expenses"));
}

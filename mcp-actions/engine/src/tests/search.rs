//! Finding where what a person wants begins.

use serde_json::json;

use super::Desk;
use crate::{Outcome, SearchCall, StartCall};

fn query(words: &str) -> SearchCall {
    SearchCall { query: words.to_owned(), ..SearchCall::default() }
}

#[tokio::test]
async fn everyday_words_find_the_flow_they_begin() {
    let desk = Desk::trusting();
    for (words, wanted) in [
        ("I paid a taxi for work yesterday", "claim_expenses"),
        ("reimbursing lunches with clients", "claim_expenses"),
        ("where is my claim?", "track_claim"),
        ("has lunch been paid yet", "track_claim"),
    ] {
        let found = desk.engine.search(&desk.ada, query(words)).await;
        let best = &found.matches[0];
        assert_eq!(best.capability, wanted, "{words}");
        assert!(best.confidence > 0.0 && best.confidence <= 1.0);
        assert!(!best.evidence[0].matched.is_empty());
        assert_eq!(found.next_actions[0].args.as_ref().unwrap()["capability"], json!(wanted));
    }
}

#[tokio::test]
async fn nothing_found_says_what_came_closest_and_why_not() {
    let desk = Desk::trusting();
    for words in ["feed the parrot", "", "the of and"] {
        let found = desk.engine.search(&desk.ada, query(words)).await;
        assert_eq!((found.outcome, found.matches.len()), (Outcome::Success, 0), "{words}");
        assert!(
            !found.near_misses.is_empty() && found.near_misses.iter().all(|near| !near.reason.is_empty())
        );
        assert!(!found.next_actions.is_empty());
    }
}

#[tokio::test]
async fn a_clear_entity_becomes_the_target_of_the_start() {
    let desk = Desk::trusting();
    let call = SearchCall { about: Some("taxi".to_owned()), ..query("where is my claim") };
    let found = desk.engine.search(&desk.ada, call).await;
    assert_eq!(found.candidates[0].id, "clm_3");
    assert_eq!(found.next_actions[0].args.as_ref().unwrap()["target"], json!("clm_3"));
    let call = SearchCall { about: Some("lunch".to_owned()), ..query("where is my claim") };
    let found = desk.engine.search(&desk.ada, call).await;
    assert_eq!(
        (found.candidates.len(), found.next_actions[0].args.as_ref().unwrap().get("target")),
        (2, None)
    );
}

#[tokio::test]
async fn confidence_learns_from_what_callers_start() {
    let desk = Desk::trusting();
    let before = desk.engine.search(&desk.ada, query("where is my claim")).await.matches[0].confidence;
    for _ in 0..8 {
        let call = StartCall { capability: "claim_expenses".to_owned(), ..StartCall::default() };
        desk.engine.start(&desk.ada, call).await;
        desk.engine.search(&desk.ada, query("where is my claim")).await;
    }
    let after = desk.engine.search(&desk.ada, query("where is my claim")).await.matches[0].confidence;
    assert!(after < before, "{after} < {before}");
}

//! Whether search finds the flow that a phrase is for.

use mcp_actions_engine::{About, SearchCall};

use super::*;
use crate::testing::Desk;

fn abouts() -> Vec<About> {
    flows().unwrap().iter().map(|flow| flow.about().clone()).collect()
}

/// Capabilities that fit a phrase, best first.
async fn ranked(desk: &Desk, phrase: &str) -> Vec<String> {
    let call = SearchCall { query: phrase.to_owned(), limit: Some(10), ..SearchCall::default() };
    let found = desk.engine().search(&desk.ada, call).await;
    found.matches.into_iter().map(|hit| hit.capability).collect()
}

/// What a flow says it is not for, as a phrase and the flow that is.
fn elsewhere(about: &About) -> Vec<(&'static str, &'static str)> {
    about.not_for.iter().filter_map(|text| text.rsplit_once(": ")).collect()
}

#[tokio::test]
async fn what_callers_say_finds_the_flow_that_expects_it() {
    let desk = Desk::open().await;
    let mut lost = Vec::new();
    for about in abouts() {
        for phrase in about.examples.iter().chain([&about.trigger]) {
            let ranked = ranked(&desk, phrase).await;
            if ranked.first().map(String::as_str) != Some(about.name) {
                lost.push(format!("{}: “{phrase}” found {ranked:?}", about.name));
            }
        }
    }
    assert!(lost.is_empty(), "{lost:#?}");
}

#[tokio::test]
async fn what_a_flow_is_not_for_ranks_the_right_one_above_it() {
    let desk = Desk::open().await;
    let abouts = abouts();
    let mut lost = Vec::new();
    for about in &abouts {
        for (phrase, right) in elsewhere(about) {
            if abouts.iter().all(|other| other.name != right) {
                continue;
            }
            let ranked = ranked(&desk, phrase).await;
            let place = |name: &str| ranked.iter().position(|found| found == name).unwrap_or(usize::MAX);
            if place(right) >= place(about.name) {
                lost.push(format!("{}: “{phrase}” is {right}, and found {ranked:?}", about.name));
            }
        }
    }
    assert!(lost.is_empty(), "{lost:#?}");
}

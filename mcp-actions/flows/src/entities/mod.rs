//! The shop's things: what words may mean, and the whole business view of one.
//!
//! Words resolve within what the caller may see, and to one thing only when that is clear: `find` never guesses.

mod goods;
mod money;
mod order;
mod people;
#[cfg(test)]
mod tests;
mod words;

use async_trait::async_trait;
use mcp_actions_engine::parts::{Candidate, EntityRef, Evidence, Map, NextAction, Tool};
use mcp_actions_engine::{Entities, Failure, Opened, Opening, Reason};
use shop_domain::limits;
use shop_service::PageQuery;

use crate::caller::Caller;

pub(crate) use goods::variants;
pub(crate) use order::{headline, next_actions as ways_on, open as open_order, state as order_state};
pub(crate) use people::open as open_customer;
pub(crate) use words::{mentions, names};

/// What words came to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// The one thing they clearly mean.
    pub(crate) clear: Option<Candidate>,
    /// Several things they mean equally well.
    pub(crate) candidates: Vec<Candidate>,
    /// What came closest, and why it is not meant.
    pub(crate) near_misses: Vec<Candidate>,
}

impl Found {
    /// One clear thing.
    fn only(candidate: Candidate) -> Self {
        Self { clear: Some(candidate), ..Self::default() }
    }

    /// Everything that fits: clear when it is one thing.
    fn fitting(mut candidates: Vec<Candidate>) -> Self {
        if candidates.len() == 1 {
            return Self { clear: candidates.pop(), ..Self::default() };
        }
        Self { candidates, ..Self::default() }
    }
}

/// All things of the shop.
pub(crate) struct Shelves;

#[async_trait]
impl Entities<Caller> for Shelves {
    async fn find(&self, caller: &Caller, words: &str) -> Result<Vec<Candidate>, Failure> {
        let Found { clear, candidates, .. } = order::find(caller, words).await?;
        let mut found: Vec<Candidate> = clear.into_iter().chain(candidates).collect();
        let Found { clear, candidates, .. } = goods::variants(caller, words).await?;
        found.extend(clear.into_iter().chain(candidates));
        let Found { clear, candidates, .. } = people::named_in(caller, words).await?;
        found.extend(clear.into_iter().chain(candidates));
        found.extend(people::carts_in(caller, words).await?);
        found.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then_with(|| a.id.cmp(&b.id)));
        Ok(found)
    }

    async fn view(&self, caller: &Caller, entity: &str, reference: &str) -> Result<Map, Failure> {
        match entity.to_ascii_lowercase().as_str() {
            "order" => order::view(caller, reference).await,
            "customer" => people::customer(caller, reference).await,
            "cart" => people::cart(caller, reference).await,
            "product" => goods::product(caller, reference).await,
            "variant" => goods::variant(caller, reference).await,
            "payment" => money::payment(caller, reference).await,
            "refund" => money::refund(caller, reference).await,
            "return" => money::returned(caller, reference).await,
            "exchange" => money::exchange(caller, reference).await,
            _ => Err(Failure::new(
                Reason::ValidationFailed,
                format!("there is no entity {entity}; there are {KINDS}"),
            )),
        }
    }
}

const KINDS: &str = "Order, Customer, Cart, Product, Variant, Return, Exchange, Payment and Refund";

/// The largest page there is: what a view shows of a list.
pub(crate) fn whole_page() -> PageQuery {
    PageQuery { limit: Some(i64::from(limits::PAGE_MAX)), ..PageQuery::default() }
}

/// A candidate.
fn candidate(
    kind: &str,
    id: impl ToString,
    label: impl Into<String>,
    confidence: f64,
    reason: &str,
) -> Candidate {
    Candidate {
        id: id.to_string(),
        kind: kind.to_owned(),
        label: label.into(),
        confidence,
        reason: reason.to_owned(),
    }
}

/// Begins an action about what was found, where that is one thing.
fn opened(found: Found, source: &str, logic: &str) -> Opened {
    let Found { clear, candidates, near_misses } = found;
    let Some(clear) = clear else {
        return match candidates.is_empty() {
            true => Opened::NotFound { near_misses },
            false => Opened::Candidates(candidates),
        };
    };
    let evidence = Evidence {
        source: source.to_owned(),
        logic: logic.to_owned(),
        matched: vec![clear.label.clone()],
        detail: clear.reason,
    };
    Opened::Entity(Opening {
        entity: Some(EntityRef { kind: clear.kind, id: clear.id, label: clear.label }),
        inputs: Map::new(),
        confidence: Some(clear.confidence),
        evidence: vec![evidence],
    })
}

/// A flow that can be entered from here.
fn start(capability: &str, target: impl ToString, description: &str) -> NextAction {
    NextAction::new(Tool::StartAction, description)
        .with("capability", capability)
        .with("target", target.to_string())
}

/// A reference that is no id of its kind.
fn no_such(kind: &str, reference: &str) -> Failure {
    Failure::new(Reason::NotFound, format!("there is no {kind} {reference} that you can see"))
}

/// Words that name several things, or none: with what was found, so that the caller can say which.
fn unclear(kind: &str, reference: &str, found: &Found) -> Failure {
    let name = |candidate: &Candidate| format!("{} ({})", candidate.label, candidate.id);
    let list = |candidates: &[Candidate]| candidates.iter().map(name).collect::<Vec<_>>().join("; ");
    if found.candidates.is_empty() {
        let near = list(&found.near_misses);
        let near = if near.is_empty() { String::new() } else { format!("; what comes closest: {near}") };
        return Failure::new(Reason::NotFound, format!("no {kind} fits “{reference}”{near}"));
    }
    let words = format!("“{reference}” may mean several: {}; use one of these ids", list(&found.candidates));
    Failure::new(Reason::Ambiguous, words)
}

//! `search_capabilities`: from what a person wants to the flow it begins with.
//!
//! BM25 over stemmed words of what flows say about themselves, raised where the query is like one of their phrases and
//! lowered where it is like one they are not for. No network, and always the same order: ties are broken by name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rust_stemmers::{Algorithm, Stemmer};
use serde::{Deserialize, Serialize};

use crate::about::{About, Verb};
use crate::calibration::Calibration;
use crate::engine::Engine;
use crate::flow::{Caller, Failure};
use crate::parts::{Candidate, Evidence, Map, NextAction, Tool};
use crate::reason::{Outcome, Reason};

const MATCHES_MAX: usize = 10;
const MATCHES_DEFAULT: usize = 5;
const NEAR_MISSES_MAX: usize = 3;
/// A hit has to explain at least this share of what the query says.
const COVERAGE_MIN: f64 = 0.15;
const K1: f64 = 1.2;
const B: f64 = 0.5;
/// Words that speak against a capability count half.
const AGAINST: f64 = 0.5;
/// Candidates at least this likely fill in the target of a start by themselves.
const CLEAR: f64 = 0.8;

const STOP_WORDS: &[&str] = &[
    "a", "about", "all", "am", "an", "and", "are", "as", "at", "be", "been", "by", "can", "could", "do",
    "does", "for", "from", "has", "have", "he", "her", "hers", "him", "his", "i", "if", "in", "into", "is",
    "it", "its", "just", "like", "me", "my", "no", "not", "of", "on", "one", "or", "our", "please", "s",
    "she", "so", "some", "t", "that", "the", "their", "them", "then", "there", "they", "this", "to", "up",
    "us", "want", "was", "we", "were", "what", "when", "which", "who", "will", "with", "would", "you",
    "your",
];

#[derive(Clone, Debug, Default)]
pub struct SearchCall {
    pub query: String,
    /// An order, cart or customer: id, number or words.
    pub about: Option<String>,
    pub limit: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchView {
    pub outcome: Outcome,
    pub reason: Option<Reason>,
    pub message: Option<String>,
    pub matches: Vec<Match>,
    /// What came closest, and why it is not a match; filled when nothing matched.
    pub near_misses: Vec<NearMiss>,
    /// Entities the words may mean.
    pub candidates: Vec<Candidate>,
    pub next_actions: Vec<NextAction>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Match {
    pub capability: String,
    pub title: String,
    pub trigger: String,
    pub not_for: Vec<String>,
    pub prerequisites: Vec<String>,
    pub postconditions: Vec<String>,
    pub inputs: Vec<String>,
    pub side_effects: Vec<String>,
    pub requires_approval: bool,
    pub confidence: f64,
    pub evidence: Vec<Evidence>,
    pub next_actions: Vec<NextAction>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NearMiss {
    pub capability: String,
    pub trigger: String,
    pub reason: String,
}

/// The index over all capabilities of an engine.
pub(crate) struct Search {
    docs: Vec<Doc>,
    /// How many capabilities use a word.
    spread: BTreeMap<String, usize>,
    length: f64,
    calibration: Arc<Calibration>,
}

struct Doc {
    about: About,
    inputs: Vec<&'static str>,
    words: BTreeMap<String, f64>,
    against: BTreeSet<String>,
    /// What callers say when they mean it, and when they mean another one.
    said: Vec<BTreeSet<String>>,
    not_said: Vec<BTreeSet<String>>,
    length: f64,
}

struct Hit<'s> {
    doc: &'s Doc,
    score: f64,
    coverage: f64,
    matched: Vec<String>,
}

impl Search {
    pub(crate) fn new(abouts: Vec<(About, Vec<&'static str>)>, calibration: Arc<Calibration>) -> Self {
        let docs: Vec<Doc> = abouts.into_iter().map(|(about, inputs)| Doc::new(about, inputs)).collect();
        let mut spread = BTreeMap::new();
        for word in docs.iter().flat_map(|doc| doc.words.keys()) {
            *spread.entry(word.clone()).or_insert(0) += 1;
        }
        let length = docs.iter().map(|doc| doc.length).sum::<f64>() / count(docs.len()).max(1.0);
        Self { docs, spread, length, calibration }
    }

    pub(crate) fn started(&self, world: &str, caller: &str, capability: &str) {
        self.calibration.started(world, caller, capability);
    }

    /// Names of the capabilities closest to a name that does not exist.
    pub(crate) fn nearest(&self, name: &str) -> Vec<&'static str> {
        let hits = self.rank(&words(name)).into_iter().filter(|hit| hit.score > 0.0);
        hits.take(NEAR_MISSES_MAX).map(|hit| hit.doc.about.name).collect()
    }

    /// Every capability, best first.
    fn rank(&self, query: &[String]) -> Vec<Hit<'_>> {
        let weight: f64 = query.iter().map(|word| self.rarity(word)).sum();
        let mut hits: Vec<Hit<'_>> = self.docs.iter().map(|doc| self.hit(doc, query, weight)).collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.doc.about.name.cmp(b.doc.about.name)));
        hits
    }

    fn hit<'s>(&'s self, doc: &'s Doc, query: &[String], weight: f64) -> Hit<'s> {
        let mut hit = Hit { doc, score: 0.0, coverage: 0.0, matched: Vec::new() };
        for word in query {
            let rarity = self.rarity(word);
            if let Some(often) = doc.words.get(word) {
                let norm = K1 * (1.0 - B + B * doc.length / self.length.max(1.0));
                hit.score += rarity * often * (K1 + 1.0) / (often + norm);
                hit.coverage += rarity / weight.max(f64::MIN_POSITIVE);
                hit.matched.push(word.clone());
            } else if doc.against.contains(word) {
                hit.score -= rarity * AGAINST;
            }
        }
        hit.score *= 1.0 + self.likeness(query, &doc.said) - AGAINST * self.likeness(query, &doc.not_said);
        hit
    }

    /// How much a query is like the phrase it is most like: 1 when it is that phrase.
    fn likeness(&self, query: &[String], phrases: &[BTreeSet<String>]) -> f64 {
        let query: BTreeSet<String> = query.iter().cloned().collect();
        let weight =
            |words: &mut dyn Iterator<Item = &String>| words.map(|word| self.rarity(word)).sum::<f64>();
        let like = |phrase: &BTreeSet<String>| {
            let all = weight(&mut query.union(phrase));
            weight(&mut query.intersection(phrase)) / all.max(f64::MIN_POSITIVE)
        };
        phrases.iter().map(like).fold(0.0, f64::max)
    }

    /// The inverse document frequency of a word; a word nobody uses is the rarest.
    fn rarity(&self, word: &str) -> f64 {
        let docs = count(self.docs.len());
        let with = count(self.spread.get(word).copied().unwrap_or(0));
        ((docs - with + 0.5) / (with + 0.5)).ln_1p()
    }
}

impl Doc {
    fn new(about: About, inputs: Vec<&'static str>) -> Self {
        let phrase = |text: &&str| words(text).into_iter().collect::<BTreeSet<String>>();
        // What stands behind the colon is the name of the right one.
        let other = |text: &&str| phrase(&text.rsplit_once(": ").map_or(*text, |(phrase, _)| phrase));
        let mut doc = Self {
            said: about.examples.iter().chain([&about.trigger]).map(phrase).collect(),
            not_said: about.not_for.iter().map(other).collect(),
            about,
            inputs,
            words: BTreeMap::new(),
            against: BTreeSet::new(),
            length: 0.0,
        };
        let about = doc.about.clone();
        doc.add(3.0, &[about.name, about.title]);
        doc.add(3.0, about.aliases);
        doc.add(2.0, &[about.trigger, about.entity]);
        doc.add(2.0, about.examples);
        doc.add(1.0, about.side_effects);
        doc.add(1.0, about.postconditions);
        doc.against = about.not_for.iter().flat_map(|text| words(text)).collect();
        doc
    }

    fn add(&mut self, weight: f64, texts: &[&str]) {
        for word in texts.iter().flat_map(|text| words(text)) {
            *self.words.entry(word).or_insert(0.0) += weight;
            self.length += weight;
        }
    }
}

impl<C: Caller> Engine<C> {
    /// Finds where what a person wants begins. Always legal, and never answers with a bare empty list.
    pub async fn search(&self, ctx: &C, call: SearchCall) -> SearchView {
        let words_of = call.about.as_deref().unwrap_or(&call.query);
        let candidates = match self.entities.find(ctx, words_of).await {
            Ok(candidates) => candidates,
            Err(failure) => return unsearchable(&failure),
        };
        let limit = call.limit.unwrap_or(MATCHES_DEFAULT).clamp(1, MATCHES_MAX);
        let query = words(&call.query);
        let hits = self.search.rank(&query);
        let best = hits.first().map_or(0.0, |hit| hit.score);
        let (fitting, others): (Vec<_>, Vec<_>) =
            hits.into_iter().partition(|hit| hit.score > 0.0 && hit.coverage >= COVERAGE_MIN);
        let target = clear_target(&candidates);
        let matches: Vec<Match> =
            fitting.iter().take(limit).map(|hit| self.matched(ctx, hit, best, target)).collect();
        let near_misses = if matches.is_empty() { near_misses(&others, &query) } else { Vec::new() };
        if let Some(first) = matches.first() {
            self.search.calibration.shown(&ctx.world().name, ctx.principal(), &first.capability);
        }
        SearchView {
            outcome: Outcome::Success,
            reason: None,
            message: matches.is_empty().then(|| "nothing fits these words; see near_misses".to_owned()),
            next_actions: next_of_search(&matches, &near_misses),
            matches,
            near_misses,
            candidates,
        }
    }

    fn matched(&self, ctx: &C, hit: &Hit<'_>, best: f64, target: Option<&Candidate>) -> Match {
        let about = &hit.doc.about;
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let confidence = hit.coverage * (hit.score / best.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        Match {
            capability: about.name.to_owned(),
            title: about.title.to_owned(),
            trigger: about.trigger.to_owned(),
            not_for: owned(about.not_for),
            prerequisites: owned(about.prerequisites),
            postconditions: owned(about.postconditions),
            inputs: owned(&hit.doc.inputs),
            side_effects: owned(about.side_effects),
            requires_approval: about.requires_approval,
            confidence: rounded(self.search.calibration.adjust(&ctx.world().name, about.name, confidence)),
            evidence: vec![Evidence {
                source: "capability catalogue".to_owned(),
                logic: "bm25 over stemmed words, and likeness to authored phrases".to_owned(),
                matched: hit.matched.clone(),
                detail: format!("these words are {:.0} % of what the query says", hit.coverage * 100.0),
            }],
            next_actions: vec![start_of(about, target)],
        }
    }

    /// A whole business view of one entity, or why there is none.
    pub async fn get_entity(&self, ctx: &C, entity: &str, reference: &str) -> Map {
        let mut view = match self.entities.view(ctx, entity, reference).await {
            Ok(view) => {
                let mut answer = head(Outcome::Success, None, None);
                answer.extend(view);
                answer
            }
            Err(failure) => {
                let near = self.entities.find(ctx, reference).await.unwrap_or_default();
                let mut answer = head(failure.reason.outcome(), Some(failure.reason), Some(&failure.message));
                answer.insert("candidates".to_owned(), serde_json::to_value(near).unwrap_or_default());
                answer
            }
        };
        let search =
            NextAction::new(Tool::SearchCapabilities, "Find what can be done").with("query", reference);
        view.entry("next_actions").or_insert_with(|| serde_json::to_value([search]).unwrap_or_default());
        view
    }
}

fn head(outcome: Outcome, reason: Option<Reason>, message: Option<&str>) -> Map {
    Map::from_iter([
        ("outcome".to_owned(), serde_json::to_value(outcome).unwrap_or_default()),
        ("reason".to_owned(), serde_json::to_value(reason).unwrap_or_default()),
        ("message".to_owned(), message.into()),
    ])
}

fn unsearchable(failure: &Failure) -> SearchView {
    SearchView {
        outcome: failure.reason.outcome(),
        reason: Some(failure.reason),
        message: Some(failure.message.clone()),
        matches: Vec::new(),
        near_misses: Vec::new(),
        candidates: Vec::new(),
        next_actions: vec![NextAction::new(Tool::SearchCapabilities, "Search again")],
    }
}

fn clear_target(candidates: &[Candidate]) -> Option<&Candidate> {
    match candidates {
        [only] if only.confidence >= CLEAR => Some(only),
        _ => None,
    }
}

fn start_of(about: &About, target: Option<&Candidate>) -> NextAction {
    let start = NextAction::new(Tool::StartAction, format!("Start: {}", about.title));
    let start = start.with("capability", about.name);
    // A capability about something else would not know what to do with this target.
    match target.filter(|candidate| candidate.kind == about.entity && about.verbs.contains(&Verb::Resolve)) {
        Some(candidate) => start.with("target", candidate.id.clone()),
        None => start,
    }
}

fn near_misses(hits: &[Hit<'_>], query: &[String]) -> Vec<NearMiss> {
    let why = |hit: &Hit<'_>| match hit.matched.as_slice() {
        [] if query.is_empty() => "the query has no words that say what is wanted".to_owned(),
        [] => "none of the words occur in what this is for".to_owned(),
        matched => format!("only these words fit: {}", matched.join(", ")),
    };
    let near = |hit: &Hit<'_>| NearMiss {
        capability: hit.doc.about.name.to_owned(),
        trigger: hit.doc.about.trigger.to_owned(),
        reason: why(hit),
    };
    hits.iter().take(NEAR_MISSES_MAX).map(near).collect()
}

fn next_of_search(matches: &[Match], near_misses: &[NearMiss]) -> Vec<NextAction> {
    let mut next: Vec<NextAction> = matches.iter().flat_map(|hit| hit.next_actions.clone()).collect();
    next.extend(near_misses.iter().map(|near| {
        let words = format!("Only if this is meant: {}", near.trigger);
        NextAction::new(Tool::StartAction, words).with("capability", near.capability.clone())
    }));
    next.push(NextAction::new(Tool::SearchCapabilities, "Search with other words"));
    next
}

/// The stems of the words that carry meaning, each once, in order.
fn words(text: &str) -> Vec<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    let mut seen = BTreeSet::new();
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty() && !STOP_WORDS.contains(word))
        .map(|word| stemmer.stem(word).into_owned())
        .filter(|stem| seen.insert(stem.clone()))
        .collect()
}

fn count(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}

fn rounded(confidence: f64) -> f64 {
    (confidence.clamp(0.0, 1.0) * 1_000.0).round() / 1_000.0
}

//! What a flow says about itself: the texts search matches and the overview a hit returns.

use serde::Serialize;

/// The overview of one capability. Everything here is authored text.
#[derive(Clone, Debug)]
pub struct About {
    /// The capability's name on the wire: `checkout`.
    pub name: &'static str,
    /// Other names `start_action` accepts.
    pub aliases: &'static [&'static str],
    /// A few words for a person.
    pub title: &'static str,
    /// The kind of entity the action is about: "Order".
    pub entity: &'static str,
    /// When to use it, in one sentence.
    pub trigger: &'static str,
    /// What callers really say.
    pub examples: &'static [&'static str],
    /// When not to use it, and what to use instead.
    pub not_for: &'static [&'static str],
    pub prerequisites: &'static [&'static str],
    pub postconditions: &'static [&'static str],
    pub side_effects: &'static [&'static str],
    /// Whether the person the agent acts for has to say yes before anything happens.
    pub requires_approval: bool,
    pub verbs: &'static [Verb],
}

/// The six verbs of an agent-first tool interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    Search,
    Resolve,
    Preview,
    Execute,
    Verify,
    Recover,
}

impl Verb {
    /// What a flow with side effects uses.
    pub const ALL: &'static [Self] =
        &[Self::Search, Self::Resolve, Self::Preview, Self::Execute, Self::Verify, Self::Recover];

    /// What a flow that only reads uses.
    pub const READ_ONLY: &'static [Self] = &[Self::Search, Self::Resolve];
}

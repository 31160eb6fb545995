//! Scripted experts: one per intent and surface, in the fewest calls, with nothing but the request's words and what
//! earlier replies said.
//!
//! An expert that is refused says so with [`Refusal`]; every other error means that it could not do its work.

pub(crate) mod actions;
pub(crate) mod crud;

use serde_json::Value;

use crate::client::McpClient;
use crate::intent::{Intent, Item};
use crate::outside::Outside;
use crate::surfaces::Surface;

/// The shop said no, and the expert stops there.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the shop refused: {code} ({detail})")]
pub(crate) struct Refusal {
    /// The narrowest stable word for it.
    pub(crate) code: String,
    /// The word of the closed catalogue.
    pub(crate) reason: String,
    pub(crate) detail: String,
}

/// One conversation of an expert.
pub(crate) struct Session<'a> {
    pub(crate) client: McpClient,
    pub(crate) outside: &'a Outside<'a>,
    /// Makes the keys of one session differ from those of another in the same world.
    pub(crate) name: String,
    keys: usize,
}

impl<'a> Session<'a> {
    pub(crate) fn new(client: McpClient, outside: &'a Outside<'a>, name: &str) -> Self {
        Self { client, outside, name: name.to_owned(), keys: 0 }
    }

    /// A fresh idempotency key.
    pub(crate) fn key(&mut self) -> String {
        self.keys += 1;
        format!("{}-{}", self.name, self.keys)
    }
}

/// Does what was asked for.
pub(crate) async fn perform(
    surface: Surface,
    session: &mut Session<'_>,
    intent: &Intent,
) -> anyhow::Result<()> {
    match surface {
        Surface::Crud => crud::perform(session, intent).await,
        Surface::Actions => actions::perform(session, intent).await,
    }
}

/// Why an expert stopped.
pub(crate) fn refusal(error: &anyhow::Error) -> Option<&Refusal> {
    error.downcast_ref::<Refusal>()
}

/// Whether a thing with a title and options is what the words mean. Words are compared without case.
pub(crate) fn is_meant(item: &Item, title: &Value, options: &Value) -> bool {
    let same = |value: &Value, word: &str| value.as_str().is_some_and(|text| text.eq_ignore_ascii_case(word));
    let titled =
        title.as_str().is_some_and(|text| text.to_lowercase().starts_with(&item.title.to_lowercase()));
    titled && item.options.iter().all(|(name, word)| same(&options[name.as_str()], word))
}

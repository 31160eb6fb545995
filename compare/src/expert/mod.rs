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

/// Whether a surface has a way to do it at all.
pub(crate) const fn can(surface: Surface, intent: &Intent) -> bool {
    match surface {
        Surface::Crud => true,
        Surface::Actions => !matches!(intent, Intent::ModifyItems(_) | Intent::ChangePayment(_)),
    }
}

/// Why an expert stopped.
pub(crate) fn refusal(error: &anyhow::Error) -> Option<&Refusal> {
    error.downcast_ref::<Refusal>()
}

/// Whether a thing with a title and options is what the words mean: all of them are there, without regard to case.
pub(crate) fn is_meant(item: &Item, title: &Value, options: &Value) -> bool {
    let words = |text: &str| text.to_lowercase().split_whitespace().map(plain).collect::<Vec<_>>();
    let there = words(title.as_str().unwrap_or_default());
    let same = |value: &Value, word: &str| value.as_str().is_some_and(|text| text.eq_ignore_ascii_case(word));
    words(&item.title).iter().all(|word| there.contains(word))
        && item.options.iter().all(|(name, word)| same(&options[name.as_str()], word))
}

/// A word without the comma behind it.
fn plain(word: &str) -> String {
    word.trim_end_matches(',').to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_mean_a_thing_when_all_of_them_are_there() {
        let item = |title: &str, color: &str| Item {
            title: title.into(),
            options: [("color".to_owned(), color.to_owned())].into(),
            quantity: 1,
        };
        let (title, options) = (json!("Desk lamp, white"), json!({ "color": "white" }));
        assert!(is_meant(&item("desk lamp", "White"), &title, &options));
        assert!(is_meant(&item("white lamp", "white"), &title, &options));
        assert!(!is_meant(&item("desk lamp", "black"), &title, &options));
        assert!(!is_meant(&item("floor lamp", "white"), &title, &options));
        assert!(!is_meant(&item("desk lamp", "white"), &title, &json!({})));
    }
}

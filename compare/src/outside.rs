//! What happens outside the conversation: a lead signs something off, time passes.

use anyhow::{Context as _, anyhow};
use serde_json::{Value, json};
use shop_stack::{OpenWorld, Stack};

/// The world around one run.
pub(crate) struct Outside<'a> {
    pub(crate) stack: &'a Stack,
    pub(crate) world: &'a OpenWorld,
    pub(crate) name: &'a str,
    /// A person who may decide approvals; `None` when nobody does in this run.
    pub(crate) lead: Option<&'a str>,
}

impl Outside<'_> {
    /// A lead looks at what waits and says yes, over REST, as a person does; then the shop goes on by itself.
    pub(crate) async fn approve_waiting(&self) -> anyhow::Result<usize> {
        let lead =
            self.lead.ok_or_else(|| anyhow!("an approval is awaited, and nobody decides it in this task"))?;
        let base = format!("{}/w/{}/v1/approvals", self.stack.ready.rest, self.name);
        let http = reqwest::Client::builder().no_proxy().build()?;
        let listed = http.get(format!("{base}?status=waiting")).bearer_auth(lead).send().await?;
        let listed: Value = listed.error_for_status()?.json().await?;
        let waiting = listed["items"].as_array().cloned().unwrap_or_default();
        for approval in &waiting {
            let id = approval["id"].as_str().context("an approval without an id")?;
            let decided = http
                .post(format!("{base}/{id}/approve"))
                .bearer_auth(lead)
                .header("idempotency-key", format!("lead-{id}"))
                .header("if-match", format!("\"{}\"", approval["version"]))
                .json(&json!({ "note": "Fine." }))
                .send()
                .await?;
            let (status, text) = (decided.status(), decided.text().await?);
            if !status.is_success() {
                return Err(anyhow!("the lead could not approve {id}: {status} {text}"));
            }
        }
        self.settle().await?;
        Ok(waiting.len())
    }

    /// Everything that is due runs, until nothing is.
    pub(crate) async fn settle(&self) -> anyhow::Result<()> {
        self.stack.drain(self.world).await?;
        Ok(())
    }
}

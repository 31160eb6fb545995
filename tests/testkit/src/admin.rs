//! The admin plane.

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

/// The admin plane of a running shop.
#[derive(Clone, Debug)]
pub struct Admin {
    http: reqwest::Client,
    base: String,
    secret: String,
}

impl Admin {
    /// # Errors
    /// When HTTP cannot be set up.
    pub fn new(base: &str, secret: &str) -> anyhow::Result<Self> {
        Ok(Self { http: crate::http()?, base: base.to_owned(), secret: secret.to_owned() })
    }

    /// Replaces the fault script.
    ///
    /// # Errors
    /// When a rule is refused.
    pub async fn put_faults(&self, rules: Value) -> anyhow::Result<()> {
        let response = self
            .http
            .put(format!("{}/faults", self.base))
            .bearer_auth(&self.secret)
            .json(&rules)
            .send()
            .await?;
        ensure!(response.status().is_success(), "{}", response.text().await?);
        Ok(())
    }

    /// What the gateway kept of all charges, by its own books: (charges that took money, minor units kept).
    ///
    /// # Errors
    /// When the plane does not answer.
    pub async fn gateway_ledger(&self) -> anyhow::Result<Vec<Value>> {
        let mut lines = Vec::new();
        loop {
            let after =
                lines.last().and_then(|line: &Value| line.get("seq")).and_then(Value::as_u64).unwrap_or(0);
            let url = format!("{}/gateway/ledger?after={after}", self.base);
            let page: Value = self.http.get(url).bearer_auth(&self.secret).send().await?.json().await?;
            let page = page.get("lines").and_then(Value::as_array).context("no lines")?.clone();
            if page.is_empty() {
                return Ok(lines);
            }
            lines.extend(page);
        }
    }

    /// The journal of every wire of the main world, oldest first.
    ///
    /// # Errors
    /// When the plane does not answer.
    pub async fn journal(&self) -> anyhow::Result<Vec<Value>> {
        let mut entries = Vec::new();
        loop {
            let after = entries
                .last()
                .and_then(|entry: &Value| entry.get("seq"))
                .and_then(Value::as_u64)
                .unwrap_or(0);
            let url = format!("{}/journal?after={after}", self.base);
            let page: Value = self.http.get(url).bearer_auth(&self.secret).send().await?.json().await?;
            let page = page.get("entries").and_then(Value::as_array).context("no entries")?.clone();
            if page.is_empty() {
                return Ok(entries);
            }
            entries.extend(page);
        }
    }

    /// Moves the clock.
    ///
    /// # Errors
    /// When the plane does not answer.
    pub async fn advance(&self, ms: i64) -> anyhow::Result<()> {
        let body = json!({ "advance_ms": ms });
        let response = self
            .http
            .put(format!("{}/clock", self.base))
            .bearer_auth(&self.secret)
            .json(&body)
            .send()
            .await?;
        ensure!(response.status().is_success(), "{}", response.text().await?);
        Ok(())
    }

    /// Runs everything that is due.
    ///
    /// # Errors
    /// When the plane does not answer.
    pub async fn drain(&self) -> anyhow::Result<()> {
        let response =
            self.http.post(format!("{}/drain", self.base)).bearer_auth(&self.secret).send().await?;
        ensure!(response.status().is_success(), "{}", response.text().await?);
        Ok(())
    }
}

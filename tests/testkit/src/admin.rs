//! The admin plane.

use anyhow::{Context as _, ensure};
use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};

/// The admin plane of a running shop, about one of its worlds.
#[derive(Clone, Debug)]
pub struct Admin {
    http: reqwest::Client,
    base: String,
    secret: String,
    world: String,
}

impl Admin {
    /// About the world `main`.
    ///
    /// # Errors
    /// When HTTP cannot be set up.
    pub fn new(base: &str, secret: &str) -> anyhow::Result<Self> {
        let (base, secret) = (base.to_owned(), secret.to_owned());
        Ok(Self { http: crate::http()?, base, secret, world: "main".to_owned() })
    }

    /// The same plane, about another world.
    #[must_use]
    pub fn of(&self, world: &str) -> Self {
        Self { world: world.to_owned(), ..self.clone() }
    }

    /// Makes a world: `{ "name": …, "profile": …, "seed": …, "frozen_at": … }`.
    ///
    /// # Errors
    /// When it is refused.
    pub async fn create(&self, world: Value) -> anyhow::Result<Value> {
        json_of(self.call(Method::POST, "/worlds").json(&world)).await
    }

    /// All open worlds.
    ///
    /// # Errors
    /// When the plane does not answer.
    pub async fn worlds(&self) -> anyhow::Result<Vec<Value>> {
        let page = json_of(self.call(Method::GET, "/worlds")).await?;
        Ok(page.get("worlds").and_then(Value::as_array).context("no worlds")?.clone())
    }

    /// What the plane knows of this world.
    ///
    /// # Errors
    /// When there is none.
    pub async fn view(&self) -> anyhow::Result<Value> {
        json_of(self.call(Method::GET, &self.path(""))).await
    }

    /// Back to what the world began with.
    ///
    /// # Errors
    /// When it is refused.
    pub async fn reset(&self) -> anyhow::Result<Value> {
        json_of(self.call(Method::POST, &self.path("/reset"))).await
    }

    /// Copies the world; the plane, about the copy.
    ///
    /// # Errors
    /// When it is refused.
    pub async fn fork(&self, copy: &str) -> anyhow::Result<Self> {
        json_of(self.call(Method::POST, &self.path("/fork")).json(&json!({ "name": copy }))).await?;
        Ok(self.of(copy))
    }

    /// The world as one file.
    ///
    /// # Errors
    /// When it is refused.
    pub async fn snapshot(&self) -> anyhow::Result<Vec<u8>> {
        Ok(good(self.call(Method::GET, &self.path("/snapshot"))).await?.bytes().await?.to_vec())
    }

    /// Takes a snapshot back.
    ///
    /// # Errors
    /// When it is refused.
    pub async fn restore(&self, file: Vec<u8>) -> anyhow::Result<Value> {
        json_of(self.call(Method::POST, &self.path("/restore")).body(file)).await
    }

    /// Rows that are not the same in another world.
    ///
    /// # Errors
    /// When it is refused.
    pub async fn diff(&self, other: &str) -> anyhow::Result<Vec<Value>> {
        rows(self.call(Method::GET, &self.path("/diff")).query(&[("with", other)])).await
    }

    /// Rows that are not the same in a snapshot.
    ///
    /// # Errors
    /// When it is refused.
    pub async fn diff_snapshot(&self, file: Vec<u8>) -> anyhow::Result<Vec<Value>> {
        rows(self.call(Method::POST, &self.path("/diff")).body(file)).await
    }

    /// Forgets the world.
    ///
    /// # Errors
    /// When it is refused.
    pub async fn delete(&self) -> anyhow::Result<()> {
        good(self.call(Method::DELETE, &self.path(""))).await.map(drop)
    }

    /// Replaces the fault script.
    ///
    /// # Errors
    /// When a rule is refused.
    pub async fn put_faults(&self, rules: Value) -> anyhow::Result<()> {
        good(self.about(Method::PUT, "/faults").json(&rules)).await.map(drop)
    }

    /// Every line of the gateway's own books, oldest first.
    ///
    /// # Errors
    /// When the plane does not answer.
    pub async fn gateway_ledger(&self) -> anyhow::Result<Vec<Value>> {
        self.pages("/gateway/ledger", "lines").await
    }

    /// The journal of every wire of the world, oldest first.
    ///
    /// # Errors
    /// When the plane does not answer.
    pub async fn journal(&self) -> anyhow::Result<Vec<Value>> {
        self.pages("/journal", "entries").await
    }

    /// Entries of the journal whose fields fit, and those that nearly do when none does.
    ///
    /// # Errors
    /// When the plane does not answer.
    pub async fn find(&self, fields: &[(&str, &str)]) -> anyhow::Result<Value> {
        json_of(self.about(Method::GET, "/journal").query(fields)).await
    }

    /// How many entries fit.
    ///
    /// # Errors
    /// When the plane does not answer.
    pub async fn count(&self, fields: &[(&str, &str)]) -> anyhow::Result<u64> {
        let found = json_of(self.about(Method::GET, "/journal/count").query(fields)).await?;
        found.get("count").and_then(Value::as_u64).context("no count")
    }

    /// Waits until entries fit; `at_least` and `timeout_ms` are fields too.
    ///
    /// # Errors
    /// When they do not come in time.
    pub async fn wait(&self, fields: &[(&str, &str)]) -> anyhow::Result<Value> {
        json_of(self.about(Method::GET, "/journal/wait").query(fields)).await
    }

    /// The journal as JSON lines, each client's in its own order.
    ///
    /// # Errors
    /// When the plane does not answer.
    pub async fn canonical_journal(&self) -> anyhow::Result<String> {
        let call = self.about(Method::GET, "/journal/export").query(&[("canonical", "true")]);
        Ok(good(call).await?.text().await?)
    }

    /// What time it is in the world.
    ///
    /// # Errors
    /// When the plane does not answer.
    pub async fn clock(&self) -> anyhow::Result<Value> {
        json_of(self.about(Method::GET, "/clock")).await
    }

    /// Freezes, releases, sets or advances the clock.
    ///
    /// # Errors
    /// When it is refused.
    pub async fn set_clock(&self, how: Value) -> anyhow::Result<Value> {
        json_of(self.about(Method::PUT, "/clock").json(&how)).await
    }

    /// Moves the clock.
    ///
    /// # Errors
    /// When the plane does not answer.
    pub async fn advance(&self, ms: i64) -> anyhow::Result<()> {
        self.set_clock(json!({ "advance_ms": ms })).await.map(drop)
    }

    /// Runs everything that is due.
    ///
    /// # Errors
    /// When the plane does not answer.
    pub async fn drain(&self) -> anyhow::Result<()> {
        good(self.about(Method::POST, "/drain")).await.map(drop)
    }

    /// A text that the plane has: its metrics, its document.
    ///
    /// # Errors
    /// When the plane does not answer.
    pub async fn text(&self, path: &str) -> anyhow::Result<String> {
        Ok(good(self.call(Method::GET, path)).await?.text().await?)
    }

    async fn pages(&self, path: &str, list: &str) -> anyhow::Result<Vec<Value>> {
        let mut all: Vec<Value> = Vec::new();
        loop {
            let after = all.last().and_then(|line| line.get("seq")).and_then(Value::as_u64).unwrap_or(0);
            let page = json_of(self.about(Method::GET, path).query(&[("after", after)])).await?;
            let page = page.get(list).and_then(Value::as_array).context("no page")?.clone();
            if page.is_empty() {
                return Ok(all);
            }
            all.extend(page);
        }
    }

    fn path(&self, below: &str) -> String {
        format!("/worlds/{}{below}", self.world)
    }

    fn call(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.base)).bearer_auth(&self.secret)
    }

    fn about(&self, method: Method, path: &str) -> RequestBuilder {
        self.call(method, path).query(&[("world", &self.world)])
    }
}

async fn good(call: RequestBuilder) -> anyhow::Result<Response> {
    let response = call.send().await?;
    let status = response.status();
    ensure!(status.is_success(), "{status}: {}", response.text().await?);
    Ok(response)
}

async fn json_of(call: RequestBuilder) -> anyhow::Result<Value> {
    Ok(good(call).await?.json().await?)
}

async fn rows(call: RequestBuilder) -> anyhow::Result<Vec<Value>> {
    let found = json_of(call).await?;
    Ok(found.get("rows").and_then(Value::as_array).context("no rows")?.clone())
}

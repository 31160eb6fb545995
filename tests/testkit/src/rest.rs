//! The REST door.

use anyhow::Context as _;
use reqwest::Method;
use serde_json::Value;

/// The REST door as one principal.
#[derive(Clone, Debug)]
pub struct Rest {
    http: reqwest::Client,
    base: String,
    token: String,
}

/// A request being built.
#[derive(Debug)]
pub struct Request {
    inner: reqwest::RequestBuilder,
}

/// What came back.
#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    /// The version in the ETag.
    pub version: Option<i64>,
    pub is_replay: bool,
    pub body: Value,
}

impl Rest {
    /// # Errors
    /// When HTTP cannot be set up.
    pub fn new(base: &str, token: &str) -> anyhow::Result<Self> {
        Ok(Self { http: crate::http()?, base: base.to_owned(), token: token.to_owned() })
    }

    /// The same door of another world.
    #[must_use]
    pub fn in_world(&self, world: &str) -> Self {
        Self { base: format!("{}/w/{world}", self.base), ..self.clone() }
    }

    #[must_use]
    pub fn get(&self, path: &str) -> Request {
        self.request(Method::GET, path)
    }

    #[must_use]
    pub fn post(&self, path: &str, body: Value) -> Request {
        self.request(Method::POST, path).json(body)
    }

    #[must_use]
    pub fn put(&self, path: &str, body: Value) -> Request {
        self.request(Method::PUT, path).json(body)
    }

    #[must_use]
    pub fn patch(&self, path: &str, body: Value) -> Request {
        self.request(Method::PATCH, path).json(body)
    }

    #[must_use]
    pub fn request(&self, method: Method, path: &str) -> Request {
        Request { inner: self.http.request(method, format!("{}{path}", self.base)).bearer_auth(&self.token) }
    }
}

impl Request {
    #[must_use]
    pub fn key(self, key: &str) -> Self {
        self.header("Idempotency-Key", key)
    }

    #[must_use]
    pub fn if_match(self, version: i64) -> Self {
        self.header("If-Match", &format!("\"{version}\""))
    }

    #[must_use]
    pub fn header(self, name: &str, value: &str) -> Self {
        Self { inner: self.inner.header(name, value) }
    }

    #[must_use]
    pub fn json(self, body: Value) -> Self {
        Self { inner: self.inner.json(&body) }
    }

    /// A body as it is, with its content type.
    #[must_use]
    pub fn raw(self, body: impl Into<String>) -> Self {
        Self { inner: self.inner.header("content-type", "application/json").body(body.into()) }
    }

    /// Sends it.
    ///
    /// # Errors
    /// When no answer comes.
    pub async fn send(self) -> anyhow::Result<Reply> {
        let response = self.inner.send().await?;
        let header = |name: &str| {
            response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        let version = header("etag").and_then(|etag| etag.trim_matches('"').parse().ok());
        let is_replay = header("idempotent-replayed").as_deref() == Some("true");
        let status = response.status().as_u16();
        let text = response.text().await?;
        let body = if text.is_empty() {
            Value::Null
        } else {
            serde_json::from_str(&text)
                .with_context(|| format!("the answer of {status} is not JSON: {text}"))?
        };
        Ok(Reply { status, version, is_replay, body })
    }
}

impl Reply {
    /// A text of the body.
    #[must_use]
    pub fn text(&self, pointer: &str) -> &str {
        self.body.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    /// A number of the body.
    #[must_use]
    pub fn number(&self, pointer: &str) -> i64 {
        self.body.pointer(pointer).and_then(Value::as_i64).unwrap_or(i64::MIN)
    }
}

//! The client: one HTTP request per call, and never a second one by itself.

mod reply;
#[cfg(test)]
mod tests;

use std::time::Duration;

use reqwest::{Method, RequestBuilder, Url};
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::outcome::{Lookup, Outcome};
use crate::wire::{
    ACCOUNT_PREFIX, Authorize, BalanceTransaction, Capture, CreateRefund, Evidence, KEY_HEADER, KeyRecord,
    Page, Payment, Refund,
};
use reply::{Fate, Reply};

/// Where the gateway is and how long to wait for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Scheme, host and port, such as `http://127.0.0.1:8082`.
    pub base_url: String,
    pub connect_timeout_ms: u64,
    /// From the first byte sent to the last byte read.
    pub request_timeout_ms: u64,
    /// The wait advised when the gateway is busy and does not say for how long.
    pub busy_after_ms: u64,
}

impl Settings {
    #[must_use]
    pub fn new(base_url: &str) -> Self {
        Self {
            base_url: base_url.to_owned(),
            connect_timeout_ms: 1_000,
            request_timeout_ms: 10_000,
            busy_after_ms: 500,
        }
    }
}

/// Why a client could not be made.
#[derive(Debug, Error)]
pub enum ClientError {
    #[error("`{0}` is not an http or https URL of a gateway")]
    BaseUrl(String),
    #[error("cannot set up HTTP")]
    Http(#[source] reqwest::Error),
}

/// Servers hang up after five idle seconds; a connection is let go before, so that no request meets that.
const POOL_IDLE: Duration = Duration::from_secs(2);

/// HTTP that goes straight to its server and never sends anything twice.
pub fn direct_http(connect_timeout: Duration, timeout: Duration) -> reqwest::ClientBuilder {
    // An error only means that the process has chosen a provider already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .connect_timeout(connect_timeout)
        .pool_idle_timeout(POOL_IDLE)
        .timeout(timeout)
        .tcp_nodelay(true)
        // Whether to send again is the caller's decision, after a look-up.
        .retry(reqwest::retry::never())
        .redirect(reqwest::redirect::Policy::none())
        // A proxy would answer in the server's name.
        .no_proxy()
}

/// Speaks to the gateway for one account. Clones share their connections.
#[derive(Clone, Debug)]
pub struct Client {
    base: Url,
    account: String,
    busy_after_ms: u64,
    http: reqwest::Client,
}

impl Client {
    /// A client for one account; the account is the world's name.
    ///
    /// # Errors
    /// When the base URL cannot be a gateway's.
    pub fn new(settings: &Settings, account: &str) -> Result<Self, ClientError> {
        let base = Url::parse(&settings.base_url)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
            .ok_or_else(|| ClientError::BaseUrl(settings.base_url.clone()))?;
        let mut http = direct_http(
            Duration::from_millis(settings.connect_timeout_ms),
            Duration::from_millis(settings.request_timeout_ms),
        );
        if base.scheme() == "http" {
            // No certificate will be seen, and loading the system's takes longer than a whole test.
            http = http.tls_certs_only([]);
        }
        let http = http.build().map_err(ClientError::Http)?;
        Ok(Self { base, account: account.to_owned(), busy_after_ms: settings.busy_after_ms, http })
    }

    /// The same gateway and connections, for another account.
    #[must_use]
    pub fn for_account(&self, account: &str) -> Self {
        Self { account: account.to_owned(), ..self.clone() }
    }

    /// Holds money. A partial approval is `Done` with a smaller `authorized_minor`.
    pub async fn authorize(&self, key: &str, input: &Authorize) -> Outcome<Payment> {
        self.write(&["payments"], key, input).await
    }

    /// Takes held money, all or a part.
    pub async fn capture(&self, key: &str, payment: &str, amount_minor: i64) -> Outcome<Payment> {
        self.write(&["payments", payment, "capture"], key, &Capture { amount_minor }).await
    }

    /// Releases a hold of which nothing was captured.
    pub async fn void(&self, key: &str, payment: &str) -> Outcome<Payment> {
        self.write(&["payments", payment, "void"], key, &serde_json::json!({})).await
    }

    /// Gives captured money back. `Done` may still be pending: see [`Refund::status`].
    pub async fn refund(&self, key: &str, input: &CreateRefund) -> Outcome<Refund> {
        self.write(&["refunds"], key, input).await
    }

    /// Contests a dispute with evidence; it is read once.
    pub async fn contest(&self, key: &str, dispute: &str, text: &str) -> Outcome<Payment> {
        let evidence = Evidence { text: text.to_owned() };
        self.write(&["disputes", dispute, "evidence"], key, &evidence).await
    }

    /// Gives a dispute up: the money stays with the customer.
    pub async fn concede(&self, key: &str, dispute: &str) -> Outcome<Payment> {
        self.write(&["disputes", dispute, "accept"], key, &serde_json::json!({})).await
    }

    /// The payments that were ever disputed, oldest dispute first, after the entry with that number.
    pub async fn disputed(&self, after: u64, limit: u32) -> Lookup<Page<Payment>> {
        self.read(&["disputes"], &[("after", after), ("limit", limit.into())]).await
    }

    /// Makes "nothing found" final: a key without an effect never gets one after this.
    ///
    /// `Done` holds the tombstone, or the effect if there was one already. Safe to repeat.
    pub async fn fence(&self, key: &str) -> Outcome<KeyRecord> {
        let request = self.request(Method::POST, &["keys", key, "cancel"]);
        self.send(request).await.into_outcome(self.busy_after_ms)
    }

    /// What happened under a key, as it stands now.
    pub async fn lookup_key(&self, key: &str) -> Lookup<KeyRecord> {
        self.read(&["keys", key], &[]).await
    }

    /// A payment by the gateway's id.
    pub async fn lookup(&self, payment: &str) -> Lookup<Payment> {
        self.read(&["payments", payment], &[]).await
    }

    /// A refund by the gateway's id.
    pub async fn lookup_refund(&self, refund: &str) -> Lookup<Refund> {
        self.read(&["refunds", refund], &[]).await
    }

    /// The gateway's statement, oldest first, after the entry with that number (0 for the start).
    pub async fn ledger(&self, after: u64, limit: u32) -> Lookup<Page<BalanceTransaction>> {
        self.read(&["balance_transactions"], &[("after", after), ("limit", limit.into())]).await
    }

    async fn write<I: Serialize + Sync, T: DeserializeOwned>(
        &self,
        path: &[&str],
        key: &str,
        input: &I,
    ) -> Outcome<T> {
        let request = self.request(Method::POST, path).header(KEY_HEADER, key).json(input);
        self.send(request).await.into_outcome(self.busy_after_ms)
    }

    async fn read<T: DeserializeOwned>(&self, path: &[&str], query: &[(&str, u64)]) -> Lookup<T> {
        self.send(self.request(Method::GET, path).query(query)).await.into_lookup()
    }

    fn request(&self, method: Method, path: &[&str]) -> RequestBuilder {
        let mut url = self.base.clone();
        // Segments are escaped here, so a key may hold any character, also a slash.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().push("v1").extend(path);
        }
        self.http.request(method, url).bearer_auth(format!("{ACCOUNT_PREFIX}{}", self.account))
    }

    async fn send(&self, request: RequestBuilder) -> Fate {
        match request.send().await {
            Ok(response) => Reply::read(response).await.map_or(Fate::Lost, Fate::Answered),
            // Refused before a connection existed: nothing was sent, so nothing happened.
            Err(error) if error.is_connect() => Fate::Unsent,
            Err(error) if error.is_builder() => Fate::Unsendable(error.to_string()),
            Err(_) => Fate::Lost,
        }
    }
}

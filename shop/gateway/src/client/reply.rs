//! What an HTTP answer means. Pure: the same answer always means the same.

use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use serde::de::DeserializeOwned;

use crate::outcome::{Lookup, Outcome};
use crate::wire::{Decline, ErrorBody, code};

/// A longer body is not an answer of this gateway.
const BODY_BYTES_MAX: usize = 1_000_000;
/// No gateway may make us wait longer than this before the next try.
const BUSY_AFTER_MS_MAX: u64 = 60_000;

/// What became of one request.
pub(super) enum Fate {
    Answered(Reply),
    /// No connection: the gateway cannot have seen it.
    Unsent,
    /// The request cannot be written as HTTP, such as a key with a line break.
    Unsendable(String),
    /// Fate, and no whole answer came back.
    Lost,
}

pub(super) struct Reply {
    pub(super) status: StatusCode,
    pub(super) is_json: bool,
    pub(super) retry_after_s: Option<u64>,
    pub(super) body: Vec<u8>,
}

impl Reply {
    /// Reads the whole answer; `None` when it breaks off or never ends.
    pub(super) async fn read(mut response: Response) -> Option<Self> {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.ok()? {
            if body.len() + chunk.len() > BODY_BYTES_MAX {
                return None;
            }
            body.extend_from_slice(&chunk);
        }
        let headers = response.headers();
        Some(Self {
            status: response.status(),
            is_json: header(headers, CONTENT_TYPE.as_str())
                .is_some_and(|kind| kind.starts_with("application/json")),
            retry_after_s: header(headers, RETRY_AFTER.as_str()).and_then(|text| text.parse().ok()),
            body,
        })
    }

    fn json<T: DeserializeOwned>(&self) -> Option<T> {
        self.is_json.then(|| serde_json::from_slice(&self.body).ok()).flatten()
    }

    fn is_success(&self) -> bool {
        matches!(self.status, StatusCode::OK | StatusCode::CREATED)
    }

    fn into_outcome<T: DeserializeOwned>(self, busy_after_ms: u64) -> Outcome<T> {
        if self.status == StatusCode::TOO_MANY_REQUESTS {
            let after_ms = self.retry_after_s.map_or(busy_after_ms, |seconds| seconds.saturating_mul(1_000));
            return Outcome::Busy { after_ms: after_ms.min(BUSY_AFTER_MS_MAX) };
        }
        if self.is_success() {
            return self.json().map_or(Outcome::Unknown, Outcome::Done);
        }
        match self.json::<ErrorBody>() {
            Some(ErrorBody { error }) if self.is_refusal(&error) => Outcome::Refused(error),
            Some(_) | None => Outcome::Unknown,
        }
    }

    /// A clear no is a 4xx in the gateway's own words.
    fn is_refusal(&self, error: &Decline) -> bool {
        // These speak of the key, not of this attempt: an earlier request with it may have moved money.
        let about_key = matches!(error.code.as_str(), code::KEY_CONFLICT | code::KEY_EXPIRED);
        // A request that timed out on the other side may still be worked on.
        self.status.is_client_error() && self.status != StatusCode::REQUEST_TIMEOUT && !about_key
    }

    fn into_lookup<T: DeserializeOwned>(self) -> Lookup<T> {
        if self.is_success() {
            return self.json().map_or(Lookup::Unavailable, Lookup::Found);
        }
        let is_not_found = self.status == StatusCode::NOT_FOUND
            && self.json::<ErrorBody>().is_some_and(|body| body.error.code == code::NOT_FOUND);
        if is_not_found { Lookup::NotFound } else { Lookup::Unavailable }
    }
}

impl Fate {
    pub(super) fn into_outcome<T: DeserializeOwned>(self, busy_after_ms: u64) -> Outcome<T> {
        match self {
            Self::Answered(reply) => reply.into_outcome(busy_after_ms),
            Self::Unsent => Outcome::Busy { after_ms: busy_after_ms },
            Self::Unsendable(message) => {
                Outcome::Refused(Decline { code: "request_unsendable".to_owned(), message })
            }
            Self::Lost => Outcome::Unknown,
        }
    }

    pub(super) fn into_lookup<T: DeserializeOwned>(self) -> Lookup<T> {
        match self {
            Self::Answered(reply) => reply.into_lookup(),
            Self::Unsent | Self::Unsendable(_) | Self::Lost => Lookup::Unavailable,
        }
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

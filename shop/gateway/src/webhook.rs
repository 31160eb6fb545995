//! Webhooks: the event, and its signature over timestamp and body.
//!
//! An event is only a hint. Whoever receives one verifies it, drops repeats by [`Event::id`], and looks the key
//! up; events may come twice, late, out of order, and before the answer to the call itself.

use chrono::{DateTime, TimeDelta, Utc};
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use thiserror::Error;

use crate::wire::{Decline, Payment, Refund};

/// How old or how early a delivery may be, in real time.
pub const TOLERANCE: TimeDelta = TimeDelta::minutes(5);
/// Carries `t=<unix seconds>,v1=<hex>`.
pub const SIGNATURE_HEADER: &str = "Gateway-Signature";
/// The account the event is about.
pub const ACCOUNT_HEADER: &str = "Gateway-Account";

/// What is posted to the merchant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    pub id: String,
    #[serde(rename = "type")]
    pub kind: EventKind,
    pub created_at: DateTime<Utc>,
    /// The key of the call that caused it; absent for what the gateway did on its own.
    pub key: Option<String>,
    pub payment: Option<Payment>,
    pub refund: Option<Refund>,
    pub decline: Option<Decline>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum EventKind {
    #[serde(rename = "payment.authorized")]
    PaymentAuthorized,
    #[serde(rename = "payment.captured")]
    PaymentCaptured,
    #[serde(rename = "payment.voided")]
    PaymentVoided,
    #[serde(rename = "payment.failed")]
    PaymentFailed,
    #[serde(rename = "payment.disputed")]
    PaymentDisputed,
    #[serde(rename = "refund.pending")]
    RefundPending,
    #[serde(rename = "refund.succeeded")]
    RefundSucceeded,
    #[serde(rename = "refund.failed")]
    RefundFailed,
}

/// Why a delivery is not to be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SignatureError {
    #[error("the signature header is not `t=<unix seconds>,v1=<hex>`")]
    Malformed,
    #[error("the signature is too old or from the future")]
    Stale,
    #[error("the signature does not match the body")]
    Mismatch,
}

/// The secret of one account, made from the one that shop and gateway share: a delivery to one world says nothing in
/// another.
#[must_use]
pub fn account_secret(shared: &str, account: &str) -> String {
    hex::encode(keyed(shared, account.as_bytes()).finalize().into_bytes())
}

/// The value of [`SIGNATURE_HEADER`] for a body sent at `at`.
#[must_use]
pub fn sign(secret: &str, at: DateTime<Utc>, body: &[u8]) -> String {
    let timestamp = at.timestamp();
    let tag = mac(secret, timestamp, body).finalize().into_bytes();
    format!("t={timestamp},v1={}", hex::encode(tag))
}

/// Checks a delivery. The signature is checked first, so that a forged timestamp says nothing.
///
/// # Errors
/// Says which check failed.
pub fn verify(
    secret: &str,
    header: &str,
    body: &[u8],
    now: DateTime<Utc>,
    tolerance: TimeDelta,
) -> Result<(), SignatureError> {
    let (timestamp, tag) = parse(header).ok_or(SignatureError::Malformed)?;
    mac(secret, timestamp, body).verify_slice(&tag).map_err(|_| SignatureError::Mismatch)?;
    let sent = DateTime::from_timestamp(timestamp, 0).ok_or(SignatureError::Malformed)?;
    // Seconds on the wire: compare whole seconds, or a fresh delivery could seem to come from the future.
    let age = now.timestamp().saturating_sub(sent.timestamp()).saturating_abs();
    if age > tolerance.num_seconds() { Err(SignatureError::Stale) } else { Ok(()) }
}

fn parse(header: &str) -> Option<(i64, Vec<u8>)> {
    let (timestamp, tag) = header.split_once(',')?;
    let timestamp = timestamp.trim().strip_prefix("t=")?.parse().ok()?;
    let tag = hex::decode(tag.trim().strip_prefix("v1=")?).ok()?;
    Some((timestamp, tag))
}

fn mac(secret: &str, timestamp: i64, body: &[u8]) -> Hmac<Sha256> {
    let mut mac = keyed(secret, timestamp.to_string().as_bytes());
    mac.update(b".");
    mac.update(body);
    mac
}

#[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
fn keyed(secret: &str, text: &[u8]) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key of any length");
    mac.update(text);
    mac
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 999_999_000).unwrap()
    }

    fn check(header: &str, body: &[u8], now: i64) -> Result<(), SignatureError> {
        verify("whsec_1", header, body, at(now), TOLERANCE)
    }

    #[test]
    fn only_the_signed_body_at_about_that_time_is_believed() {
        let header = sign("whsec_1", at(1_000_000), b"{}");
        for (header, body, now, expected) in [
            (header.as_str(), b"{}".as_slice(), 1_000_000, Ok(())),
            (&header, b"{}", 1_000_300, Ok(())),
            (&header, b"{}", 1_000_301, Err(SignatureError::Stale)),
            (&header, b"{}", 999_699, Err(SignatureError::Stale)),
            (&header, b"{ }", 1_000_000, Err(SignatureError::Mismatch)),
            (&header.replace("t=1000000", "t=1000001"), b"{}", 1_000_000, Err(SignatureError::Mismatch)),
            (&sign("whsec_2", at(1_000_000), b"{}"), b"{}", 1_000_000, Err(SignatureError::Mismatch)),
            ("t=1000000", b"{}", 1_000_000, Err(SignatureError::Malformed)),
            ("t=x,v1=00", b"{}", 1_000_000, Err(SignatureError::Malformed)),
            ("t=1000000,v1=zz", b"{}", 1_000_000, Err(SignatureError::Malformed)),
        ] {
            assert_eq!(check(header, body, now), expected, "{header} at {now}");
        }
    }

    #[test]
    fn every_account_has_a_secret_of_its_own() {
        let secret = account_secret("shared", "main");
        assert_eq!(secret, account_secret("shared", "main"));
        assert_ne!(secret, account_secret("shared", "other"));
        assert_ne!(secret, account_secret("another", "main"));
    }

    #[test]
    fn the_signature_is_the_one_any_hmac_tool_makes() {
        // printf '1000000.{}' | openssl dgst -sha256 -hmac whsec_1
        let known = "4a8015a7c73a1938681a3c3615baac16c20288a714eb894882dc868452621eb2";
        assert_eq!(sign("whsec_1", at(1_000_000), b"{}"), format!("t=1000000,v1={known}"));
    }
}

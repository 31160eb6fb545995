//! Every bound and every delay of the simulator.

use std::time::Duration;

use chrono::TimeDelta;

/// How long an answer is replayed under its key, on the world's clock.
pub const REPLAY: TimeDelta = TimeDelta::days(30);
/// After a capture with the disputing instrument, when the bank takes the money back.
pub const DISPUTE_AFTER: TimeDelta = TimeDelta::days(3);
/// How long evidence is waited for; a dispute that nobody answers is lost then.
pub const DISPUTE_ANSWERED_WITHIN: TimeDelta = TimeDelta::days(7);
/// How long a bank reads evidence.
pub const DISPUTE_DECIDED_AFTER: TimeDelta = TimeDelta::days(5);
/// How long a refund that does not succeed at once stays pending.
pub const REFUND_SETTLES_AFTER: TimeDelta = TimeDelta::days(1);
/// How much later a request is carried out that was stuck in a queue; longer than any client of a test waits.
pub const LATE_AFTER: TimeDelta = TimeDelta::seconds(2);

pub const REFERENCE_CHARS_MAX: usize = 200;
pub const EVIDENCE_CHARS_MAX: usize = 4_000;
/// A trillion minor units: far from overflow, and above any price.
pub const AMOUNT_MINOR_MAX: i64 = 1_000_000_000_000;
pub const BODY_BYTES_MAX: usize = 64 * 1024;
/// Requests that may be stuck in the queue of one account.
pub const PARKED_MAX: usize = 1_000;

pub const WEBHOOK_ATTEMPTS_MAX: u32 = 5;
/// The wait after the first failed delivery; it doubles each time.
pub const WEBHOOK_RETRY_FIRST: Duration = Duration::from_millis(200);
/// How late a late event is: after the retry of one that failed once.
pub const WEBHOOK_LATE: Duration = Duration::from_millis(500);
pub const WEBHOOK_TIMEOUT: Duration = Duration::from_secs(5);
/// Deliveries under way at once, over all accounts.
pub const WEBHOOKS_AT_ONCE: usize = 64;
/// Deliveries that may wait for their turn; beyond that events are dropped, as real gateways do under load.
pub const WEBHOOKS_WAITING_MAX: usize = 10_000;

/// How long a graceful stop waits for calls under way.
pub const SHUTDOWN_S: u64 = 5;

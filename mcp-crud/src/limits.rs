//! Every bound of the CRUD door.

use std::time::Duration;

/// A reply of the API that a tool hands on.
pub const RESPONSE_BYTES_MAX: usize = 1024 * 1024;
/// How long the API may take for one request.
pub const TIMEOUT: Duration = Duration::from_secs(30);
/// When to try again after the API could not be reached.
pub const RETRY_AFTER_MS: u64 = 500;
/// How deep references may lead before the document is called circular.
pub const REFERENCES_MAX: usize = 32;

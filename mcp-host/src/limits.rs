//! Every bound of an MCP door, in one place.

use std::time::Duration;

/// A request body of the HTTP door.
pub const BODY_BYTES_MAX: usize = 1024 * 1024;
/// The arguments of one call, as JSON text.
pub const ARGUMENTS_BYTES_MAX: usize = 256 * 1024;
/// How deep the arguments of one call may nest.
pub const ARGUMENTS_DEPTH_MAX: usize = 32;
/// Complaints listed about one call's arguments.
pub const COMPLAINTS_MAX: usize = 20;
/// Characters of one complaint; a complaint may quote what the caller sent.
pub const COMPLAINT_CHARS_MAX: usize = 300;

/// Tools of one door.
pub const TOOLS_MAX: usize = 1_000;
/// How long a client may keep a listing, which changes only with a restart.
pub const LISTING_TTL_MS: u64 = 5 * 60 * 1_000;
/// Values offered when a client completes a prompt's argument; the protocol allows no more.
pub const COMPLETIONS_MAX: usize = 100;

/// Sessions of one HTTP door (about 60 kB each); the least recently used one makes room.
pub const SESSIONS_MAX: usize = 1_024;
/// Sessions of one principal.
pub const SESSIONS_PER_PRINCIPAL_MAX: usize = 256;
/// Idle time after which a session is closed.
pub const SESSION_IDLE: Duration = Duration::from_secs(10 * 60);

/// How long a question to the person may stay unanswered.
pub const ASK_TIMEOUT: Duration = Duration::from_secs(5 * 60);
/// How long the sealed state of a question is accepted back.
pub const ASK_STATE_TTL: Duration = Duration::from_secs(15 * 60);
/// Length of the key that seals the state of a question.
pub const STATE_KEY_BYTES_MIN: usize = 32;

/// One line or one server event of the bridge.
pub const BRIDGE_MESSAGE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Calls of the bridge in flight at once.
pub const BRIDGE_CALLS_MAX: usize = 64;
/// How long the bridge waits for one reply.
pub const BRIDGE_TIMEOUT: Duration = Duration::from_secs(10 * 60);
/// How long an HTTP client of ours waits for a connection.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long it keeps one that is idle. Servers hang up after five seconds, and no request should meet that.
pub const POOL_IDLE: Duration = Duration::from_secs(2);

//! What both MCP doors of the shop share: tools as data, argument validation, one way to ask the person in both
//! protocol generations, opaque identities, sessions, paging and the two transports (stdio and Streamable HTTP).
//!
//! It must never know what a shop is, never open a database, and never show a handler the caller's token.
//!
//! A door is a [`Handler`] (its tools, and one function that answers a call) in a [`Door`], which validates every
//! call before the handler sees it and serves the handler:
//!
//! ```text
//! let door = Door::new(Settings::new("mcp_actions", "twinshop-actions", key), Arc::new(MyHandler))?;
//! door.stdio(identity).await?;                            // one client on stdin and stdout, or
//! let http = door.http(HttpSettings::new(authenticate));  // any number over HTTP:
//! HttpServer::new(move || App::new().configure(|app| http.configure(app)))
//!     .tcp_nodelay(true)                                  // without it replies of 40–60 kB stall for 44 ms
//! ```
//!
//! Start reading at [`handler`], then [`door`](Door) (what happens to a call) and [`ask`] (what happens to a
//! question). [`http`] is the gate in front of the HTTP door; [`bridge()`] makes a remote HTTP door a stdio server.

pub mod ask;
mod bridge;
mod client;
pub mod content;
mod door;
pub mod handler;
pub mod http;
mod identity;
mod journal;
pub mod limits;
mod problem;
mod registry;
mod server;
mod stdio;
mod tool;
mod validate;
mod wire;

#[cfg(test)]
mod tests;

pub use ask::{Answer, Asked, Asker, Choice, Question, QuestionError, Waiting};
pub use bridge::{Bridge, BridgeError, bridge, bridge_stdio};
pub use client::http_client;
pub use content::{Prompt, PromptArgument, Resource};
pub use door::{Door, Settings, StartError};
pub use handler::{Call, Client, Generation, Handler, Link, Output, Reply, Task, TaskState, Tasks};
pub use http::{HttpDoor, HttpSettings, SessionStore, StoredSession};
pub use identity::{AuthError, Authenticate, Credentials, Identity};
pub use journal::Journal;
pub use problem::{Field, Problem, ProblemKind};
pub use stdio::StdioError;
pub use tool::{Hints, Tool};

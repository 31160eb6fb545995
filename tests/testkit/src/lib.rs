//! A client for any running Twinshop, over HTTP only: a child process, its REST door, its MCP doors and its admin
//! plane.
//!
//! It must never use a crate of the shop: what it sees is what a stranger's client would see.
//!
//! Start at [`Twinshop::start`].

mod admin;
mod mcp;
mod process;
mod rest;
mod wait;

use std::time::Duration;

pub use admin::Admin;
pub use mcp::{Mcp, ToolReply};
pub use process::Twinshop;
pub use rest::{Reply, Request, Rest};
pub use wait::wait_until;

/// One HTTP client for all of a test's calls.
fn http() -> anyhow::Result<reqwest::Client> {
    // Plain HTTP needs no provider, but the client wants one to exist; a second installation is not an error here.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // Servers hang up after five idle seconds, and no call should meet that.
    Ok(reqwest::Client::builder().no_proxy().pool_idle_timeout(Duration::from_secs(2)).build()?)
}

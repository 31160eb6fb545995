//! How the shop talks to its payment gateway: the words on the wire, a client, and what an answer means.
//!
//! The gateway is another company. This crate is all that the shop and the simulator share, and it holds no
//! state of either. It must never turn silence into "failed": money may have moved, so everything that is not a
//! clear answer is [`Outcome::Unknown`], and only a look-up by key resolves it. It never sends a request twice.
//!
//! Start at [`Outcome`], then [`Client`], then [`wire`].

pub mod client;
pub mod outcome;
pub mod webhook;
pub mod wire;

pub use client::{Client, ClientError, Settings};
pub use outcome::{Lookup, Outcome};
pub use wire::Decline;

//! The one integration binary: the real stack as a child process, or the repository itself.
//!
//! `layers`, `tidy` look at the code; everything else starts a shop and looks at it from outside.

#![expect(clippy::unwrap_used, reason = "a test helper that fails is a test that fails")]

mod access;
mod bad_input;
mod checkout;
mod clients;
mod clocks;
mod compose;
mod contract;
mod crash;
mod layers;
mod plane;
mod race;
mod sample;
mod tidy;
mod webhooks;
mod worlds;

use twinshop_testkit::Twinshop;

/// A shop of its own, seeded, with the agent's word as consent.
async fn shop(arguments: &[&str]) -> Twinshop {
    let mut all = vec!["--consent", "agent"];
    all.extend(arguments);
    Twinshop::start(env!("CARGO_BIN_EXE_twinshop"), &all).await.unwrap()
}

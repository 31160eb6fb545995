//! Where a call finds its engine and becomes a caller the engine knows.

use mcp_actions_engine::{Caller, Engine};
use mcp_actions_flows::{Ctx, Engines};
use mcp_host::Identity;

/// An engine, and who its callers are.
pub trait Desk: Send + Sync + 'static {
    type Caller: Caller;

    fn engine(&self) -> &Engine<Self::Caller>;

    /// Whoever the door has let in, as the engine knows them. `None` for an identity that was not made for this door.
    fn caller(&self, identity: &Identity, can_be_asked: bool) -> Option<Self::Caller>;
}

impl Desk for Engines {
    type Caller = mcp_actions_flows::Caller;

    fn engine(&self) -> &Engine<Self::Caller> {
        Self::engine(self)
    }

    fn caller(&self, identity: &Identity, can_be_asked: bool) -> Option<Self::Caller> {
        let ctx = identity.extension::<Ctx>()?;
        Some(mcp_actions_flows::Caller::new(ctx.clone(), can_be_asked))
    }
}

//! Who calls, as the engine knows them: one context of the service.

use std::sync::Arc;

use shop_domain::governance::Principal;
use shop_service::{Ctx, Door, Shop};
use shop_world::World;

/// A person, or an agent acting for one, in one world.
#[derive(Clone, Debug)]
pub struct Caller {
    ctx: Ctx,
    /// The person behind the call; their agent's actions are theirs.
    person: String,
    can_be_asked: bool,
}

impl Caller {
    /// `can_be_asked`: whether the person can be reached through this very connection.
    #[must_use]
    pub fn new(ctx: Ctx, can_be_asked: bool) -> Self {
        let ctx = Ctx::new(ctx.shop, ctx.principal, Door::Actions);
        Self { person: ctx.principal.person().to_string(), ctx, can_be_asked }
    }

    /// Somebody whose action goes on while they are away.
    #[must_use]
    pub fn away(shop: Arc<Shop>, principal: Arc<Principal>) -> Self {
        Self::new(Ctx::new(shop, principal, Door::Actions), false)
    }

    /// A new operation of the service, without key or version.
    #[must_use]
    pub fn ctx(&self) -> Ctx {
        self.ctx.clone()
    }
}

impl mcp_actions_engine::Caller for Caller {
    fn world(&self) -> &World {
        &self.ctx.shop.world
    }

    fn principal(&self) -> &str {
        &self.person
    }

    fn is_agent(&self) -> bool {
        self.ctx.principal.is_agent
    }

    fn can_be_asked(&self) -> bool {
        self.can_be_asked
    }
}

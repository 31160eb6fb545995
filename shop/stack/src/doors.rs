//! The two MCP doors over the worlds of this process: who calls, and what the CRUD door sends on.

use std::sync::Arc;

use async_trait::async_trait;
use mcp_actions_flows::Engines;
use mcp_crud::{Crud, Upstream, UpstreamError};
use mcp_host::{AuthError, Authenticate, Credentials, Door, Identity};
use sha2::{Digest, Sha256};
use shop_domain::code::ErrorCode;
use shop_service::{Ctx, principals};
use shop_world::journal::Line;

use crate::worlds::{MAIN, Worlds};

/// Turns bearer tokens into callers of the world they name.
pub(crate) struct Callers {
    pub(crate) worlds: Arc<Worlds>,
}

#[async_trait]
impl Authenticate for Callers {
    async fn authenticate(&self, credentials: Credentials<'_>) -> Result<Identity, AuthError> {
        let name = credentials.world.unwrap_or(MAIN);
        let open = self.worlds.find(name).await.ok_or_else(|| AuthError::UnknownWorld(name.to_owned()))?;
        let principal =
            principals::authenticate(&open.shop, credentials.bearer, credentials.peer_is_loopback).await;
        match principal {
            Ok(principal) => Ok(identity(name, Ctx::new(open.shop, principal, shop_service::Door::Actions))),
            Err(error) if error.code == ErrorCode::AuthenticationRequired && credentials.bearer.is_none() => {
                Err(AuthError::Missing)
            }
            Err(error) if error.code == ErrorCode::AuthenticationRequired => Err(AuthError::Invalid),
            Err(_) => Err(AuthError::Unavailable),
        }
    }
}

/// A caller as both doors carry it.
#[must_use]
pub(crate) fn identity(world: &str, ctx: Ctx) -> Identity {
    Identity::new(ctx.principal.id.to_string(), world, ctx)
}

/// Where the CRUD door sends its requests, and as whom.
pub(crate) struct Rest {
    pub(crate) base_url: String,
    pub(crate) door_secret: String,
}

#[async_trait]
impl Upstream for Rest {
    fn base_url(&self, identity: &Identity) -> String {
        world_base(&self.base_url, identity.world())
    }

    async fn headers(&self, identity: &Identity) -> Result<Vec<(String, String)>, UpstreamError> {
        let ctx = identity
            .extension::<Ctx>()
            .ok_or_else(|| UpstreamError::Refused("the caller is not known".into()))?;
        let token = principals::door_token(&self.door_secret, ctx.principal.id);
        Ok(vec![("authorization".to_owned(), format!("Bearer {token}"))])
    }
}

/// The CRUD door over a REST server of these worlds.
///
/// # Errors
/// When an operation cannot be a tool.
pub(crate) fn crud_door(rest_url: &str, door_secret: &str) -> anyhow::Result<Door> {
    let rest = Rest { base_url: rest_url.to_owned(), door_secret: door_secret.to_owned() };
    let crud = Crud::new(&shop_api::document(), Arc::new(rest), &mcp_crud::Options::default())?;
    let mut settings = crud_settings(door_secret);
    settings.journal = Some(Arc::new(write_journal));
    Ok(Door::new(settings, Arc::new(crud))?)
}

pub(crate) fn crud_settings(door_secret: &str) -> mcp_host::Settings {
    let mut settings = mcp_host::Settings::new("mcp_crud", "twinshop-crud", state_key(door_secret, "crud"));
    settings.instructions = Some(mcp_crud::INSTRUCTIONS.to_owned());
    settings
}

/// Into the journal of the world in which the call was made.
fn write_journal(identity: &Identity, line: Line) {
    if let Some(ctx) = identity.extension::<Ctx>() {
        let world = &ctx.shop.world;
        world.journal.write(world.clock.now(), line);
    }
}

/// Where a world's REST door is.
pub(crate) fn world_base(base: &str, world: &str) -> String {
    match world {
        MAIN => base.to_owned(),
        world => format!("{base}/w/{world}"),
    }
}

/// Who comes in by the Actions door, as its engine knows them.
struct Desk {
    engines: Engines,
}

impl mcp_actions::Desk for Desk {
    type Caller = mcp_actions_flows::Caller;

    fn engine(&self) -> &mcp_actions_engine::Engine<Self::Caller> {
        self.engines.engine()
    }

    fn caller(&self, identity: &Identity, can_be_asked: bool) -> Option<Self::Caller> {
        let ctx = identity.extension::<Ctx>()?.clone();
        Some(mcp_actions_flows::Caller::new(ctx, can_be_asked))
    }
}

/// The Actions door; every call brings its own world and caller.
///
/// # Errors
/// When a tool's schema is bad.
pub(crate) fn actions_door(engines: Engines, door_secret: &str) -> anyhow::Result<Door> {
    let actions = mcp_actions::Actions::new(Desk { engines });
    let mut settings =
        mcp_host::Settings::new("mcp_actions", "twinshop-actions", state_key(door_secret, "actions"));
    settings.instructions = Some(mcp_actions::INSTRUCTIONS.to_owned());
    settings.journal = Some(Arc::new(write_journal));
    Ok(Door::new(settings, Arc::new(actions))?)
}

fn state_key(secret: &str, door: &str) -> Vec<u8> {
    Sha256::digest(format!("{door}\n{secret}")).to_vec()
}

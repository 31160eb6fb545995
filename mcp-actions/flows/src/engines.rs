//! The engine of the shop's Actions door, put together once for all worlds.

use std::sync::Arc;

use mcp_actions_engine::node::NodeError;
use mcp_actions_engine::{
    Calibration, Caller as _, Consent, ConsentLevel, Engine, Flow, Flows, RegistryError, Resumed, Settings,
    Store,
};
use shop_service::jobs::{Next, backoff};
use shop_service::{Ctx, Error, Result, actions, principals};
use shop_world::World;

use crate::after_sales::AfterSales;
use crate::caller::Caller;
use crate::change_delivery_address::ChangeDeliveryAddress;
use crate::checkout::Checkout;
use crate::entities::Shelves;
use crate::store::Rows;
use crate::track_order::TrackOrder;
use crate::update_profile::UpdateProfile;
use crate::{cancel_order, exchange, failure, refund_only, return_refund};

/// The world whose pages have no name in their address.
const MAIN: &str = "main";

/// All flows of the shop over its rows. Clones share one engine.
#[derive(Clone)]
pub struct Engines {
    engine: Arc<Engine<Caller>>,
}

/// Why the flows cannot be served together.
#[derive(Debug, thiserror::Error)]
enum Flaw {
    #[error(transparent)]
    Nodes(#[from] NodeError),
    #[error(transparent)]
    Registry(#[from] RegistryError),
}

/// Every capability, in the order in which equal hits are listed. Adding a flow is one folder and one line here.
fn flows() -> std::result::Result<Flows<Caller>, Flaw> {
    let list: Vec<Box<dyn Flow<Caller>>> = vec![
        Box::new(Checkout::new()?),
        Box::new(AfterSales::new()?),
        Box::new(refund_only::flow()?),
        Box::new(return_refund::flow()?),
        Box::new(exchange::flow()?),
        Box::new(cancel_order::flow()?),
        Box::new(ChangeDeliveryAddress::new()?),
        Box::new(TrackOrder::new()?),
        Box::new(UpdateProfile::new()?),
    ];
    Ok(Flows::new(list)?)
}

/// An engine over all flows and a store.
#[expect(clippy::expect_used, reason = "the flows are constants, and a test puts them together")]
pub(crate) fn engine(
    level: ConsentLevel,
    console_url: &str,
    store: Arc<dyn Store<Caller>>,
) -> Engine<Caller> {
    let console_url = console_url.to_owned();
    let settings = Settings {
        consent: level,
        consent_url: Arc::new(move |world, consent| page(&console_url, world, consent)),
        calibration: Arc::new(Calibration::default()),
    };
    let flows = flows().expect("flows that fit together");
    Engine::new(flows, store, Arc::new(Shelves), settings)
}

impl Engines {
    /// `console_url` is where people find the pages of the world `main`: `http://…/console`.
    #[must_use]
    pub fn new(level: ConsentLevel, console_url: &str) -> Self {
        Self { engine: Arc::new(engine(level, console_url, Arc::new(Rows))) }
    }

    #[must_use]
    pub fn engine(&self) -> &Engine<Caller> {
        &self.engine
    }

    /// The job of an action that can go on without its caller: an attempt was settled, an approval decided, a process
    /// died.
    ///
    /// # Errors
    /// When the action cannot be taken on now; the job is tried again.
    pub async fn resume(&self, system: &Ctx, action_id: &str) -> Result<Next> {
        let Some(caller) = owner(system, action_id).await? else { return Ok(Next::Done) };
        let resumed = self.engine.resume(&caller, action_id).await.map_err(|failed| told(&failed))?;
        let again =
            |at| if at > system.now() { Next::Again(at) } else { Next::Again(system.now() + backoff(1)) };
        Ok(match resumed {
            Resumed::Busy => Next::Again(system.now() + backoff(0)),
            Resumed::At(_) => {
                let record = self.engine.record(&caller, action_id).await.map_err(|failed| told(&failed))?;
                record.and_then(|record| record.wake_at).map_or(Next::Done, again)
            }
        })
    }

    /// The job of an action whose time may be over.
    ///
    /// # Errors
    /// When the action cannot be given up now; the job is tried again.
    pub async fn expire(&self, system: &Ctx, action_id: &str) -> Result<Next> {
        let Some(caller) = owner(system, action_id).await? else { return Ok(Next::Done) };
        let record = self.engine.record(&caller, action_id).await.map_err(|failed| told(&failed))?;
        match record.and_then(|record| record.expires_at) {
            None => Ok(Next::Done),
            Some(at) if at > caller.world().clock.now() => Ok(Next::Again(at)),
            Some(_) => self.resume(system, action_id).await,
        }
    }
}

/// The action's own person, who is away.
async fn owner(system: &Ctx, action_id: &str) -> Result<Option<Caller>> {
    let Ok(id) = action_id.parse() else { return Ok(None) };
    let Some(person) = actions::person_of(system, id).await? else { return Ok(None) };
    let principal = principals::by_id(&system.shop, person).await?;
    Ok(principal.map(|principal| Caller::away(Arc::clone(&system.shop), principal)))
}

fn told(failed: &mcp_actions_engine::Failure) -> Error {
    Error::new(failure::code(failed.reason), failed.message.clone())
}

/// Where a person answers: `…/console/consents/{id}?nonce=…`, or `…/w/{world}/console/…`.
fn page(console_url: &str, world: &World, consent: &Consent) -> String {
    let (id, nonce) = (&consent.id, &consent.nonce);
    match (world.name.as_str(), console_url.strip_suffix("/console")) {
        (MAIN, _) | (_, None) => format!("{console_url}/consents/{id}?nonce={nonce}"),
        (world, Some(base)) => format!("{base}/w/{world}/console/consents/{id}?nonce={nonce}"),
    }
}

#[cfg(test)]
mod tests;

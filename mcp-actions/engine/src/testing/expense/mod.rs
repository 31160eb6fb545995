//! A small business to test the engine with: an employee claims expenses, a bank pays them out.
//!
//! `office` is the world (policies, accounts, a bank with books of its own), `claim` the flow with effects,
//! `track` the flow that only reads.

pub mod claim;
pub mod office;
pub mod track;

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};
use shop_world::World;

pub use office::{Fault, Office};

use crate::calibration::Calibration;
use crate::consent::ConsentLevel;
use crate::engine::{Engine, Settings};
use crate::flow::{Caller, Entities, Failure};
use crate::node::NodeError;
use crate::parts::{Candidate, Map};
use crate::reason::Reason;
use crate::registry::{Flows, RegistryError};
use crate::store::Store;

/// Who calls.
#[derive(Clone, Debug)]
pub struct Clerk {
    pub world: Arc<World>,
    pub name: String,
    pub is_agent: bool,
    pub can_be_asked: bool,
}

impl Clerk {
    #[must_use]
    pub fn new(world: &Arc<World>, name: &str) -> Self {
        Self { world: world.clone(), name: name.to_owned(), is_agent: true, can_be_asked: true }
    }
}

impl Caller for Clerk {
    fn world(&self) -> &World {
        &self.world
    }

    fn principal(&self) -> &str {
        &self.name
    }

    fn is_agent(&self) -> bool {
        self.is_agent
    }

    fn can_be_asked(&self) -> bool {
        self.can_be_asked
    }
}

/// Why the fixture could not be put together.
#[derive(Debug, thiserror::Error)]
pub enum FixtureError {
    #[error(transparent)]
    Nodes(#[from] NodeError),
    #[error(transparent)]
    Registry(#[from] RegistryError),
}

/// An engine over one office.
///
/// # Errors
/// When a flow of the fixture is not well-formed.
pub fn engine(
    office: &Arc<Office>,
    store: Arc<dyn Store<Clerk>>,
    consent: ConsentLevel,
) -> Result<Engine<Clerk>, FixtureError> {
    let flows = Flows::new(vec![
        Box::new(claim::Claim::new(office.clone())?),
        Box::new(track::Track::new(office.clone())?),
    ])?;
    let settings = Settings {
        consent,
        consent_url: Arc::new(|_, consent| format!("http://office.test/consents/{}", consent.id)),
        calibration: Arc::new(Calibration::default()),
    };
    Ok(Engine::new(flows, store, office.clone(), settings))
}

#[async_trait]
impl Entities<Clerk> for Office {
    async fn find(&self, ctx: &Clerk, words: &str) -> Result<Vec<Candidate>, Failure> {
        Ok(self.find_claims(&ctx.name, words))
    }

    async fn view(&self, ctx: &Clerk, entity: &str, reference: &str) -> Result<Map, Failure> {
        let found = self.find_claims(&ctx.name, reference);
        let [only] = found.as_slice() else {
            return Err(Failure::new(Reason::NotFound, format!("there is no {entity} {reference}")));
        };
        let next =
            json!([{"tool": "start_action", "args": {"capability": "track_claim", "target": only.id}}]);
        Ok(object(json!({"entity": entity, "id": only.id, "label": only.label, "next_actions": next})))
    }
}

/// The object inside a JSON value; empty for anything else.
#[must_use]
pub fn object(value: Value) -> Map {
    match value {
        Value::Object(object) => object,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    }
}

//! The contract's eighteen rules, each by name, and what the parts promise each other.

mod canned;
mod rules_consent;
mod rules_filling;
mod rules_outcome;
mod rules_reach;
mod search;

use std::sync::Arc;

use serde_json::{Value, json};
use shop_world::World;

use crate::consent::ConsentLevel;
use crate::engine::Engine;
use crate::parts::{Map, Tool};
use crate::testing::MemoryStore;
use crate::testing::canned::approve;
use crate::testing::expense::{self, Clerk, Fault, Office, object};
use crate::{AdvanceCall, ConfirmCall, RecoverCall, StartCall, View};

/// One office with one process serving it.
pub(crate) struct Desk {
    pub(crate) world: Arc<World>,
    pub(crate) office: Arc<Office>,
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) engine: Engine<Clerk>,
    pub(crate) ada: Clerk,
}

impl Desk {
    pub(crate) fn new(level: ConsentLevel) -> Self {
        let world = World::for_tests();
        let office = Arc::new(Office::default());
        let store = Arc::new(MemoryStore::default());
        let engine = expense::engine(&office, store.clone(), level).unwrap();
        let ada = Clerk::new(&world, "ada");
        Self { world, office, store, engine, ada }
    }

    /// Where the agent's word is enough.
    pub(crate) fn trusting() -> Self {
        Self::new(ConsentLevel::Agent)
    }

    pub(crate) async fn start(&self, patch: Value) -> View {
        self.engine.start(&self.ada, start(patch)).await
    }

    /// An action at its confirm node.
    pub(crate) async fn ready(&self) -> View {
        let view = self.start(json!({"account_id": "office", "reason": "fair"})).await;
        assert_eq!(node(&view), "CONFIRM_CLAIM", "{view:?}");
        view
    }

    pub(crate) async fn advance(&self, view: &View, patch: Value) -> View {
        self.engine.advance(&self.ada, advance(view, patch)).await
    }

    pub(crate) async fn cancel(&self, view: &View) -> View {
        self.engine.advance(&self.ada, AdvanceCall { cancel: true, ..advance(view, json!({})) }).await
    }

    pub(crate) async fn confirm(&self, view: &View, key: &str) -> View {
        self.engine.confirm(&self.ada, approve(view, key)).await
    }

    pub(crate) async fn verify(&self, view: &View) -> View {
        self.engine.verify(&self.ada, id(view), false).await
    }

    pub(crate) async fn recover(&self, view: &View, strategy: Option<&str>) -> View {
        let call = RecoverCall {
            action_id: id(view).to_owned(),
            strategy: strategy.map(str::to_owned),
            include_schema: false,
        };
        self.engine.recover(&self.ada, call).await
    }

    pub(crate) async fn get(&self, view: &View) -> View {
        self.engine.get(&self.ada, id(view)).await
    }

    /// An action whose payment got lost with its answer.
    pub(crate) async fn lost(&self, fault: Fault) -> View {
        self.office.plan("pay", fault);
        let ready = self.ready().await;
        self.confirm(&ready, "key-1").await
    }
}

pub(crate) fn start(patch: Value) -> StartCall {
    StartCall { capability: "claim_expenses".to_owned(), patch: object(patch), ..StartCall::default() }
}

pub(crate) fn advance(view: &View, patch: Value) -> AdvanceCall {
    AdvanceCall {
        action_id: id(view).to_owned(),
        version: view.version.unwrap(),
        patch: object(patch),
        ..AdvanceCall::default()
    }
}

pub(crate) fn reject(view: &View, key: &str) -> ConfirmCall {
    ConfirmCall { approval: crate::Approval::Rejected, ..approve(view, key) }
}

pub(crate) fn id(view: &View) -> &str {
    view.action_id.as_deref().unwrap()
}

pub(crate) fn node(view: &View) -> &str {
    view.node.as_deref().unwrap()
}

pub(crate) fn tools(view: &View) -> Vec<&'static str> {
    view.next_actions.iter().map(|next| next.tool.name()).collect()
}

pub(crate) fn offers(view: &View, tool: Tool) -> bool {
    view.next_actions.iter().any(|next| next.tool == tool)
}

pub(crate) fn summary(view: &View) -> &Map {
    view.summary.as_ref().unwrap()
}

//! The flow that only reads: where a claim is.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::json;

use crate::about::{About, Verb};
use crate::flow::{Effects, Facts, Failure, Flow, Judgement, Opened, Opening, Preview};
use crate::node::{Ends, NodeError, Nodes};
use crate::parts::{Choice, EntityRef, Map, Risk, RiskLevel};
use crate::record::Record;
use crate::testing::expense::{Clerk, Office, object};

const ABOUT: About = About {
    name: "track_claim",
    aliases: &[],
    title: "Track a claim",
    entity: "Claim",
    trigger: "The person wants to know where an expense claim is",
    examples: &["where is my taxi claim", "has my lunch been paid yet"],
    not_for: &["filing a new claim"],
    prerequisites: &["the claim was filed"],
    postconditions: &["nothing has changed"],
    side_effects: &[],
    requires_approval: false,
    verbs: Verb::READ_ONLY,
};

pub struct Track {
    office: Arc<Office>,
    nodes: Nodes,
}

impl Track {
    /// # Errors
    /// When the nodes are not well-formed.
    pub fn new(office: Arc<Office>) -> Result<Self, NodeError> {
        Ok(Self { office, nodes: Nodes::new(&[], Ends::View)? })
    }
}

struct Whereabouts(String);

#[async_trait]
impl Flow<Clerk> for Track {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    async fn open(&self, ctx: &Clerk, target: Option<&str>, _said: &Map) -> Result<Opened, Failure> {
        let mut found = self.office.find_claims(&ctx.name, target.unwrap_or_default());
        if found.len() > 1 {
            return Ok(Opened::Candidates(found));
        }
        let Some(only) = found.pop() else {
            return Ok(Opened::NotFound { near_misses: self.office.all_claims(&ctx.name) });
        };
        let entity = EntityRef { kind: only.kind, id: only.id, label: only.label };
        Ok(Opened::Entity(Opening {
            entity: Some(entity),
            confidence: Some(only.confidence),
            ..Opening::default()
        }))
    }

    async fn facts(&self, _ctx: &Clerk, record: &Record) -> Result<Box<dyn Facts>, Failure> {
        Ok(Box::new(Whereabouts(record.entity.as_ref().map(|claim| claim.label.clone()).unwrap_or_default())))
    }

    async fn observe(&self, _ctx: &Clerk, record: &Record) -> Result<Option<Map>, Failure> {
        Ok(record.entity.as_ref().map(|claim| object(json!({"id": claim.id, "version": 1}))))
    }

    fn effects(&self) -> Option<&dyn Effects<Clerk>> {
        None
    }
}

impl Facts for Whereabouts {
    fn judge(&self, _node: &str, _inputs: &Map) -> Judgement {
        Judgement::valid()
    }

    fn options(&self, _field: &str, _inputs: &Map) -> Option<Vec<Choice>> {
        None
    }

    fn context(&self, _inputs: &Map) -> Map {
        object(json!({"claim": {"label": self.0, "at": "bookkeeping"}}))
    }

    fn preview(&self, _inputs: &Map) -> Preview {
        let risk = Risk { level: RiskLevel::Low, factors: Vec::new() };
        Preview { summary: object(json!({"claim": self.0})), risk, staff_approval: false }
    }
}

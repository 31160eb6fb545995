//! The flow with effects: from receipts to money on an account.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};

use crate::about::{About, Verb};
use crate::flow::{
    Abandoned, Caller, Done, Effects, Facts, Failure, Flow, Held, Judgement, LookUp, Opened, Opening,
    Preview, Refusal, StepKey, StepOutcome,
};
use crate::node::{Ends, Field, Lapse, Merge, Node, NodeError, Nodes};
use crate::parts::{Choice, Map, Ref, Risk, RiskLevel, Suggestion, ValidationError, Verification};
use crate::reason::Reason;
use crate::record::Record;
use crate::testing::expense::{Clerk, Fault, Office, object};

const ABOUT: About = About {
    name: "claim_expenses",
    aliases: &["reimburse"],
    title: "Claim expenses",
    entity: "Claim",
    trigger: "The person paid something for work and wants the money back",
    examples: &["reimburse my taxi", "I paid for lunch with a client", "get my travel costs back"],
    not_for: &["looking up where a claim is"],
    prerequisites: &["there is at least one receipt"],
    postconditions: &["the claim is filed and paid out"],
    side_effects: &["pays money out"],
    requires_approval: true,
    verbs: Verb::ALL,
};

const NODES: &[Node] = &[
    Node {
        key: "ITEMS",
        fields: &[
            Field::required("items", "items[].amount", "What was paid.", items_schema).merging(Merge::ById)
        ],
    },
    Node {
        key: "ACCOUNT",
        fields: &[Field::required("account_id", "account_id", "Where the money goes.", text_schema)],
    },
    Node {
        key: "TRANSFER",
        fields: &[Field::optional("transfer_id", "transfer_id", "How it travels.", text_schema)
            .depends_on(&["account_id"])
            .lapsing(Lapse::Ask)],
    },
    Node {
        key: "ALLOWANCE",
        fields: &[Field::optional("allowance_id", "allowance_id", "An allowance on top.", text_schema)
            .depends_on(&["items", "account_id"])
            .lapsing(Lapse::Drop)],
    },
    Node {
        key: "REASON",
        fields: &[Field::required("reason", "reason", "Why it was for work.", text_schema)],
    },
    Node { key: "AWAIT_PAPER", fields: &[] },
];

const STEPS: [&str; 3] = ["file", "reserve", "pay"];

fn items_schema() -> Value {
    json!({
        "type": "array",
        "minItems": 1,
        "items": {
            "type": "object",
            "properties": {"id": {"type": "string"}, "amount": {"type": "integer", "minimum": 0}},
            "required": ["id"],
            "additionalProperties": false,
        },
    })
}

fn text_schema() -> Value {
    json!({"type": "string"})
}

pub struct Claim {
    office: Arc<Office>,
    nodes: Nodes,
}

impl Claim {
    /// # Errors
    /// When the nodes are not well-formed.
    pub fn new(office: Arc<Office>) -> Result<Self, NodeError> {
        let ends = Ends::Confirm { node: "CONFIRM_CLAIM", submitted: "CLAIM_SUBMITTED" };
        Ok(Self { office, nodes: Nodes::new(NODES, ends)? })
    }
}

/// What is true when a call begins.
struct Policy {
    limit: i64,
    fee: i64,
    paper_missing: bool,
}

#[async_trait]
impl Flow<Clerk> for Claim {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    async fn open(&self, ctx: &Clerk, target: Option<&str>, _said: &Map) -> Result<Opened, Failure> {
        let Some(words) = target else {
            let inputs = object(json!({"items": [{"id": "taxi", "amount": 100}]}));
            return Ok(Opened::Entity(Opening { inputs, ..Opening::default() }));
        };
        let found = self.office.find_claims(&ctx.name, words);
        Ok(match found.as_slice() {
            [] => Opened::NotFound { near_misses: self.office.all_claims(&ctx.name) },
            [only] => Opened::Entity(Opening {
                inputs: object(json!({"items": [{"id": only.id, "amount": 100}]})),
                confidence: Some(only.confidence),
                ..Opening::default()
            }),
            _ => Opened::Candidates(found),
        })
    }

    async fn facts(&self, _ctx: &Clerk, _record: &Record) -> Result<Box<dyn Facts>, Failure> {
        let (limit, fee) = (self.office.limit(), self.office.fee());
        Ok(Box::new(Policy { limit, fee, paper_missing: self.office.paper_missing() }))
    }

    async fn observe(&self, _ctx: &Clerk, record: &Record) -> Result<Option<Map>, Failure> {
        let paid = self.office.booked(record.step_key("pay").as_str());
        Ok(Some(object(json!({"paid": paid, "version": u8::from(paid.is_some())}))))
    }

    fn effects(&self) -> Option<&dyn Effects<Clerk>> {
        Some(self)
    }
}

impl Facts for Policy {
    fn judge(&self, node: &str, inputs: &Map) -> Judgement {
        let chosen = |field: &str| inputs.get(field).and_then(Value::as_str);
        match node {
            "ITEMS" => match total(inputs) {
                Some(total) if total > self.limit => Judgement::Invalid(vec![self.too_much(total)]),
                Some(_) | None => Judgement::valid(),
            },
            "ACCOUNT" => one_of("account_id", chosen("account_id"), &["office", "home"], Reason::NotFound),
            "TRANSFER" => match chosen("transfer_id") {
                Some(_) => one_of(
                    "transfer_id",
                    chosen("transfer_id"),
                    transfers(inputs),
                    Reason::AddressUndeliverable,
                ),
                None => Judgement::Valid { derived: object(json!({"transfer_id": "slow"})) },
            },
            "ALLOWANCE" if chosen("allowance_id").is_some() => {
                let allowed: &[&str] = if total(inputs).unwrap_or(0) >= 300 { &["meal"] } else { &[] };
                one_of("allowance_id", chosen("allowance_id"), allowed, Reason::CouponInvalid)
            }
            "AWAIT_PAPER" if self.paper_missing => {
                Judgement::Waiting { message: "the paper receipt is still in the post".to_owned() }
            }
            _ => Judgement::valid(),
        }
    }

    fn options(&self, field: &str, inputs: &Map) -> Option<Vec<Choice>> {
        let choices = |values: &[&str]| {
            values.iter().map(|value| Choice { value: json!(value), label: (*value).to_owned() }).collect()
        };
        match field {
            "account_id" => Some(choices(&["office", "home"])),
            "transfer_id" => Some(choices(transfers(inputs))),
            _ => None,
        }
    }

    fn context(&self, inputs: &Map) -> Map {
        object(json!({"items": inputs.get("items"), "accounts": ["office", "home"]}))
    }

    fn preview(&self, inputs: &Map) -> Preview {
        let of = |field: &str| inputs.get(field).cloned().unwrap_or_default();
        let summary = json!({
            "amount": amount(inputs),
            "fee": self.fee,
            "currency": "EUR",
            "account": of("account_id"),
            "transfer": of("transfer_id"),
            "allowance": of("allowance_id"),
        });
        let level = if amount(inputs) > 500 { RiskLevel::High } else { RiskLevel::Low };
        let risk = Risk { level, factors: Vec::new() };
        Preview { summary: object(summary), risk, staff_approval: level == RiskLevel::High }
    }
}

impl Policy {
    fn too_much(&self, total: i64) -> ValidationError {
        let words = format!("{total} is more than the {} that may be claimed at once", self.limit);
        ValidationError::new("items", Reason::OutOfStock, words).suggesting(vec![Suggestion {
            field: "items".to_owned(),
            value: json!(self.limit),
            label: "Claim less".to_owned(),
            confidence: 0.9,
        }])
    }
}

fn total(inputs: &Map) -> Option<i64> {
    let items = inputs.get("items")?.as_array()?;
    Some(items.iter().filter_map(|item| item.get("amount")?.as_i64()).sum())
}

/// What is paid out: the receipts and the allowance.
fn amount(inputs: &Map) -> i64 {
    let meal = if inputs.contains_key("allowance_id") { 30 } else { 0 };
    total(inputs).unwrap_or(0) + meal
}

fn transfers(inputs: &Map) -> &'static [&'static str] {
    match inputs.get("account_id").and_then(Value::as_str) {
        Some("home") => &["slow", "courier"],
        Some(_) => &["slow", "fast"],
        None => &[],
    }
}

fn one_of(field: &str, chosen: Option<&str>, allowed: &[&str], code: Reason) -> Judgement {
    match chosen {
        Some(value) if !allowed.contains(&value) => {
            let error = ValidationError::new(field, code, format!("{value} is not possible here"));
            Judgement::Invalid(vec![error.allowing(allowed.iter().map(|value| json!(value)).collect())])
        }
        Some(_) | None => Judgement::valid(),
    }
}

#[async_trait]
impl Effects<Clerk> for Claim {
    async fn hold(&self, _ctx: &Clerk, record: &Record) -> Result<Held, Failure> {
        self.office.hold(&record.id, amount(&record.inputs));
        Ok(Held::Kept)
    }

    async fn release(&self, _ctx: &Clerk, record: &Record) -> Result<(), Failure> {
        self.office.release(&record.id);
        Ok(())
    }

    fn steps(&self, _record: &Record) -> Vec<&'static str> {
        STEPS.to_vec()
    }

    async fn run(&self, ctx: &Clerk, step: &str, key: &StepKey, record: &Record) -> StepOutcome {
        // A key that was seen before is answered with what it did then.
        if self.office.booked(key.as_str()).is_some() {
            return StepOutcome::Done(self.done(ctx, step, key));
        }
        let amount = amount(&record.inputs);
        match self.office.take_fault(step) {
            Some(Fault::Refuse(reason)) => return StepOutcome::Refused(refusal(reason)),
            Some(Fault::Busy) => return StepOutcome::Busy { after_ms: 250 },
            Some(Fault::LoseRequest) => return StepOutcome::Unknown,
            Some(Fault::LoseAnswer) => {
                self.office.book(key.as_str(), amount);
                return StepOutcome::Unknown;
            }
            Some(Fault::Silent) => return StepOutcome::Done(self.done(ctx, step, key)),
            Some(Fault::Short) => {
                self.office.book(key.as_str(), amount / 2);
                return StepOutcome::Done(self.done(ctx, step, key));
            }
            Some(Fault::Approval) => match self.office.decision() {
                None => {
                    self.office.plan(step, Fault::Approval);
                    return StepOutcome::AwaitApproval { id: "apr_1".to_owned() };
                }
                Some(false) => return StepOutcome::Refused(refusal(Reason::ApprovalRejected)),
                Some(true) => {}
            },
            Some(Fault::Event) if !self.office.has_arrived() => {
                self.office.plan(step, Fault::Event);
                let message = "the paper is in the post".to_owned();
                return StepOutcome::AwaitEvent { node: "AWAIT_POST".to_owned(), message };
            }
            Some(Fault::Event) | None => {}
        }
        if !self.office.book(key.as_str(), amount) {
            return StepOutcome::Refused(refusal(Reason::PreconditionFailed));
        }
        if step == "pay" {
            self.office.release(&record.id);
        }
        StepOutcome::Done(self.done(ctx, step, key))
    }

    async fn look_up(&self, ctx: &Clerk, step: &str, key: &StepKey, record: &Record) -> LookUp {
        if self.office.is_blind() {
            return LookUp::StillUnknown;
        }
        let observed_at = ctx.world().clock.now();
        match self.office.booked(key.as_str()) {
            None => LookUp::NotFound { observed_at, source: "bank".to_owned() },
            Some(booked) if booked != amount(&record.inputs) => LookUp::Differs {
                verification: self.verification(ctx, "partly_paid", booked),
                message: format!("the bank paid {booked}, not {}", amount(&record.inputs)),
            },
            Some(_) => LookUp::Found(self.done(ctx, step, key)),
        }
    }

    async fn abandon(&self, _ctx: &Clerk, record: &Record) -> Abandoned {
        if self.office.is_blind() {
            return Abandoned::Unknown;
        }
        let undone = STEPS.iter().filter(|step| self.office.fence(record.step_key(step).as_str()));
        Abandoned::Clean { refs: undone.map(|step| reference("Reversal", step)).collect() }
    }
}

impl Claim {
    fn done(&self, ctx: &Clerk, step: &str, key: &StepKey) -> Done {
        let booked = self.office.booked(key.as_str()).unwrap_or(0);
        let is_pay = step == "pay";
        Done {
            refs: vec![reference(if is_pay { "Payment" } else { "Claim" }, key.as_str())],
            external_id: is_pay.then(|| format!("bank:{}", key.as_str())),
            verification: is_pay.then(|| self.verification(ctx, "paid", booked)),
            value: Value::Null,
        }
    }

    fn verification(&self, ctx: &Clerk, status: &str, amount: i64) -> Verification {
        Verification {
            status: status.to_owned(),
            amount: Some(amount),
            currency: Some("EUR".to_owned()),
            observed_at: ctx.world().clock.now(),
            source: "bank".to_owned(),
        }
    }
}

fn reference(kind: &str, id: &str) -> Ref {
    Ref { kind: kind.to_owned(), id: id.to_owned() }
}

fn refusal(reason: Reason) -> Refusal {
    Refusal::new(reason, "the bank said no").suggesting(vec![Suggestion {
        field: "account_id".to_owned(),
        value: json!("home"),
        label: "Pay to the home account".to_owned(),
        confidence: 0.7,
    }])
}

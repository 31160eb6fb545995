//! Where a second person signs an operation off, or does not.

use actix_web::http::StatusCode;
use actix_web::web::{Form, Path};
use askama::Template;
use serde::Deserialize;
use serde_json::Value;
use shop_domain::ids::ApprovalId;
use shop_domain::operations::operation;
use shop_domain::status::ApprovalStatus;
use shop_service::approvals::{self, Decide, Filter, View};
use shop_service::{Call, CallerKey, Ctx, PageQuery};

use crate::facts::{Fact, facts, money, time};
use crate::page::{Frame, Refused, Result, go, human, show as render};
use crate::visit::Visit;

/// Entries of a list.
const LIST_MAX: i64 = 100;

#[derive(Deserialize)]
pub(crate) struct ApprovalPath {
    id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pressed {
    /// The version the page showed: what changed since is not signed off.
    version: i64,
    decision: Decision,
    #[serde(default)]
    note: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Decision {
    Approve,
    Reject,
}

#[derive(Template)]
#[template(path = "approvals.html")]
struct ListPage {
    frame: Frame,
    waiting: Vec<Line>,
    decided: Vec<Line>,
}

struct Line {
    href: String,
    title: String,
    amount: Option<String>,
    requester: String,
    status: String,
    at: String,
}

#[derive(Template)]
#[template(path = "approval.html")]
struct ApprovalPage {
    frame: Frame,
    title: String,
    amount: Option<String>,
    facts: Vec<Fact>,
    approval: View,
    status: String,
    is_waiting: bool,
    asked: String,
    expires: String,
}

pub(crate) async fn list(visit: Visit) -> Result {
    let ctx = visit.ctx()?;
    let page = PageQuery { limit: Some(LIST_MAX), cursor: None };
    let found = approvals::list(&ctx, Filter::default(), page).await;
    let found = found.map_err(|error| Refused::service(&visit.frame, &error))?;
    let (waiting, decided): (Vec<View>, Vec<View>) =
        found.items.into_iter().partition(|view| view.status == ApprovalStatus::Waiting);
    let lines = |views: Vec<View>| views.iter().map(|view| line(&visit.frame, view)).collect();
    let page = ListPage { waiting: lines(waiting), decided: lines(decided), frame: visit.frame.clone() };
    Ok(render(StatusCode::OK, &page))
}

pub(crate) async fn show(visit: Visit, path: Path<ApprovalPath>) -> Result {
    let ctx = visit.ctx()?;
    let id = id(&visit, &path)?;
    let approval = approvals::get(&ctx, id).await.map_err(|error| Refused::service(&visit.frame, &error))?;
    let page = ApprovalPage {
        title: human(&approval.operation),
        amount: amount(&approval),
        facts: match &approval.input {
            Value::Object(input) => facts(&input_with_currency(input, approval.currency.as_deref())),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                Vec::new()
            }
        },
        status: human(approval.status.as_str()),
        is_waiting: approval.status == ApprovalStatus::Waiting && approval.expires_at > ctx.now(),
        asked: time(approval.created_at),
        expires: time(approval.expires_at),
        approval,
        frame: visit.frame,
    };
    Ok(render(StatusCode::OK, &page))
}

pub(crate) async fn decide(visit: Visit, path: Path<ApprovalPath>, pressed: Form<Pressed>) -> Result {
    let ctx = visit.ctx()?;
    let id = id(&visit, &path)?;
    let Pressed { version, decision, note } = pressed.into_inner();
    let note = Some(note.trim().to_owned()).filter(|note| !note.is_empty());
    let ctx = ctx.with_call(call(id, version, decision, note.as_deref()));
    let audit: Ctx = ctx.clone();
    let input = Decide { note };
    let decided = match decision {
        Decision::Approve => {
            let write = async move { approvals::approve(&ctx, id, input).await };
            audit.detached(operation("approve_request"), write).await
        }
        Decision::Reject => {
            let write = async move { approvals::reject(&ctx, id, input).await };
            audit.detached(operation("reject_request"), write).await
        }
    };
    decided.map_err(|error| Refused::service(&visit.frame, &error))?;
    Ok(go(&format!("{}/approvals/{id}", visit.frame.base)))
}

/// One press of one button: pressed twice, it is the same call.
fn call(id: ApprovalId, version: i64, decision: Decision, note: Option<&str>) -> Call {
    let key = format!("console/{id}/{version}/{decision:?}");
    let request_hash = format!("{key}/{}", note.unwrap_or_default());
    Call {
        key: Some(CallerKey { key, request_hash, is_system: false }),
        if_match: Some(version),
        ..Call::default()
    }
}

fn id(visit: &Visit, path: &ApprovalPath) -> Result<ApprovalId> {
    path.id.parse().map_err(|_| Refused::not_found(&visit.frame))
}

fn line(frame: &Frame, view: &View) -> Line {
    Line {
        href: format!("{}/approvals/{}", frame.base, view.id),
        title: human(&view.operation),
        amount: amount(view),
        requester: view.requester_name.clone(),
        status: human(view.status.as_str()),
        at: time(view.decided_at.unwrap_or(view.created_at)),
    }
}

fn amount(view: &View) -> Option<String> {
    view.amount_minor.map(|minor| money(minor, view.currency.as_deref()))
}

/// The amounts of a body are in the order's currency.
fn input_with_currency(
    input: &serde_json::Map<String, Value>,
    currency: Option<&str>,
) -> serde_json::Map<String, Value> {
    let mut input = input.clone();
    if let Some(currency) = currency {
        input.entry("currency").or_insert_with(|| currency.into());
    }
    input
}

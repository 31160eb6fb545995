//! The journal of every wire of a world: find, count, wait, export.

use std::time::Duration;

use actix_web::web::{Data, Json, Query};
use actix_web::{HttpResponse, delete, get};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shop_world::Entry;
use shop_world::journal::{Filter, Near, canonical};
use utoipa::{IntoParams, ToSchema};
use utoipa_actix_web::service_config::ServiceConfig;

use super::answer::{Refused, Result, Which};
use super::{PAGE_MAX, Plane};

/// How long a call may wait.
const WAIT_MS_MAX: u64 = 60_000;
const WAIT_MS: u64 = 10_000;
/// Entries told that nearly fit.
const NEAR_MAX: usize = 3;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(find_entries).service(count_entries).service(wait_for_entries).service(export_entries);
    config.service(clear_entries);
}

/// Which entries; every field that is given must fit.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Find {
    /// `main` when absent.
    world: Option<String>,
    /// Only entries with a greater number.
    #[serde(default)]
    after: u64,
    /// `rest`, `mcp_crud`, `mcp_actions`, `gateway` or `webhook`.
    door: Option<String>,
    /// The operation, tool, gateway call or event.
    operation: Option<String>,
    principal: Option<String>,
    /// Part of the key.
    key: Option<String>,
    /// The action, order or payment it was about.
    about: Option<String>,
    /// Part of the outcome: `lost_answer` finds `200 (lost_answer)`.
    outcome: Option<String>,
    /// Entries of the answer, a thousand at most.
    limit: Option<usize>,
    /// With wait: how many must fit; one when absent.
    at_least: Option<usize>,
    /// With wait: how long, a minute at most; ten seconds when absent.
    timeout_ms: Option<u64>,
}

impl Find {
    fn split(self) -> (Option<String>, Filter) {
        let Self { world, after, door, operation, principal, key, about, outcome, .. } = self;
        (world, Filter { after, door, operation, principal, key, about, outcome })
    }
}

/// What was found.
#[derive(Serialize, ToSchema)]
struct Found {
    #[schema(value_type = Vec<Object>)]
    entries: Vec<Entry>,
    /// When nothing fits: entries that miss by one field, newest first.
    #[schema(value_type = Vec<Object>)]
    near: Vec<Near>,
}

/// Entries that fit, oldest first.
#[utoipa::path(params(Find), responses((status = 200, description = "The entries.", body = Found)))]
#[get("/journal")]
async fn find_entries(plane: Data<Plane>, find: Query<Find>) -> Result<Json<Found>> {
    let find = find.into_inner();
    let limit = find.limit.unwrap_or(PAGE_MAX).min(PAGE_MAX);
    let (world, filter) = find.split();
    let open = plane.world(world.as_deref())?;
    let journal = &open.shop.world.journal;
    let entries = journal.find(&filter, limit);
    let near = if entries.is_empty() { journal.near(&filter, NEAR_MAX) } else { Vec::new() };
    Ok(Json(Found { entries, near }))
}

/// How many entries fit.
#[utoipa::path(params(Find), responses((status = 200, description = "The number.", body = Value)))]
#[get("/journal/count")]
async fn count_entries(plane: Data<Plane>, find: Query<Find>) -> Result<Json<Value>> {
    let (world, filter) = find.into_inner().split();
    let open = plane.world(world.as_deref())?;
    Ok(Json(json!({ "count": open.shop.world.journal.count(&filter) })))
}

/// Wait until so many entries fit, and give them; 408 with what came nearest when the time is over.
#[utoipa::path(params(Find), responses((status = 200, description = "The entries.", body = Found), (status = 408, description = "They did not come in time.", body = Found)))]
#[get("/journal/wait")]
async fn wait_for_entries(plane: Data<Plane>, find: Query<Find>) -> Result<HttpResponse> {
    let find = find.into_inner();
    let (at_least, timeout_ms) = (find.at_least.unwrap_or(1), find.timeout_ms.unwrap_or(WAIT_MS));
    if timeout_ms > WAIT_MS_MAX || at_least > PAGE_MAX {
        return Err(Refused::invalid(format!("timeout_ms is {WAIT_MS_MAX} and at_least {PAGE_MAX} at most")));
    }
    let (world, filter) = find.split();
    let open = plane.world(world.as_deref())?;
    let journal = &open.shop.world.journal;
    let waited =
        tokio::time::timeout(Duration::from_millis(timeout_ms), journal.wait(&filter, at_least)).await;
    let entries = journal.find(&filter, PAGE_MAX);
    Ok(match waited {
        Ok(()) => HttpResponse::Ok().json(Found { entries, near: Vec::new() }),
        Err(_) => {
            HttpResponse::RequestTimeout().json(Found { entries, near: journal.near(&filter, NEAR_MAX) })
        }
    })
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Export {
    /// `main` when absent.
    world: Option<String>,
    /// Each client's lines in its own order, without numbers: equal for equal histories, however clients raced.
    #[serde(default)]
    canonical: bool,
}

/// The whole journal as JSON lines.
#[utoipa::path(params(Export), responses((status = 200, description = "One entry a line.", content_type = "application/jsonl")))]
#[get("/journal/export")]
async fn export_entries(plane: Data<Plane>, export: Query<Export>) -> Result<HttpResponse> {
    let open = plane.world(export.world.as_deref())?;
    let entries = open.shop.world.journal.after(0, usize::MAX);
    let lines: Vec<String> = if export.canonical {
        canonical(entries).iter().map(|entry| json!(entry).to_string()).collect()
    } else {
        entries.iter().map(|entry| json!(entry).to_string()).collect()
    };
    let text = lines.into_iter().map(|line| line + "\n").collect::<String>();
    Ok(HttpResponse::Ok().content_type("application/jsonl").body(text))
}

/// Forget all entries; numbers go on.
#[utoipa::path(params(Which), responses((status = 204, description = "It is empty.")))]
#[delete("/journal")]
async fn clear_entries(plane: Data<Plane>, which: Query<Which>) -> Result<HttpResponse> {
    plane.world(which.world.as_deref())?.shop.world.journal.clear();
    Ok(HttpResponse::NoContent().finish())
}

//! The truth: what really happened at the gateway.

use actix_web::get;
use actix_web::web::{Data, Json, Query};
use anyhow::Context as _;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::IntoParams;
use utoipa_actix_web::service_config::ServiceConfig;

use super::answer::{Refused, Result};
use super::{PAGE_MAX, Plane};

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(gateway_ledger);
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Page {
    /// `main` when absent.
    world: Option<String>,
    /// Only lines with a greater number.
    #[serde(default)]
    after: u64,
}

/// The gateway's books, oldest line first, a thousand at a time.
#[utoipa::path(params(Page), responses((status = 200, description = "Lines of the ledger.", body = Value)))]
#[get("/gateway/ledger")]
async fn gateway_ledger(plane: Data<Plane>, page: Query<Page>) -> Result<Json<Value>> {
    let open = plane.world(page.world.as_deref())?;
    let account = open
        .account
        .ok_or_else(|| Refused::new(404, "not_found", "the gateway of this shop is another server"))?;
    let lines = account.ledger_entries().context("reading the gateway's books")?;
    let lines: Vec<_> = lines.into_iter().filter(|line| line.seq > page.after).take(PAGE_MAX).collect();
    Ok(Json(json!({ "lines": lines })))
}

//! Worlds: list, make, reset, fork, snapshot, restore, compare, delete.

use actix_web::web::{Bytes, Data, Json, Path, Query};
use actix_web::{HttpResponse, delete, get, post};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_actix_web::service_config::ServiceConfig;

use super::answer::{Refused, Result};
use super::{PAGE_MAX, Plane};
use crate::worlds::{Difference, NewWorld, OpenWorld};

const ARCHIVE: &str = "application/x-tar";

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(list_worlds).service(create_world).service(get_world).service(delete_world);
    config.service(reset_world).service(fork_world).service(snapshot_world).service(restore_world);
    config.service(diff_worlds).service(diff_snapshot);
}

/// An open world.
#[derive(Serialize, ToSchema)]
struct View {
    name: String,
    /// What its rows, ids and chance are drawn from.
    seed: u64,
    /// How often it was opened; every boot has ids of its own.
    boot: u64,
    now: DateTime<Utc>,
    is_frozen: bool,
    /// Its rows are in a file, and outlive the process.
    is_file: bool,
    /// Lines in its journal so far.
    journal_lines: u64,
}

impl From<&OpenWorld> for View {
    fn from(open: &OpenWorld) -> Self {
        let world = &open.shop.world;
        Self {
            name: world.name.clone(),
            seed: world.seed,
            boot: world.boot,
            now: world.clock.now(),
            is_frozen: world.clock.is_frozen(),
            is_file: open.origin.is_none(),
            journal_lines: world.journal.last(),
        }
    }
}

#[derive(Serialize, ToSchema)]
struct Worlds {
    worlds: Vec<View>,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Copy {
    /// What the copy is called.
    name: String,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct World {
    /// Its name.
    world: String,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Other {
    /// The world to compare with.
    with: String,
}

/// Rows that differ, the first thousand of them.
#[derive(Serialize, ToSchema)]
struct Differences {
    /// How many there are in all.
    total: usize,
    rows: Vec<Difference>,
}

impl From<Vec<Difference>> for Differences {
    fn from(mut rows: Vec<Difference>) -> Self {
        let total = rows.len();
        rows.truncate(PAGE_MAX);
        Self { total, rows }
    }
}

/// All open worlds, by name.
#[utoipa::path(responses((status = 200, description = "Every one.", body = Worlds)))]
#[get("/worlds")]
async fn list_worlds(plane: Data<Plane>) -> Json<Worlds> {
    let mut worlds: Vec<View> = plane.worlds.all().iter().map(View::from).collect();
    worlds.sort_by(|a, b| a.name.cmp(&b.name));
    Json(Worlds { worlds })
}

/// Make a world in memory, freshly seeded.
#[utoipa::path(request_body = NewWorld, responses((status = 201, description = "The world.", body = View), (status = 409, description = "There is one of that name.", body = Refused)))]
#[post("/worlds")]
async fn create_world(plane: Data<Plane>, new: Json<NewWorld>) -> Result<HttpResponse> {
    let open = plane.worlds.create(new.into_inner()).await?;
    Ok(HttpResponse::Created().json(View::from(&open)))
}

/// One world.
#[utoipa::path(params(World), responses((status = 200, description = "The world.", body = View)))]
#[get("/worlds/{world}")]
async fn get_world(plane: Data<Plane>, path: Path<World>) -> Result<Json<View>> {
    Ok(Json(View::from(&plane.worlds.known(&path.world)?)))
}

/// Forget a world and everything in it.
#[utoipa::path(params(World), responses((status = 204, description = "It is gone.")))]
#[delete("/worlds/{world}")]
async fn delete_world(plane: Data<Plane>, path: Path<World>) -> Result<HttpResponse> {
    plane.worlds.delete(&path.world).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Back to what a world began with: rows, gateway, clock; no faults, an empty journal, new ids.
#[utoipa::path(params(World), responses((status = 200, description = "The world.", body = View)))]
#[post("/worlds/{world}/reset")]
async fn reset_world(plane: Data<Plane>, path: Path<World>) -> Result<Json<View>> {
    Ok(Json(View::from(&plane.worlds.reset(&path.world).await?)))
}

/// Copy a world under another name; the source is left as it is.
#[utoipa::path(params(World), request_body = Copy, responses((status = 201, description = "The copy.", body = View)))]
#[post("/worlds/{world}/fork")]
async fn fork_world(plane: Data<Plane>, path: Path<World>, copy: Json<Copy>) -> Result<HttpResponse> {
    let open = plane.worlds.fork(&path.world, &copy.name).await?;
    Ok(HttpResponse::Created().json(View::from(&open)))
}

/// Rows, gateway and clock as one portable file, a tar archive.
#[utoipa::path(params(World), responses((status = 200, description = "The file.", content_type = "application/x-tar")))]
#[get("/worlds/{world}/snapshot")]
async fn snapshot_world(plane: Data<Plane>, path: Path<World>) -> Result<HttpResponse> {
    Ok(HttpResponse::Ok().content_type(ARCHIVE).body(plane.worlds.snapshot(&path.world).await?))
}

/// Take a snapshot back: rows, gateway and clock together or not at all. A free name becomes a new world.
#[utoipa::path(params(World), request_body(content_type = "application/x-tar"), responses((status = 200, description = "The world.", body = View)))]
#[post("/worlds/{world}/restore")]
async fn restore_world(plane: Data<Plane>, path: Path<World>, file: Bytes) -> Result<Json<View>> {
    Ok(Json(View::from(&plane.worlds.restore(&path.world, &file).await?)))
}

/// Rows that differ from another world's.
#[utoipa::path(params(World, Other), responses((status = 200, description = "What differs.", body = Differences)))]
#[get("/worlds/{world}/diff")]
async fn diff_worlds(
    plane: Data<Plane>,
    path: Path<World>,
    other: Query<Other>,
) -> Result<Json<Differences>> {
    Ok(Json(plane.worlds.diff(&path.world, &other.with).await?.into()))
}

/// Rows that differ from a snapshot's.
#[utoipa::path(params(World), request_body(content_type = "application/x-tar"), responses((status = 200, description = "What differs.", body = Differences)))]
#[post("/worlds/{world}/diff")]
async fn diff_snapshot(plane: Data<Plane>, path: Path<World>, file: Bytes) -> Result<Json<Differences>> {
    Ok(Json(plane.worlds.diff_snapshot(&path.world, &file).await?.into()))
}

//! Whether the shop and its gateway's books agree.

use actix_web::get;
use actix_web::web::{Data, Json, Query};
use serde_json::{Value, json};
use utoipa_actix_web::service_config::ServiceConfig;

use super::Plane;
use super::answer::{Refused, Result, Which};
use crate::tools::check_world;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(check);
}

/// Every invariant of a world that does not hold at this moment.
#[utoipa::path(params(Which), responses((status = 200, description = "What does not hold.", body = Value)))]
#[get("/check")]
async fn check(plane: Data<Plane>, which: Query<Which>) -> Result<Json<Value>> {
    let open = plane.world(which.world.as_deref())?;
    let account = open.account.ok_or_else(|| {
        Refused::new(
            404,
            "not_found",
            "the gateway is another server; run `twinshop check` beside both files",
        )
    })?;
    let findings = check_world(&open.shop, &account).await?;
    Ok(Json(json!({ "holds": findings.is_empty(), "findings": findings })))
}

//! A world's fault script.

use actix_web::web::{Data, Json, Query};
use actix_web::{HttpResponse, delete, get, put};
use serde_json::{Value, json};
use shop_world::FaultRule;
use utoipa_actix_web::service_config::ServiceConfig;

use super::Plane;
use super::answer::{Refused, Result, Which};

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(list_faults).service(put_faults).service(clear_faults);
}

/// The script, with how often each rule has hit.
#[utoipa::path(params(Which), responses((status = 200, description = "Rules in order.", body = Value)))]
#[get("/faults")]
async fn list_faults(plane: Data<Plane>, which: Query<Which>) -> Result<Json<Value>> {
    let rules = plane.world(which.world.as_deref())?.shop.world.faults.list();
    let rules: Vec<_> = rules.into_iter().map(|(rule, hits)| json!({ "rule": rule, "hits": hits })).collect();
    Ok(Json(json!({ "rules": rules })))
}

/// Replace the script; a rule that cannot be is named by its place, and nothing is changed.
#[utoipa::path(params(Which), request_body = Vec<Value>, responses((status = 204, description = "It is in force.")))]
#[put("/faults")]
async fn put_faults(
    plane: Data<Plane>,
    which: Query<Which>,
    rules: Json<Vec<FaultRule>>,
) -> Result<HttpResponse> {
    for (at, rule) in rules.iter().enumerate() {
        shop_gateway_sim::faults::check(rule)
            .map_err(|why| Refused::invalid(format!("rule {at}: {why}")).at(format!("/{at}")))?;
    }
    plane.world(which.world.as_deref())?.shop.world.faults.put(rules.into_inner());
    Ok(HttpResponse::NoContent().finish())
}

/// No faults any more.
#[utoipa::path(params(Which), responses((status = 204, description = "There are none.")))]
#[delete("/faults")]
async fn clear_faults(plane: Data<Plane>, which: Query<Which>) -> Result<HttpResponse> {
    plane.world(which.world.as_deref())?.shop.world.faults.put(Vec::new());
    Ok(HttpResponse::NoContent().finish())
}

//! A world's clock, and what is due by it.

use actix_web::web::{Data, Json, Query};
use actix_web::{get, post, put};
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shop_world::Clock;
use utoipa::ToSchema;
use utoipa_actix_web::service_config::ServiceConfig;

use super::Plane;
use super::answer::{Refused, Result, Which};

/// A jump of a century is a mistake, and times beyond what rows can hold are a crash.
const ADVANCE_DAYS_MAX: i64 = 36_500;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(get_clock).service(set_clock).service(drain);
}

/// What time it is.
#[derive(Serialize, ToSchema)]
struct View {
    now: DateTime<Utc>,
    is_frozen: bool,
}

impl From<&Clock> for View {
    fn from(clock: &Clock) -> Self {
        Self { now: clock.now(), is_frozen: clock.is_frozen() }
    }
}

/// What to do with a clock; several are done in the order of the fields.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct SetClock {
    /// `true` stops time where it is, `false` lets it run on from there.
    freeze: Option<bool>,
    set: Option<DateTime<Utc>>,
    advance_ms: Option<i64>,
}

/// What time it is in a world.
#[utoipa::path(params(Which), responses((status = 200, description = "The clock.", body = View)))]
#[get("/clock")]
async fn get_clock(plane: Data<Plane>, which: Query<Which>) -> Result<Json<View>> {
    let open = plane.world(which.world.as_deref())?;
    Ok(Json(View::from(&open.shop.world.clock)))
}

/// Freeze, release, set or advance a clock; in a frozen world what has fallen due is done before the answer.
#[utoipa::path(params(Which), request_body = SetClock, responses((status = 200, description = "The clock.", body = View)))]
#[put("/clock")]
async fn set_clock(plane: Data<Plane>, which: Query<Which>, body: Json<SetClock>) -> Result<Json<View>> {
    let open = plane.world(which.world.as_deref())?;
    let clock = &open.shop.world.clock;
    let by = body.advance_ms.map(TimeDelta::try_milliseconds);
    let is_far = |by: &TimeDelta| by.num_days().abs() > ADVANCE_DAYS_MAX;
    let by = match by {
        Some(by) => Some(by.filter(|by| !is_far(by)).ok_or_else(|| {
            Refused::invalid(format!("advance_ms goes further than {ADVANCE_DAYS_MAX} days"))
        })?),
        None => None,
    };
    match body.freeze {
        Some(true) => clock.freeze(),
        Some(false) => clock.run(),
        None => {}
    }
    if let Some(to) = body.set {
        clock.set(to);
    }
    if let Some(by) = by {
        clock.advance(by);
    }
    if clock.is_frozen() {
        plane.jobs.drain(&open).await?;
    } else {
        open.shop.wake.notify_one();
    }
    Ok(Json(View::from(clock)))
}

/// Do everything that is due in a world, until nothing is.
#[utoipa::path(params(Which), responses((status = 200, description = "How many jobs ran.", body = Value)))]
#[post("/drain")]
async fn drain(plane: Data<Plane>, which: Query<Which>) -> Result<Json<Value>> {
    let open = plane.world(which.world.as_deref())?;
    Ok(Json(json!({ "jobs": plane.jobs.drain(&open).await? })))
}

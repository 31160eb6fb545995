//! The admin plane: its own port, a secret on every call. Faults, the gateway's books, the journal and the clock.

use std::sync::Arc;

use actix_web::body::MessageBody;
use actix_web::dev::{ServerHandle, ServiceRequest, ServiceResponse};
use actix_web::http::header::AUTHORIZATION;
use actix_web::middleware::{Next, from_fn};
use actix_web::web::{Data, Json, Query, ServiceConfig};
use actix_web::{App, HttpResponse, HttpServer, Responder, web};
use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;
use serde_json::json;
use shop_world::FaultRule;

use crate::run::{listen, spawn, url};
use crate::scheduler::Jobs;
use crate::settings::Settings;
use crate::tools::check_world;
use crate::worlds::{MAIN, OpenWorld, Worlds};

/// Entries of a journal or ledger page.
const PAGE_MAX: usize = 1_000;

struct Plane {
    worlds: Arc<Worlds>,
    jobs: Arc<Jobs>,
    secret: String,
}

/// Starts the plane.
pub(crate) fn serve(
    settings: &Settings,
    worlds: &Arc<Worlds>,
    jobs: &Arc<Jobs>,
    secret: &str,
) -> anyhow::Result<(String, ServerHandle)> {
    let listener = listen(settings, settings.ports.admin, "admin")?;
    let url = url(&listener)?;
    let plane =
        Data::new(Plane { worlds: Arc::clone(worlds), jobs: Arc::clone(jobs), secret: secret.to_owned() });
    let server = HttpServer::new(move || App::new().app_data(plane.clone()).configure(routes));
    Ok((url, spawn(server.workers(1).tcp_nodelay(true).disable_signals().listen(listener)?.run())?))
}

fn routes(config: &mut ServiceConfig) {
    config.route("/health", web::get().to(|| async { HttpResponse::Ok().json(json!({ "status": "ok" })) }));
    let closed = web::scope("")
        .wrap(from_fn(must_know_the_secret))
        .route("/faults", web::get().to(list_faults))
        .route("/faults", web::put().to(put_faults))
        .route("/faults", web::delete().to(clear_faults))
        .route("/gateway/ledger", web::get().to(gateway_ledger))
        .route("/journal", web::get().to(journal))
        .route("/clock", web::get().to(clock))
        .route("/clock", web::put().to(set_clock))
        .route("/check", web::get().to(check))
        .route("/drain", web::post().to(drain));
    config.service(closed);
}

async fn must_know_the_secret(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let plane = request.app_data::<Data<Plane>>();
    let sent = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let knows = plane.is_some_and(|plane| sent == Some(format!("Bearer {}", plane.secret).as_str()));
    if knows {
        return Ok(next.call(request).await?.map_into_left_body());
    }
    let problem = json!({ "code": "authentication_required", "detail": "send `Authorization: Bearer` with admin_secret of the ready line" });
    Ok(request.into_response(HttpResponse::Unauthorized().json(problem)).map_into_right_body())
}

#[derive(Deserialize)]
struct Which {
    world: Option<String>,
    #[serde(default)]
    after: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SetClock {
    /// Stop time where it is.
    #[serde(default)]
    freeze: bool,
    set: Option<DateTime<Utc>>,
    advance_ms: Option<i64>,
}

fn world(plane: &Plane, which: &Which) -> Result<OpenWorld, HttpResponse> {
    let name = which.world.as_deref().unwrap_or(MAIN);
    plane.worlds.get(name).ok_or_else(|| {
        HttpResponse::NotFound()
            .json(json!({ "code": "not_found", "detail": format!("there is no world {name}") }))
    })
}

fn failed(cause: impl std::fmt::Display) -> HttpResponse {
    HttpResponse::InternalServerError().json(json!({ "code": "internal", "detail": cause.to_string() }))
}

async fn list_faults(plane: Data<Plane>, which: Query<Which>) -> impl Responder {
    match world(&plane, &which) {
        Ok(open) => {
            let rules = open.shop.world.faults.list();
            let rules: Vec<_> =
                rules.into_iter().map(|(rule, hits)| json!({ "rule": rule, "hits": hits })).collect();
            HttpResponse::Ok().json(json!({ "rules": rules }))
        }
        Err(refusal) => refusal,
    }
}

async fn put_faults(plane: Data<Plane>, which: Query<Which>, rules: Json<Vec<FaultRule>>) -> impl Responder {
    let rules = rules.into_inner();
    for (at, rule) in rules.iter().enumerate() {
        if let Err(why) = shop_gateway_sim::faults::check(rule) {
            let problem = json!({ "code": "validation_failed", "detail": format!("rule {at}: {why}"), "fields": [{ "pointer": format!("/{at}"), "message": why.to_string() }] });
            return HttpResponse::BadRequest().json(problem);
        }
    }
    match world(&plane, &which) {
        Ok(open) => {
            open.shop.world.faults.put(rules);
            HttpResponse::NoContent().finish()
        }
        Err(refusal) => refusal,
    }
}

async fn clear_faults(plane: Data<Plane>, which: Query<Which>) -> impl Responder {
    match world(&plane, &which) {
        Ok(open) => {
            open.shop.world.faults.put(Vec::new());
            HttpResponse::NoContent().finish()
        }
        Err(refusal) => refusal,
    }
}

/// The truth: what really happened at the gateway.
async fn gateway_ledger(plane: Data<Plane>, which: Query<Which>) -> impl Responder {
    let open = match world(&plane, &which) {
        Ok(open) => open,
        Err(refusal) => return refusal,
    };
    let Some(account) = open.account else {
        return HttpResponse::NotFound()
            .json(json!({ "code": "not_found", "detail": "the gateway of this shop is another server" }));
    };
    match account.ledger_entries() {
        Ok(lines) => {
            let page: Vec<_> =
                lines.into_iter().filter(|line| line.seq > which.after).take(PAGE_MAX).collect();
            HttpResponse::Ok().json(json!({ "lines": page }))
        }
        Err(cause) => failed(cause),
    }
}

async fn journal(plane: Data<Plane>, which: Query<Which>) -> impl Responder {
    match world(&plane, &which) {
        Ok(open) => HttpResponse::Ok()
            .json(json!({ "entries": open.shop.world.journal.after(which.after, PAGE_MAX) })),
        Err(refusal) => refusal,
    }
}

async fn clock(plane: Data<Plane>, which: Query<Which>) -> impl Responder {
    match world(&plane, &which) {
        Ok(open) => {
            let clock = &open.shop.world.clock;
            HttpResponse::Ok().json(json!({ "now": clock.now(), "is_frozen": clock.is_frozen() }))
        }
        Err(refusal) => refusal,
    }
}

async fn set_clock(plane: Data<Plane>, which: Query<Which>, body: Json<SetClock>) -> impl Responder {
    let open = match world(&plane, &which) {
        Ok(open) => open,
        Err(refusal) => return refusal,
    };
    let clock = &open.shop.world.clock;
    if body.freeze {
        clock.freeze();
    }
    if let Some(to) = body.set {
        clock.set(to);
    }
    if let Some(ms) = body.advance_ms {
        clock.advance(TimeDelta::milliseconds(ms));
    }
    if clock.is_frozen()
        && let Err(cause) = plane.jobs.drain(&open).await
    {
        return failed(cause);
    }
    HttpResponse::Ok().json(json!({ "now": clock.now(), "is_frozen": clock.is_frozen() }))
}

/// Every invariant of the shop and of its gateway's books that does not hold at this moment.
async fn check(plane: Data<Plane>, which: Query<Which>) -> impl Responder {
    let open = match world(&plane, &which) {
        Ok(open) => open,
        Err(refusal) => return refusal,
    };
    let Some(account) = &open.account else {
        return failed("the gateway is elsewhere; run `twinshop check` beside both files");
    };
    match check_world(&open.shop, account).await {
        Ok(findings) => {
            HttpResponse::Ok().json(json!({ "holds": findings.is_empty(), "findings": findings }))
        }
        Err(cause) => failed(cause),
    }
}

async fn drain(plane: Data<Plane>, which: Query<Which>) -> impl Responder {
    match world(&plane, &which) {
        Ok(open) => match plane.jobs.drain(&open).await {
            Ok(ran) => HttpResponse::Ok().json(json!({ "jobs": ran })),
            Err(cause) => failed(cause),
        },
        Err(refusal) => refusal,
    }
}

//! The admin plane: its own port, a secret on every call. One file a noun; `docs/admin.md` is the list.

mod about;
mod answer;
mod check;
mod clock;
mod faults;
mod gateway;
mod journal;
mod metrics;
mod worlds;

use std::sync::Arc;

use actix_web::body::MessageBody;
use actix_web::dev::{ServerHandle, ServiceRequest, ServiceResponse};
use actix_web::http::header::AUTHORIZATION;
use actix_web::middleware::{Next, from_fn};
use actix_web::web::{self, Data};
use actix_web::{App, HttpServer, ResponseError as _};
use utoipa_actix_web::service_config::ServiceConfig;

use crate::run::{listen, spawn, url};
use crate::scheduler::Jobs;
use crate::settings::Settings;
use crate::worlds::Worlds;
use answer::Refused;

/// The largest snapshot taken back.
const BODY_BYTES_MAX: usize = 256 * 1024 * 1024;
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
    let server = HttpServer::new(move || {
        App::new()
            .app_data(plane.clone())
            .app_data(web::PayloadConfig::new(BODY_BYTES_MAX))
            .app_data(answer::json_config())
            .app_data(answer::query_config())
            .configure(|app| about::open(&mut ServiceConfig::new(app)))
            .service(
                web::scope("")
                    .wrap(from_fn(must_know_the_secret))
                    .configure(|app| closed(&mut ServiceConfig::new(app)))
                    .default_service(web::to(answer::no_such_route)),
            )
    });
    Ok((url, spawn(server.workers(1).tcp_nodelay(true).disable_signals().listen(listener)?.run())?))
}

/// Everything that needs the secret.
fn closed(config: &mut ServiceConfig) {
    for routes in [
        worlds::routes,
        clock::routes,
        faults::routes,
        journal::routes,
        gateway::routes,
        check::routes,
        metrics::routes,
    ] {
        routes(config);
    }
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
    let refused = Refused::new(
        401,
        "authentication_required",
        "send `Authorization: Bearer` with admin_secret of the ready line",
    );
    Ok(request.into_response(refused.error_response()).map_into_right_body())
}

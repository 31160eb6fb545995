//! The REST door: one handler an operation, and the OpenAPI document they are described by.
//!
//! A handler extracts, calls one service function and renders; it decides nothing and names no table. Registering
//! a handler documents it, and the document is where the 200 MCP tools come from.
//!
//! Start at `routes/addresses.rs`, then [`caller`] (who asks) and [`problem`] (how a refusal looks).

pub mod answer;
pub mod body;
pub mod caller;
mod explain;
mod hooks;
mod journal;
pub mod openapi;
pub mod problem;
mod routes;
mod unrouted;

use std::sync::Arc;

use actix_web::web;
use async_trait::async_trait;
use shop_service::Shop;

pub use openapi::document;
pub use problem::Problem;
use utoipa_actix_web::service_config::ServiceConfig;

/// Where a request's world comes from; the composition root knows.
#[async_trait]
pub trait Worlds: Send + Sync {
    /// The shop of a world, opened if need be; `None` when there is no such world.
    async fn shop(&self, world: &str) -> Option<Arc<Shop>>;
}

/// Mounts all operations, as they are in the document, at `/v1/…` and at `/w/{world}/v1/…`, and `/explain` beside them.
pub fn configure(config: &mut web::ServiceConfig) {
    config.app_data(body::json_config()).app_data(body::path_config()).app_data(body::query_config());
    config.service(
        web::scope(caller::WORLD_PATTERN)
            .wrap(actix_web::middleware::from_fn(journal::write))
            .wrap(actix_web::middleware::from_fn(body::fingerprint))
            .route(explain::PATH, web::post().to(explain::explain))
            .configure(hooks::routes)
            .configure(|config| routes::all(&mut ServiceConfig::new(config)))
            .default_service(web::to(unrouted::refuse)),
    );
    config.service(
        web::scope("")
            .wrap(actix_web::middleware::from_fn(journal::write))
            .wrap(actix_web::middleware::from_fn(body::fingerprint))
            .route(explain::PATH, web::post().to(explain::explain))
            .configure(hooks::routes)
            .configure(|config| routes::all(&mut ServiceConfig::new(config)))
            .default_service(web::to(unrouted::refuse)),
    );
}

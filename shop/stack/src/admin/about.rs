//! What the plane says of itself.

use actix_web::get;
use actix_web::web::Json;
use serde_json::{Value, json};
use utoipa_actix_web::service_config::ServiceConfig;

/// What anybody may ask.
pub(super) fn open(config: &mut ServiceConfig) {
    config.service(health).service(version).service(openapi);
}

/// Whether the server is up.
#[utoipa::path(responses((status = 200, description = "It is.", body = Value)))]
#[get("/health")]
async fn health() -> Json<Value> {
    Json(json!({ "status": "ok" }))
}

/// Which Twinshop this is.
#[utoipa::path(responses((status = 200, description = "Name and version.", body = Value)))]
#[get("/version")]
async fn version() -> Json<Value> {
    Json(json!({ "name": "twinshop", "version": env!("CARGO_PKG_VERSION") }))
}

/// This document.
#[utoipa::path(responses((status = 200, description = "OpenAPI 3.1.", body = Value)))]
#[get("/openapi.json")]
async fn openapi() -> Json<Value> {
    Json(document())
}

fn document() -> Value {
    let (app, mut api) = utoipa_actix_web::AppExt::into_utoipa_app(actix_web::App::new())
        .configure(|config| {
            open(config);
            super::closed(config);
        })
        .split_for_parts();
    drop(app);
    api.info.title = "Twinshop admin plane".into();
    api.info.version = env!("CARGO_PKG_VERSION").into();
    let mut document = serde_json::to_value(&api).unwrap_or_default();
    document["components"]["securitySchemes"]["bearer"] = json!({ "type": "http", "scheme": "bearer" });
    document["security"] = json!([{ "bearer": [] }]);
    for path in ["/health", "/version", "/openapi.json"] {
        document["paths"][path]["get"]["security"] = json!([]);
    }
    document
}

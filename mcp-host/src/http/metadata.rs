//! The protected-resource metadata of RFC 9728: where a client without a token learns how to get one.

use std::sync::Arc;

use actix_web::dev::ServiceRequest;
use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::json;

use super::gate::Gate;

const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The address of the document that belongs to the request's own path.
pub(super) fn url(request: &ServiceRequest) -> String {
    let connection = request.connection_info();
    let path = request.path().trim_end_matches('/');
    // Quotes and backslashes would end the header parameter this goes into.
    format!("{}://{}{WELL_KNOWN}{path}", connection.scheme(), connection.host()).replace(['"', '\\'], "")
}

pub(super) fn configure(app: &mut web::ServiceConfig, gate: &Arc<Gate>) {
    for path in ["/mcp", "/w/{world}/mcp"] {
        let servers = gate.settings.authorization_servers.clone();
        let document = move |request: HttpRequest| {
            let servers = servers.clone();
            async move { document(&request, &servers) }
        };
        app.route(&format!("{WELL_KNOWN}{path}"), web::get().to(document));
    }
}

fn document(request: &HttpRequest, authorization_servers: &[String]) -> HttpResponse {
    let connection = request.connection_info();
    let path = request.path().strip_prefix(WELL_KNOWN).unwrap_or_default();
    HttpResponse::Ok().json(json!({
        "resource": format!("{}://{}{path}", connection.scheme(), connection.host()),
        "authorization_servers": authorization_servers,
        "bearer_methods_supported": ["header"],
    }))
}

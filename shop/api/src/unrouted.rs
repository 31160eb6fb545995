//! Requests that no route takes: the refusal says which methods the path has, or which paths are near it.

use actix_web::http::StatusCode;
use actix_web::http::header::ALLOW;
use actix_web::{HttpRequest, HttpResponse, ResponseError};
use shop_domain::code::ErrorCode;
use shop_domain::operations::{OPERATIONS, Operation};
use shop_service::Error;

use crate::problem::Problem;

/// Operations named in a refusal at most.
const NEAR_MAX: usize = 3;
/// What every path begins with.
const BASE: &str = "/v1/";

pub(crate) async fn refuse(request: HttpRequest) -> HttpResponse {
    let (method, path) = (request.method().as_str(), below_world(&request));
    let here: Vec<&Operation> = OPERATIONS.iter().filter(|known| is_at(known.path, path)).collect();
    if here.is_empty() || here.iter().any(|known| known.method.as_str() == method) {
        let detail = format!("there is no {method} {path}; {}", advice(path));
        return Problem::from(Error::new(ErrorCode::NotFound, detail).with_rule("no_such_route"))
            .error_response();
    }
    let methods: Vec<&str> = here.iter().map(|known| known.method.as_str()).collect();
    let names: Vec<String> =
        here.iter().map(|known| format!("{} is {}", known.method.as_str(), known.id)).collect();
    let detail = format!("{path} does not take {method}; {}", names.join(", "));
    let refused = Error::new(ErrorCode::NotFound, detail).with_rule("method_not_allowed");
    let status = StatusCode::METHOD_NOT_ALLOWED.as_u16();
    let mut response = Problem { status, ..Problem::from(refused) }.error_response();
    if let Ok(allowed) = methods.join(", ").parse() {
        response.headers_mut().insert(ALLOW, allowed);
    }
    response
}

/// The path as the table of operations has it.
fn below_world(request: &HttpRequest) -> &str {
    let path = request.path();
    match request.match_info().get("world") {
        Some(world) => path.strip_prefix("/w/").and_then(|rest| rest.strip_prefix(world)).unwrap_or(path),
        None => path,
    }
}

fn is_at(template: &str, path: &str) -> bool {
    let (mut wanted, mut given) = (template.split('/'), path.split('/'));
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return true,
            (Some(part), Some(text)) if part == text || (part.starts_with('{') && !text.is_empty()) => {}
            (Some(_) | None, Some(_) | None) => return false,
        }
    }
}

/// Where to look instead.
fn advice(path: &str) -> String {
    let mut near: Vec<(usize, &Operation)> = OPERATIONS
        .iter()
        .map(|known| (path.bytes().zip(known.path.bytes()).take_while(|(a, b)| a == b).count(), known))
        .filter(|(alike, _)| *alike > BASE.len() + 1)
        .collect();
    near.sort_by_key(|(alike, known)| (std::cmp::Reverse(*alike), known.path.len(), known.id));
    let near: Vec<String> = near
        .into_iter()
        .take(NEAR_MAX)
        .map(|(_, known)| format!("{} {} ({})", known.method.as_str(), known.path, known.id))
        .collect();
    if near.is_empty() {
        return format!("paths begin with {BASE}, and /openapi.json lists them all");
    }
    format!("near it are {}; /openapi.json lists them all", near.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_at_its_template_and_no_other() {
        assert!(is_at("/v1/orders/{order_id}", "/v1/orders/x"));
        for other in ["/v1/orders/", "/v1/orders", "/v1/orders/x/y", "/v1/order/x", ""] {
            assert!(!is_at("/v1/orders/{order_id}", other), "{other}");
        }
    }

    #[test]
    fn what_is_near_is_named() {
        assert!(
            advice("/v1/order").starts_with("near it are GET /v1/orders (list_orders)"),
            "{}",
            advice("/v1/order")
        );
        assert!(advice("/admin").contains("/openapi.json"));
    }
}

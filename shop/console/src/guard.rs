//! What every answer of the console carries, and the one thing no request may do: press a button from elsewhere.

use actix_web::HttpResponse;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use actix_web::middleware::Next;

/// The browser's word on where a request was made.
const SEC_FETCH_SITE: &str = "sec-fetch-site";

/// The address of a consent's page is a secret, so it goes nowhere: no foreign content, no frame, no cache.
const HEADERS: &[(HeaderName, &str)] = &[
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    ),
    (X_FRAME_OPTIONS, "DENY"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "same-origin"),
];

pub(crate) async fn guard(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let mut response = if is_foreign_press(&request) {
        let refused =
            HttpResponse::Forbidden().body("A button of the console is pressed on the console itself.");
        request.into_response(refused).map_into_right_body()
    } else {
        next.call(request).await?.map_into_left_body()
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name.clone(), HeaderValue::from_static(value));
    }
    if !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    Ok(response)
}

/// A post that a page of another origin made; also one of another port on this machine.
fn is_foreign_press(request: &ServiceRequest) -> bool {
    let from = request.headers().get(SEC_FETCH_SITE).map(HeaderValue::as_bytes);
    *request.method() != Method::GET && from.is_some_and(|from| from != b"same-origin" && from != b"none")
}

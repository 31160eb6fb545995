//! Bounded bodies, their fingerprint, and clear refusals of what cannot be read.

use actix_web::body::MessageBody;
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;
use actix_web::web::{Bytes, JsonConfig, PathConfig, QueryConfig};
use actix_web::{Error as ActixError, HttpMessage, web};
use sha2::{Digest, Sha256};
use shop_domain::code::ErrorCode;
use shop_domain::limits;
use shop_service::Error;

use crate::problem::Problem;

/// What a request said: of method, path, query and body, as they came.
#[derive(Clone, Debug)]
pub struct Fingerprint(pub String);

/// Reads the bounded body once, leaves its fingerprint for the idempotency key, and puts it back.
///
/// # Errors
/// When the body is too large or does not arrive.
pub async fn fingerprint(
    mut request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, ActixError> {
    let body = bounded(request.extract::<web::Payload>().await?).await?;
    let mut hash = Sha256::new();
    hash.update(request.method().as_str());
    hash.update([0]);
    hash.update(request.path());
    hash.update([0]);
    hash.update(request.query_string());
    hash.update([0]);
    hash.update(canonical(&body));
    request.extensions_mut().insert(Fingerprint(hex::encode(hash.finalize())));
    request.set_payload(Payload::from(body));
    next.call(request).await
}

/// Equal JSON is equal whatever its spaces and key order; absent and null stay different.
fn canonical(body: &[u8]) -> Vec<u8> {
    let Ok(mut value) = serde_json::from_slice::<serde_json::Value>(body) else { return body.to_vec() };
    value.sort_all_objects();
    serde_json::to_vec(&value).unwrap_or_else(|_| body.to_vec())
}

async fn bounded(payload: web::Payload) -> Result<Bytes, Problem> {
    match payload.to_bytes_limited(limits::BODY_BYTES_MAX).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(cause)) => Err(Error::invalid("", format!("the body did not arrive whole: {cause}")).into()),
        Err(_) => {
            let max = limits::BODY_BYTES_MAX;
            let error = Error::invalid("", format!("the body is larger than {max} bytes; send less"));
            Err(Problem { status: 413, ..Problem::from(error.with_rule("body_too_large")) })
        }
    }
}

/// A body that is not what the operation takes, by field where serde names one.
#[must_use]
pub fn json_config() -> JsonConfig {
    JsonConfig::default().limit(limits::BODY_BYTES_MAX).error_handler(|cause, _| {
        let text = cause.to_string();
        if let Some(field) = unknown_field(&text) {
            let mut error = Error::new(ErrorCode::FieldNotAllowed, text.clone());
            error.fields.push(shop_service::FieldProblem { pointer: format!("/{field}"), message: text });
            return Problem::from(error).into();
        }
        Problem::from(Error::invalid("", format!("the body is not what this operation takes: {text}"))).into()
    })
}

fn unknown_field(text: &str) -> Option<&str> {
    text.split_once("unknown field `")?.1.split_once('`').map(|(field, _)| field)
}

/// A path whose id is no id.
#[must_use]
pub fn path_config() -> PathConfig {
    PathConfig::default().error_handler(|cause, request| {
        let name = request.match_pattern().unwrap_or_default();
        Problem::from(Error::invalid("", format!("the path {name} was not understood: {cause}"))).into()
    })
}

/// A query that has unknown or wrong parameters.
#[must_use]
pub fn query_config() -> QueryConfig {
    QueryConfig::default().error_handler(|cause, _| {
        Problem::from(Error::invalid("", format!("the query was not understood: {cause}"))).into()
    })
}

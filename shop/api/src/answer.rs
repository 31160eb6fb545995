//! How a success looks: status, ETag, and whether it is a stored answer.

use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{ETAG, HeaderName, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, Responder};
use serde::Serialize;
use shop_service::Reply;

use crate::problem::Problem;

static REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// What every handler returns.
pub type Result<V> = std::result::Result<Answer<V>, Problem>;

/// A view on its way out.
pub struct Answer<V> {
    status: StatusCode,
    reply: Reply<V>,
}

impl<V> Answer<V> {
    /// 200.
    pub fn ok(reply: Reply<V>) -> Self {
        Self { status: StatusCode::OK, reply }
    }

    /// 201.
    pub fn created(reply: Reply<V>) -> Self {
        Self { status: StatusCode::CREATED, reply }
    }

    /// A read.
    pub fn view(view: V) -> Self {
        Self::ok(Reply::fresh(view))
    }
}

impl<V: Serialize> Responder for Answer<V> {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        let body = match serde_json::to_value(&self.reply.view) {
            Ok(body) => body,
            Err(cause) => {
                let error = shop_service::Error::internal(format!("an answer cannot be written: {cause}"));
                return actix_web::ResponseError::error_response(&Problem::from(error));
            }
        };
        let mut response = HttpResponse::build(self.status);
        // A single entity says its version, which is what If-Match wants.
        if let Some(version) = body.get("version").and_then(serde_json::Value::as_i64) {
            response.insert_header((ETAG, format!("\"{version}\"")));
        }
        if self.reply.is_replay {
            response.insert_header((REPLAYED.clone(), HeaderValue::from_static("true")));
        }
        response.json(body)
    }
}

//! How the plane refuses, and the world a call names.

use std::fmt;

use actix_web::http::StatusCode;
use actix_web::web::{JsonConfig, QueryConfig};
use actix_web::{HttpResponse, ResponseError};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};

use super::Plane;
use crate::worlds::{MAIN, OpenWorld, Refusal};

pub(super) type Result<T> = std::result::Result<T, Refused>;

/// Why a call did not do what was asked.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Refused {
    #[serde(skip)]
    status: u16,
    /// A word of the shop's catalogue of errors.
    code: &'static str,
    /// What happened, and what would be right.
    detail: String,
    /// The bad field of the body, if there is one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Object>)]
    fields: Vec<serde_json::Value>,
}

impl Refused {
    pub(super) fn new(status: u16, code: &'static str, detail: impl Into<String>) -> Self {
        Self { status, code, detail: detail.into(), fields: Vec::new() }
    }

    pub(super) fn at(mut self, pointer: String) -> Self {
        self.fields.push(json!({ "pointer": pointer, "message": self.detail }));
        self
    }

    pub(super) fn invalid(detail: impl Into<String>) -> Self {
        Self::new(400, "validation_failed", detail)
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl ResponseError for Refused {
    fn status_code(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    fn error_response(&self) -> HttpResponse {
        HttpResponse::build(self.status_code()).content_type("application/problem+json").json(self)
    }
}

impl From<Refusal> for Refused {
    fn from(why: Refusal) -> Self {
        let (status, code) = why.status();
        Self::new(status, code, format!("{:#}", anyhow::Error::from(why)))
    }
}

impl From<anyhow::Error> for Refused {
    fn from(cause: anyhow::Error) -> Self {
        tracing::error!(%cause, "an admin call failed");
        Self::new(500, "internal", format!("{cause:#}"))
    }
}

/// Which world a call is about.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct Which {
    /// `main` when absent.
    pub(super) world: Option<String>,
}

impl Plane {
    /// A world that is there; the plane makes none by looking.
    pub(super) fn world(&self, name: Option<&str>) -> Result<OpenWorld> {
        Ok(self.worlds.known(name.unwrap_or(MAIN))?)
    }
}

pub(super) fn json_config() -> JsonConfig {
    JsonConfig::default().error_handler(|cause, _| {
        Refused::invalid(format!("the body is not what this call takes: {cause}")).into()
    })
}

pub(super) fn query_config() -> QueryConfig {
    QueryConfig::default()
        .error_handler(|cause, _| Refused::invalid(format!("the query was not understood: {cause}")).into())
}

pub(super) async fn no_such_route() -> HttpResponse {
    let detail = "there is no such call; /openapi.json lists them all";
    HttpResponse::NotFound().json(json!({ "code": "not_found", "detail": detail }))
}

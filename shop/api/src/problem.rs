//! RFC 9457 problems: how every refusal looks on REST and, untouched, in a CRUD tool.

use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use actix_web::{HttpResponse, ResponseError};
use serde::{Deserialize, Serialize};
use shop_domain::code::ErrorCode;
use shop_domain::ids::ApprovalId;
use shop_service::{Error, FieldProblem};

/// Why a request did not do what was asked (RFC 9457), and what to do now.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Problem {
    /// Where this code is explained.
    #[serde(rename = "type")]
    #[schema(example = "/docs/errors#not_found")]
    pub kind: String,
    /// The code in words.
    pub title: String,
    /// The HTTP status, once more.
    #[schema(example = 404)]
    pub status: u16,
    /// What happened, and what would be right.
    pub detail: String,
    /// The narrowest stable word for it: a rule's or a standard's where there is one, else `reason`.
    #[schema(example = "not_found")]
    pub code: String,
    /// `retryable_failure` or `terminal_failure`.
    #[schema(example = "terminal_failure")]
    pub outcome: String,
    /// The word from the closed catalogue that the Actions door uses too.
    #[schema(example = "not_found")]
    pub reason: String,
    /// What a caller should do: `fix_input`, `never`, `reread`, `wait`, `after_ms` or `check_first`.
    #[schema(example = "never")]
    pub retry: String,
    /// How long to wait before the same call again, in milliseconds.
    pub retry_after_ms: Option<u64>,
    /// The bad fields, if any.
    pub fields: Vec<FieldProblem>,
    /// The approval that is awaited, if one is.
    pub approval_id: Option<ApprovalId>,
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        if error.code == ErrorCode::Internal {
            tracing::error!(detail = %error.detail, source = ?error.source, "an operation failed");
        }
        let entry = error.code.entry();
        let status = match error.rule.as_deref() {
            Some("if_match_required") => StatusCode::PRECONDITION_REQUIRED.as_u16(),
            Some("gateway_timed_out") => StatusCode::GATEWAY_TIMEOUT.as_u16(),
            Some(_) | None => entry.http,
        };
        let is_internal = error.code == ErrorCode::Internal;
        Self {
            kind: format!("/docs/errors#{}", error.code),
            title: entry.title.to_owned(),
            status,
            detail: if is_internal {
                "something went wrong on our side; nothing was acknowledged".into()
            } else {
                error.detail
            },
            code: error.rule.as_deref().unwrap_or(error.code.as_str()).to_owned(),
            outcome: error.code.outcome().as_str().to_owned(),
            reason: error.code.as_str().to_owned(),
            retry: entry.retry.as_str().to_owned(),
            retry_after_ms: error.retry_after_ms,
            fields: error.fields,
            approval_id: error.approval_id,
        }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code, self.detail)
    }
}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status_code());
        response.insert_header((CONTENT_TYPE, "application/problem+json"));
        if let Some(ms) = self.retry_after_ms {
            response.insert_header((RETRY_AFTER, ms.div_ceil(1_000).to_string()));
        }
        if self.status_code() == StatusCode::UNAUTHORIZED {
            response.insert_header((WWW_AUTHENTICATE, "Bearer"));
        }
        match serde_json::to_string(self) {
            Ok(body) => response.body(body),
            Err(_) => response.finish(),
        }
    }
}

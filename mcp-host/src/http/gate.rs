//! What happens to an HTTP request before the protocol sees it.

use std::sync::Arc;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{AUTHORIZATION, CACHE_CONTROL, RETRY_AFTER, WWW_AUTHENTICATE};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage, HttpResponse};

use super::sessions::{Owned, Sessions};
use super::{HttpSettings, WORLD_HEADER, metadata};
use crate::identity::{AuthError, Credentials, Identity};

const SESSION_HEADER: &str = "Mcp-Session-Id";

pub(crate) struct Gate {
    pub(crate) settings: HttpSettings,
    pub(crate) sessions: Sessions,
}

impl Gate {
    /// World, identity, session; only then the protocol.
    pub(crate) async fn pass<B: MessageBody + 'static>(
        self: Arc<Self>,
        request: ServiceRequest,
        next: Next<B>,
    ) -> Result<ServiceResponse<BoxBody>, Error> {
        let identity = match self.identify(&request).await {
            Ok(identity) => identity,
            Err(refused) => return Ok(request.into_response(refused)),
        };
        let session = header(&request, SESSION_HEADER).map(str::to_owned);
        if let Some(session) = &session {
            match self.sessions.touch(session, &identity).await {
                Owned::ByCaller | Owned::Unknown => {}
                // The same answer as for a session that does not exist.
                Owned::ByAnother => return Ok(request.into_response(session_not_found())),
            }
        }
        let ends_session = request.method() == Method::DELETE;
        request.extensions_mut().insert(identity.clone());
        let response = next.call(request).await?.map_into_boxed_body();
        let header = response.headers().get(SESSION_HEADER).and_then(|value| value.to_str().ok());
        match (header, session) {
            (Some(opened), _) => self.sessions.opened(opened, &identity).await,
            (None, Some(session)) if ends_session && response.status().is_success() => {
                self.sessions.closed(&session);
            }
            (None, Some(_) | None) => {}
        }
        Ok(response)
    }

    async fn identify(&self, request: &ServiceRequest) -> Result<Identity, HttpResponse> {
        let world = world(request).map_err(|detail| plain(StatusCode::BAD_REQUEST, detail))?;
        let bearer = bearer(request);
        let credentials = Credentials {
            bearer: bearer.as_ref().ok().copied().flatten(),
            peer_is_loopback: request.peer_addr().is_some_and(|peer| peer.ip().is_loopback()),
            world,
        };
        let checked = match bearer {
            Ok(_) => self.settings.authenticate.authenticate(credentials).await,
            Err(error) => Err(error),
        };
        checked.map_err(|error| refusal(request, &error))
    }
}

/// The world of the path or of the header; naming two is a mistake worth telling.
fn world(request: &ServiceRequest) -> Result<Option<&str>, String> {
    let in_path = request.match_info().get("world");
    match (in_path, header(request, WORLD_HEADER)) {
        (Some(path), Some(header)) if path != header => {
            Err(format!("the path names the world `{path}` and {WORLD_HEADER} names `{header}`; name one"))
        }
        (path, header) => Ok(path.or(header)),
    }
}

/// The token, if one was sent. Any other scheme counts as a token that is not valid.
fn bearer(request: &ServiceRequest) -> Result<Option<&str>, AuthError> {
    let Some(value) = request.headers().get(AUTHORIZATION) else { return Ok(None) };
    let value = value.to_str().map_err(|_| AuthError::Invalid)?;
    match value.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") && !token.trim().is_empty() => {
            Ok(Some(token.trim()))
        }
        Some(_) | None => Err(AuthError::Invalid),
    }
}

fn refusal(request: &ServiceRequest, error: &AuthError) -> HttpResponse {
    let metadata = metadata::url(request);
    let challenge = |status, parameters: String| {
        let value = format!("Bearer resource_metadata=\"{metadata}\"{parameters}");
        HttpResponse::build(status)
            .insert_header((WWW_AUTHENTICATE, value))
            .insert_header((CACHE_CONTROL, "no-store"))
            .body(error.to_string())
    };
    match error {
        AuthError::Missing => challenge(StatusCode::UNAUTHORIZED, String::new()),
        AuthError::Invalid => challenge(StatusCode::UNAUTHORIZED, ", error=\"invalid_token\"".to_owned()),
        AuthError::Scope(scope) => {
            let scope = scope.replace(['"', '\\'], "");
            challenge(StatusCode::FORBIDDEN, format!(", error=\"insufficient_scope\", scope=\"{scope}\""))
        }
        AuthError::UnknownWorld(_) => plain(StatusCode::NOT_FOUND, error.to_string()),
        AuthError::Unavailable => HttpResponse::build(StatusCode::SERVICE_UNAVAILABLE)
            .insert_header((RETRY_AFTER, "1"))
            .body(error.to_string()),
    }
}

fn session_not_found() -> HttpResponse {
    plain(StatusCode::NOT_FOUND, "Not Found: Session not found".to_owned())
}

fn plain(status: StatusCode, text: String) -> HttpResponse {
    HttpResponse::build(status).content_type("text/plain; charset=utf-8").body(text)
}

fn header<'a>(request: &'a ServiceRequest, name: &str) -> Option<&'a str> {
    request.headers().get(name).and_then(|value| value.to_str().ok())
}

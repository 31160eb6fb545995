//! Templates as answers, and refusals as pages.

use std::fmt;

use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, ContentType, LOCATION};
use actix_web::{HttpResponse, ResponseError};
use askama::Template;
use shop_domain::code::ErrorCode;
use shop_service::Error;

use crate::visit::Visit;

pub(crate) type Result<T = HttpResponse> = std::result::Result<T, Refused>;

/// What surrounds every page.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// What every address begins with.
    pub(crate) base: String,
    pub(crate) world: String,
    pub(crate) who: Option<String>,
}

/// Why there is no other page.
#[derive(Clone, Debug)]
pub(crate) struct Refused(Box<Refusal>);

#[derive(Clone, Debug, Template)]
#[template(path = "refused.html")]
struct Refusal {
    frame: Frame,
    status: StatusCode,
    heading: &'static str,
    text: String,
    needs_sign_in: bool,
}

impl Refused {
    pub(crate) fn new(
        frame: &Frame,
        status: StatusCode,
        heading: &'static str,
        text: impl Into<String>,
    ) -> Self {
        let (frame, text) = (frame.clone(), text.into());
        Self(Box::new(Refusal { frame, status, heading, text, needs_sign_in: false }))
    }

    pub(crate) fn sign_in(frame: &Frame) -> Self {
        let words = "This page is for people who have signed in.";
        let Self(mut refusal) = Self::new(frame, StatusCode::UNAUTHORIZED, "Please sign in", words);
        refusal.needs_sign_in = true;
        Self(refusal)
    }

    pub(crate) fn broken(frame: &Frame) -> Self {
        let words = "It was not you. Please try again.";
        Self::new(frame, StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong", words)
    }

    pub(crate) fn bad_form(frame: &Frame) -> Self {
        let words = "A field of the form is missing, too long or not one of ours. Nothing was done.";
        Self::new(frame, StatusCode::BAD_REQUEST, "This form cannot be read", words)
    }

    pub(crate) fn not_found(frame: &Frame) -> Self {
        let words = "The address is incomplete, or what it named does not exist.";
        Self::new(frame, StatusCode::NOT_FOUND, "There is nothing here", words)
    }

    /// What a service refused, in its own words.
    pub(crate) fn service(frame: &Frame, error: &Error) -> Self {
        if error.code == ErrorCode::Internal {
            tracing::error!(%error, source = ?error.source, "a console page failed");
            return Self::broken(frame);
        }
        if error.code == ErrorCode::NotFound {
            return Self::not_found(frame);
        }
        let status = StatusCode::from_u16(error.code.entry().http).unwrap_or(StatusCode::BAD_REQUEST);
        Self::new(frame, status, "This cannot be done", sentence(&error.detail))
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.status, self.0.text)
    }
}

impl ResponseError for Refused {
    fn status_code(&self) -> StatusCode {
        self.0.status
    }

    fn error_response(&self) -> HttpResponse {
        show(self.0.status, self.0.as_ref())
    }
}

/// A template as an answer.
pub(crate) fn show(status: StatusCode, page: &impl Template) -> HttpResponse {
    match page.render() {
        Ok(html) => HttpResponse::build(status).content_type(ContentType::html()).body(html),
        Err(error) => {
            tracing::error!(%error, "a page could not be rendered");
            HttpResponse::InternalServerError().body("This page could not be made.")
        }
    }
}

/// Sends the browser on after a button, so that reloading presses nothing.
pub(crate) fn go(to: &str) -> HttpResponse {
    HttpResponse::SeeOther().insert_header((LOCATION, to)).finish()
}

pub(crate) async fn nothing_here(visit: Visit) -> Result {
    Err(Refused::not_found(&visit.frame))
}

pub(crate) async fn style() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/css; charset=utf-8")
        .insert_header((CACHE_CONTROL, "public, max-age=600"))
        .body(include_str!("../assets/console.css"))
}

/// A lower-case fragment as a person reads it.
pub(crate) fn sentence(fragment: &str) -> String {
    let mut sentence = capitalised(fragment);
    if !sentence.ends_with(['.', '!', '?']) {
        sentence.push('.');
    }
    sentence
}

/// A word of the contract as a person reads it: `refund_only` is "Refund only".
pub(crate) fn human(word: &str) -> String {
    capitalised(&word.replace('_', " "))
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

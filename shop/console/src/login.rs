//! Signing in with a token. A person's only: software has nothing to do here.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{LOCATION, SET_COOKIE};
use actix_web::web::Form;
use askama::Template;
use serde::Deserialize;
use shop_service::principals;

use crate::cookie;
use crate::page::{Frame, Result, show as render};
use crate::visit::Visit;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pasted {
    token: String,
}

#[derive(Template)]
#[template(path = "login.html")]
struct LoginPage {
    frame: Frame,
    problem: Option<&'static str>,
}

pub(crate) async fn show(visit: Visit) -> Result {
    Ok(render(StatusCode::OK, &LoginPage { frame: visit.frame, problem: None }))
}

pub(crate) async fn sign_in(visit: Visit, pasted: Form<Pasted>) -> Result {
    let token = pasted.token.trim();
    let (status, problem) = match principals::authenticate(&visit.shop, Some(token), false).await {
        Ok(principal) if principal.is_agent => (
            StatusCode::FORBIDDEN,
            "This is the token of an agent. Only people decide here: paste a person's token.",
        ),
        Ok(_) => match cookie::keep(token, &visit.frame.base) {
            Some(cookie) => return Ok(home(&visit.frame, cookie)),
            None => (StatusCode::UNAUTHORIZED, "This token cannot be used in a browser."),
        },
        Err(_) => (
            StatusCode::UNAUTHORIZED,
            "Nobody has this token. The ready line of the shop lists those there are.",
        ),
    };
    Ok(render(status, &LoginPage { frame: visit.frame, problem: Some(problem) }))
}

pub(crate) async fn sign_out(visit: Visit) -> Result {
    let cookie = cookie::forget(&visit.frame.base);
    Ok(home(&visit.frame, cookie))
}

fn home(frame: &Frame, cookie: String) -> HttpResponse {
    HttpResponse::SeeOther()
        .insert_header((LOCATION, frame.base.clone()))
        .insert_header((SET_COOKIE, cookie))
        .finish()
}

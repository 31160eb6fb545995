//! The one cookie: the token of whoever signed in, out of reach of scripts and of other sites.

use actix_web::HttpRequest;
use actix_web::http::header::COOKIE;

const NAME: &str = "twinshop_console";

/// The token a request shows.
pub(crate) fn token(request: &HttpRequest) -> Option<String> {
    let headers = request.headers().get_all(COOKIE).filter_map(|value| value.to_str().ok());
    let mut pairs = headers.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, token)| *name == NAME && !token.is_empty()).map(|(_, token)| token.to_owned())
}

/// Keeps a token until the browser is closed. `None` when the token cannot be a cookie.
pub(crate) fn keep(token: &str, path: &str) -> Option<String> {
    let is_plain = token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte));
    is_plain.then(|| format!("{NAME}={token}; Path={path}; HttpOnly; SameSite=Strict"))
}

/// Forgets the token.
pub(crate) fn forget(path: &str) -> String {
    format!("{NAME}=; Path={path}; HttpOnly; SameSite=Strict; Max-Age=0")
}

//! The console: plain web pages on which people say yes or no, where no agent can.
//!
//! A page shows what service functions return and calls one when a button is pressed. It must never decide
//! anything itself, never let software sign in, and never run a script in the browser.
//!
//! | page | who may |
//! |---|---|
//! | `/console` | everybody; what waits is shown to whoever signed in |
//! | `/console/consents/{id}?nonce=…` | whoever holds the address: it is the person's own |
//! | `/console/pay/{id}?nonce=…` | whoever holds the address: a payment link |
//! | `/console/consents` | people who signed in, their own questions |
//! | `/console/approvals`, `/console/approvals/{id}` | staff who signed in |
//!
//! Every page is there for every world, under `/w/{world}/console`.
//!
//! Start at [`configure`], then read `visit` (who asks, in which world) and `consents` (the page that matters most).

mod approvals;
mod consents;
mod cookie;
mod facts;
mod guard;
mod home;
mod login;
mod page;
mod pay;
mod visit;

#[cfg(test)]
mod tests;

use actix_web::HttpResponse;
use actix_web::http::header::LOCATION;
use actix_web::middleware::from_fn;
use actix_web::web::{self, FormConfig, ServiceConfig};

pub use home::{Link, Links};

/// A form of ours never has more.
const FORM_BYTES_MAX: usize = 8 * 1024;

/// Mounts all pages. The app must hold a `web::Data<Arc<dyn shop_service::worlds::Shops>>`, and may hold a
/// `web::Data<Links>`.
pub fn configure(config: &mut ServiceConfig) {
    config.route("/", web::get().to(to_console));
    for path in ["/console", "/w/{world}/console"] {
        let scope = web::scope(path)
            .app_data(
                FormConfig::default()
                    .limit(FORM_BYTES_MAX)
                    .error_handler(|_, request| page::Refused::bad_form(&visit::frame(request)).into()),
            )
            .wrap(from_fn(guard::guard))
            .configure(pages)
            .default_service(web::to(page::nothing_here));
        config.service(scope);
    }
}

fn pages(config: &mut ServiceConfig) {
    config
        .route("", web::get().to(home::show))
        .route("/", web::get().to(home::show))
        .route("/console.css", web::get().to(page::style))
        .route("/login", web::get().to(login::show))
        .route("/login", web::post().to(login::sign_in))
        .route("/logout", web::post().to(login::sign_out))
        .route("/consents", web::get().to(consents::list))
        .route("/consents/{id}", web::get().to(consents::show))
        .route("/consents/{id}", web::post().to(consents::answer))
        .route("/pay/{id}", web::get().to(pay::show))
        .route("/pay/{id}", web::post().to(pay::pay))
        .route("/approvals", web::get().to(approvals::list))
        .route("/approvals/{id}", web::get().to(approvals::show))
        .route("/approvals/{id}", web::post().to(approvals::decide));
}

async fn to_console() -> HttpResponse {
    HttpResponse::SeeOther().insert_header((LOCATION, "/console")).finish()
}

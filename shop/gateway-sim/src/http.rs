//! The HTTP door: parse, run the exchange, deliver its answer as the fault wishes.

mod deliver;
mod input;

use actix_web::web::{self, Data, Json, Path, Query, ServiceConfig};
use actix_web::{HttpResponse, get, post};
use serde::Deserialize;
use shop_gateway::wire::ledger::Request;
use shop_gateway::wire::{Authorize, Capture, CreateRefund, Evidence};

use crate::exchange::Ask;
use crate::limits;
use crate::refusals;
use crate::reply::Reply;
use crate::server::Simulator;
use deliver::{answer, blocking, respond};
use input::{Caller, Key, NoFields};

#[post("/payments")]
async fn authorize(sim: Data<Simulator>, caller: Caller, key: Key, body: Json<Authorize>) -> HttpResponse {
    match input::authorize(body.into_inner()) {
        Ok(request) => answer(&sim, caller, Ask::Write { key: key.0, request }).await,
        Err(message) => respond(Reply::invalid(message)),
    }
}

#[post("/payments/{payment}/capture")]
async fn capture(
    sim: Data<Simulator>,
    caller: Caller,
    key: Key,
    payment: Path<String>,
    body: Json<Capture>,
) -> HttpResponse {
    match input::amount(body.amount_minor) {
        Ok(amount_minor) => {
            let request = Request::Capture { payment: payment.into_inner(), amount_minor };
            answer(&sim, caller, Ask::Write { key: key.0, request }).await
        }
        Err(message) => respond(Reply::invalid(message)),
    }
}

#[post("/payments/{payment}/void")]
async fn void(
    sim: Data<Simulator>,
    caller: Caller,
    key: Key,
    payment: Path<String>,
    _body: Json<NoFields>,
) -> HttpResponse {
    let request = Request::Void { payment: payment.into_inner() };
    answer(&sim, caller, Ask::Write { key: key.0, request }).await
}

#[post("/refunds")]
async fn refund(sim: Data<Simulator>, caller: Caller, key: Key, body: Json<CreateRefund>) -> HttpResponse {
    match input::refund(body.into_inner()) {
        Ok(request) => answer(&sim, caller, Ask::Write { key: key.0, request }).await,
        Err(message) => respond(Reply::invalid(message)),
    }
}

#[post("/disputes/{dispute}/evidence")]
async fn contest(
    sim: Data<Simulator>,
    caller: Caller,
    key: Key,
    dispute: Path<String>,
    body: Json<Evidence>,
) -> HttpResponse {
    match input::evidence(body.into_inner()) {
        Ok(text) => {
            let request = Request::Contest { dispute: dispute.into_inner(), text };
            answer(&sim, caller, Ask::Write { key: key.0, request }).await
        }
        Err(message) => respond(Reply::invalid(message)),
    }
}

#[post("/disputes/{dispute}/accept")]
async fn concede(
    sim: Data<Simulator>,
    caller: Caller,
    key: Key,
    dispute: Path<String>,
    _body: Json<NoFields>,
) -> HttpResponse {
    let request = Request::Concede { dispute: dispute.into_inner() };
    answer(&sim, caller, Ask::Write { key: key.0, request }).await
}

#[get("/payments/{payment}")]
async fn find_payment(sim: Data<Simulator>, caller: Caller, id: Path<String>) -> HttpResponse {
    answer(&sim, caller, Ask::FindPayment { id: id.into_inner() }).await
}

#[get("/refunds/{refund}")]
async fn find_refund(sim: Data<Simulator>, caller: Caller, id: Path<String>) -> HttpResponse {
    answer(&sim, caller, Ask::FindRefund { id: id.into_inner() }).await
}

#[get("/keys/{key}")]
async fn find_key(sim: Data<Simulator>, caller: Caller, key: Path<String>) -> HttpResponse {
    answer(&sim, caller, Ask::FindKey { key: key.into_inner() }).await
}

#[post("/keys/{key}/cancel")]
async fn fence(sim: Data<Simulator>, caller: Caller, key: Path<String>) -> HttpResponse {
    match input::key(&key) {
        Ok(key) => answer(&sim, caller, Ask::Fence { key }).await,
        Err(message) => respond(Reply::invalid(message)),
    }
}

#[derive(Deserialize)]
struct Cursor {
    #[serde(default)]
    after: u64,
    limit: Option<u32>,
}

/// Meets no faults: reconciliation reads what is true.
#[get("/balance_transactions")]
async fn statement(caller: Caller, cursor: Query<Cursor>) -> HttpResponse {
    let limit = cursor.limit.unwrap_or(shop_gateway::wire::PAGE_MAX);
    let page = blocking(move || caller.account.statement(cursor.after, limit)).await;
    match page {
        Some(Ok(page)) => respond(Reply::json(200, &page)),
        Some(Err(_)) | None => respond(Reply::refusal(refusals::STORAGE)),
    }
}

/// Meets no faults either.
#[get("/disputes")]
async fn disputed(caller: Caller, cursor: Query<Cursor>) -> HttpResponse {
    let limit = cursor.limit.unwrap_or(shop_gateway::wire::PAGE_MAX);
    let page = blocking(move || caller.account.disputed(cursor.after, limit)).await;
    match page {
        Some(Ok(page)) => respond(Reply::json(200, &page)),
        Some(Err(_)) | None => respond(Reply::refusal(refusals::STORAGE)),
    }
}

#[get("/health")]
async fn health() -> HttpResponse {
    respond(Reply::json(200, &serde_json::json!({"status": "ok"})))
}

async fn no_such_route() -> HttpResponse {
    respond(Reply::refusal(refusals::NO_SUCH_ROUTE))
}

/// Mounts the gateway's API; the app needs a [`Simulator`] as data.
pub fn routes(config: &mut ServiceConfig) {
    config.app_data(input::json_config(limits::BODY_BYTES_MAX)).app_data(input::query_config());
    config.service(
        web::scope("/v1")
            .service(authorize)
            .service(capture)
            .service(void)
            .service(refund)
            .service(contest)
            .service(concede)
            .service(disputed)
            .service(find_payment)
            .service(find_refund)
            .service(find_key)
            .service(fence)
            .service(statement)
            .default_service(web::to(no_such_route)),
    );
    config.service(health);
}

//! How an answer leaves the building: at once, late, broken, or never.

use std::io;

use actix_web::HttpResponse;
use actix_web::body::SizedStream;
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_TYPE, RETRY_AFTER};
use actix_web::rt;
use actix_web::web::{Bytes, block};
use futures::stream;
use shop_gateway::wire::REPLAYED_HEADER;
use tokio::time::{sleep, timeout};

use super::input::Caller;
use crate::exchange::{Ask, Delivery, Exchange, mock_response};
use crate::limits;
use crate::refusals;
use crate::reply::Reply;
use crate::server::Simulator;

/// Runs one exchange to its end, whether or not the caller is still there.
pub(super) async fn answer(simulator: &Simulator, caller: Caller, ask: Ask) -> HttpResponse {
    let operation = ask.operation();
    let mock = match caller.mock.map(|text| mock_response(&text, operation)).transpose() {
        Ok(mock) => mock,
        Err(message) => return respond(Reply::invalid(message)),
    };
    let account = caller.account;
    let mut exchange = Exchange::new(account.clone(), ask, mock);
    let ran = blocking(move || {
        let delivery = exchange.run();
        (exchange, delivery)
    });
    let Some((mut exchange, delivery)) = ran.await else { return broken() };
    match delivery {
        Delivery::Reply(reply) => respond(reply),
        Delivery::Slow => {
            let pause = simulator.tempo().slow;
            // A task of its own: a caller that hangs up does not stop a slow gateway.
            let late = rt::spawn(async move {
                sleep(pause).await;
                blocking(move || exchange.process()).await
            });
            late.await.ok().flatten().map_or_else(broken, respond)
        }
        Delivery::Hang => hang(simulator).await,
        Delivery::HangAndCarryOut => {
            rt::spawn(async move {
                sleep(limits::LATE_AFTER.to_std().unwrap_or_default()).await;
                // In a frozen world nothing is due yet; whoever moves the clock carries it out.
                blocking(move || account.tick()).await
            });
            hang(simulator).await
        }
        Delivery::Close => close(),
        Delivery::Cut(reply) => cut(reply),
    }
}

/// Books may be on disk, and a disk may be slow: keep it off the async threads. `None` when the work panicked.
pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    block(work).await.ok()
}

pub(super) fn respond(reply: Reply) -> HttpResponse {
    let mut response =
        HttpResponse::build(StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR));
    response.insert_header((CONTENT_TYPE, reply.content_type));
    if let Some(seconds) = reply.retry_after_s {
        response.insert_header((RETRY_AFTER, seconds));
    }
    if reply.is_replay {
        response.insert_header((REPLAYED_HEADER, "true"));
    }
    response.body(reply.body)
}

fn broken() -> HttpResponse {
    respond(Reply::refusal(refusals::STORAGE))
}

/// Says nothing until the caller gives up, which drops this, or the server stops.
async fn hang(simulator: &Simulator) -> HttpResponse {
    // Both ends are the same: the caller has heard nothing.
    let _ = timeout(simulator.tempo().hang_max, simulator.stopped()).await;
    close()
}

/// Closes the connection without a word: a body that fails before its first byte takes the head down with it.
fn close() -> HttpResponse {
    let body = stream::iter([Err::<Bytes, _>(io::Error::other("closed by a fault"))]);
    HttpResponse::Ok().body(SizedStream::new(1, body))
}

/// Promises the whole answer, sends half of it, and closes the connection.
fn cut(reply: Reply) -> HttpResponse {
    let whole = Bytes::from(reply.body);
    let length = u64::try_from(whole.len()).unwrap_or(u64::MAX);
    let half = whole.slice(..whole.len() / 2);
    let body = stream::unfold(Some(half), |half| async move {
        match half {
            Some(half) => Some((Ok(half), None)),
            None => {
                // Gives the first half a turn to leave.
                tokio::task::yield_now().await;
                Some((Err(io::Error::other("cut by a fault")), None))
            }
        }
    });
    let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::OK);
    HttpResponse::build(status)
        .insert_header((CONTENT_TYPE, reply.content_type))
        .body(SizedStream::new(length, Box::pin(body)))
}

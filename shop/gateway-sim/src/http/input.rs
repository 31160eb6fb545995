//! What is read from a request before the books are asked. Wrong input changes nothing, not even the key.

use std::future::{Ready, ready};
use std::pin::Pin;
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::error::InternalError;
use actix_web::http::header::{AUTHORIZATION, CONTENT_LENGTH};
use actix_web::web::{Data, JsonConfig, QueryConfig};
use actix_web::{Error, FromRequest, HttpRequest};
use serde::Deserialize;
use shop_gateway::wire::ledger::Request;
use shop_gateway::wire::{
    ACCOUNT_PREFIX, Authorize, CreateRefund, Evidence, KEY_CHARS_MAX, KEY_HEADER, MOCK_HEADER,
};

use super::deliver::respond;
use crate::account::Account;
use crate::instruments;
use crate::limits;
use crate::refusals;
use crate::reply::Reply;
use crate::server::Simulator;

/// Names a world beside the API key, which names it already.
const WORLD_HEADER: &str = "X-Twinshop-World";

/// Whose account this is, and what the call asks to meet.
pub(super) struct Caller {
    pub(super) account: Arc<Account>,
    pub(super) mock: Option<String>,
}

impl FromRequest for Caller {
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Error>>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let simulator = request.app_data::<Data<Simulator>>().cloned();
        let name = header(request, AUTHORIZATION.as_str())
            .and_then(|value| value.strip_prefix("Bearer "))
            .and_then(|key| key.strip_prefix(ACCOUNT_PREFIX))
            .map(str::to_owned);
        let mock = header(request, MOCK_HEADER).map(str::to_owned);
        let world = header(request, WORLD_HEADER).map(str::to_owned);
        Box::pin(async move {
            let (Some(simulator), Some(name)) = (simulator, name) else { return Err(stranger()) };
            let account = simulator.account(&name).await.ok_or_else(stranger)?;
            if world.is_some_and(|world| world != account.name()) {
                let message =
                    format!("`{WORLD_HEADER}` names another world than the API key, {}", account.name());
                return Err(refuse("two worlds", Reply::invalid(message)));
            }
            Ok(Self { account, mock })
        })
    }
}

fn stranger() -> Error {
    refuse("no account", Reply::refusal(refusals::UNAUTHORIZED))
}

/// The idempotency key of a write.
pub(super) struct Key(pub(super) String);

impl FromRequest for Key {
    type Error = Error;
    type Future = Ready<Result<Self, Error>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let found = header(request, KEY_HEADER).ok_or_else(|| format!("send a `{KEY_HEADER}` header"));
        ready(found.and_then(key).map(Self).map_err(|message| refuse("no key", Reply::invalid(message))))
    }
}

/// A body without fields: `{}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoFields {}

/// Bodies that are not what was expected.
pub(super) fn json_config(limit: usize) -> JsonConfig {
    JsonConfig::default().limit(limit).error_handler(|error, request| {
        let length = header(request, CONTENT_LENGTH.as_str()).unwrap_or("unknown");
        refuse("bad body", Reply::invalid(format!("the body ({length} bytes) is not valid: {error}")))
    })
}

pub(super) fn query_config() -> QueryConfig {
    QueryConfig::default().error_handler(|error, _| {
        refuse("bad query", Reply::invalid(format!("the query is not valid: {error}")))
    })
}

pub(super) fn key(text: &str) -> Result<String, String> {
    let is_fine =
        (1..=KEY_CHARS_MAX).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
    if is_fine {
        Ok(text.to_owned())
    } else {
        Err(format!("a key is 1 to {KEY_CHARS_MAX} visible ASCII characters without spaces"))
    }
}

pub(super) fn authorize(input: Authorize) -> Result<Request, String> {
    amount(input.amount_minor)?;
    reference(&input.reference)?;
    if input.currency.len() != 3 || !input.currency.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return Err("`currency` is three capital letters, such as EUR".to_owned());
    }
    // From here on there is only the token: no card number reaches the books.
    let instrument = instruments::find(&input.instrument).ok_or_else(|| {
        let tokens = instruments::INSTRUMENTS.map(|known| known.token).join(", ");
        format!("`instrument` is a test card number or one of {tokens}")
    })?;
    Ok(Request::Authorize(Authorize { instrument: instrument.token.to_owned(), ..input }))
}

pub(super) fn refund(input: CreateRefund) -> Result<Request, String> {
    amount(input.amount_minor)?;
    reference(&input.reference)?;
    Ok(Request::Refund(input))
}

pub(super) fn evidence(input: Evidence) -> Result<String, String> {
    if (1..=limits::EVIDENCE_CHARS_MAX).contains(&input.text.chars().count()) {
        Ok(input.text)
    } else {
        Err(format!("`text` has 1 to {} characters", limits::EVIDENCE_CHARS_MAX))
    }
}

pub(super) fn amount(minor: i64) -> Result<i64, String> {
    if (1..=limits::AMOUNT_MINOR_MAX).contains(&minor) {
        Ok(minor)
    } else {
        Err(format!("`amount_minor` is between 1 and {}", limits::AMOUNT_MINOR_MAX))
    }
}

fn reference(text: &str) -> Result<(), String> {
    if (1..=limits::REFERENCE_CHARS_MAX).contains(&text.chars().count()) {
        Ok(())
    } else {
        Err(format!("`reference` has 1 to {} characters", limits::REFERENCE_CHARS_MAX))
    }
}

fn header<'a>(request: &'a HttpRequest, name: &str) -> Option<&'a str> {
    request.headers().get(name)?.to_str().ok()
}

fn refuse(cause: &'static str, reply: Reply) -> Error {
    InternalError::from_response(cause, respond(reply)).into()
}

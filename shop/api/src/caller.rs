//! Who asks: world, principal, key and version of a request, as the service's [`Ctx`].

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::http::header::{AUTHORIZATION, IF_MATCH};
use actix_web::{FromRequest, HttpMessage, HttpRequest, web};
use shop_domain::code::ErrorCode;
use shop_domain::operations::{self, Operation};
use shop_service::{Call, CallerKey, Ctx, Door, Error, Reply, Shop, principals};

use crate::Worlds;
use crate::body::Fingerprint;
use crate::journal::Seen;
use crate::problem::Problem;

const WORLD_HEADER: &str = "x-twinshop-world";
const KEY_HEADER: &str = "idempotency-key";
const MAIN_WORLD: &str = "main";
/// What stands before the path of an operation where the path names a world.
pub(crate) const WORLD_PATTERN: &str = "/w/{world}";

/// The first argument of every handler.
pub struct Caller {
    ctx: Ctx,
}

impl Caller {
    /// A read.
    ///
    /// # Errors
    /// What the service refuses.
    pub async fn read<V, F>(self, read: impl FnOnce(Ctx) -> F) -> Result<V, Problem>
    where
        F: Future<Output = shop_service::Result<V>>,
    {
        Ok(read(self.ctx).await?)
    }

    /// A write: spawned, so that a client that hangs up cannot cut it in two; a refusal is written to the audit log.
    ///
    /// # Errors
    /// What the service refuses.
    pub async fn write<V, F>(
        self,
        operation: &'static Operation,
        write: impl FnOnce(Ctx) -> F,
    ) -> Result<Reply<V>, Problem>
    where
        V: Send + 'static,
        F: Future<Output = shop_service::Result<Reply<V>>> + Send + 'static,
    {
        let audit = self.ctx.clone();
        Ok(audit.detached(operation, write(self.ctx)).await?)
    }
}

impl FromRequest for Caller {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Problem>>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { identify(&request).await.map_err(Problem::from) })
    }
}

async fn identify(request: &HttpRequest) -> Result<Caller, Error> {
    let shop = shop_of(request).await?;
    let operation = operation_of(request);
    let seen = Seen { shop: Arc::clone(&shop), operation, principal: None };
    request.extensions_mut().insert(seen.clone());
    let is_loopback = request.peer_addr().is_none_or(|peer| peer.ip().is_loopback());
    let principal = principals::authenticate(&shop, bearer(request)?, is_loopback).await?;
    request.extensions_mut().insert(Seen { principal: Some(Arc::clone(&principal)), ..seen });
    let principal = match operation {
        // Somebody may hold roles at several scopes: here they act at the widest one that fits.
        Some(operation) => Arc::new(principal.acting(operation.capability)),
        None => principal,
    };
    let call = Call { key: key(request)?, if_match: if_match(request)?, ..Call::default() };
    Ok(Caller { ctx: Ctx::new(shop, principal, Door::Rest).with_call(call) })
}

/// The operation a request was routed to.
pub(crate) fn operation_of(request: &HttpRequest) -> Option<&'static Operation> {
    let pattern = request.match_pattern()?;
    let path = pattern.strip_prefix(WORLD_PATTERN).unwrap_or(&pattern);
    operations::at(request.method().as_str(), path)
}

/// The shop of the world that a request names.
///
/// # Errors
/// When there is no such world, or path and header name two.
pub(crate) async fn shop_of(request: &HttpRequest) -> Result<Arc<Shop>, Error> {
    let worlds = request
        .app_data::<web::Data<Arc<dyn Worlds>>>()
        .ok_or_else(|| Error::internal("no worlds are configured"))?;
    let name = world_name(request)?;
    worlds.shop(&name).await.ok_or_else(|| Error::not_found(format!("world {name}")))
}

fn world_name(request: &HttpRequest) -> Result<String, Error> {
    let path = request.match_info().get("world");
    let header = text_header(request, WORLD_HEADER)?;
    match (path, header) {
        (Some(path), Some(header)) if path != header => Err(Error::invalid(
            "/world",
            format!("the path says world {path} and {WORLD_HEADER} says {header}; send one of them"),
        )),
        (Some(path), _) => Ok(path.to_owned()),
        (None, Some(header)) => Ok(header.to_owned()),
        (None, None) => Ok(MAIN_WORLD.to_owned()),
    }
}

fn bearer(request: &HttpRequest) -> Result<Option<&str>, Error> {
    let Some(value) = request.headers().get(AUTHORIZATION) else { return Ok(None) };
    let token = value.to_str().ok().and_then(|text| text.strip_prefix("Bearer ")).map(str::trim);
    token.filter(|token| !token.is_empty()).map(Some).ok_or_else(|| {
        Error::new(
            ErrorCode::AuthenticationRequired,
            "Authorization must be `Bearer` and one of the tokens of the ready line",
        )
    })
}

/// The caller's key, if it can be read.
pub(crate) fn key_header(request: &HttpRequest) -> Option<&str> {
    text_header(request, KEY_HEADER).ok().flatten()
}

fn key(request: &HttpRequest) -> Result<Option<CallerKey>, Error> {
    let Some(key) = text_header(request, KEY_HEADER)? else { return Ok(None) };
    let fingerprint = request.extensions().get::<Fingerprint>().cloned();
    let request_hash = fingerprint.ok_or_else(|| Error::internal("a request has no fingerprint"))?.0;
    Ok(Some(CallerKey { key: key.to_owned(), request_hash, is_system: false }))
}

/// `If-Match: "7"`; the quotes may be left out.
fn if_match(request: &HttpRequest) -> Result<Option<i64>, Error> {
    let Some(text) = text_header(request, IF_MATCH.as_str())? else { return Ok(None) };
    let version = text.trim().trim_matches('"').parse();
    version.map(Some).map_err(|_| Error::invalid("/if_match", "If-Match is the ETag you read, such as \"7\""))
}

pub(crate) fn text_header<'a>(request: &'a HttpRequest, name: &str) -> Result<Option<&'a str>, Error> {
    let Some(value) = request.headers().get(name) else { return Ok(None) };
    value
        .to_str()
        .map(Some)
        .map_err(|_| Error::invalid(format!("/{name}"), format!("the header {name} is not plain text")))
}

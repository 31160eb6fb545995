//! The CRUD door as a process of its own, in front of a shop that is another process.
//!
//! It has no rows: it asks the shop who a token is, over a route that only holders of the shared door secret may use,
//! and sends requests on under a token of its own making.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::http::header::AUTHORIZATION;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use anyhow::Context as _;
use async_trait::async_trait;
use mcp_crud::{Crud, Upstream, UpstreamError};
use mcp_host::{AuthError, Authenticate, Credentials, Door, HttpSettings, Identity};
use serde::{Deserialize, Serialize};
use shop_domain::ids::PrincipalId;
use shop_service::principals;

use crate::doors::{crud_settings, world_base};
use crate::run::{listen_at, spawn, url};
use crate::worlds::{MAIN, Worlds};

const SECRET_HEADER: &str = "x-twinshop-door-secret";
const LOOPBACK_HEADER: &str = "x-twinshop-door-loopback";
const TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug, Serialize, Deserialize)]
struct Who {
    principal: PrincipalId,
}

/// `GET /internal/principal`: whom a bearer token stands for, for the shop's own doors.
pub(crate) fn routes(config: &mut web::ServiceConfig, worlds: &Arc<Worlds>, secret: &str) {
    let state = web::Data::new((Arc::clone(worlds), secret.to_owned()));
    config.app_data(state);
    config.route("/internal/principal", web::get().to(who_is));
    config.route("/w/{world}/internal/principal", web::get().to(who_is));
}

async fn who_is(request: HttpRequest, state: web::Data<(Arc<Worlds>, String)>) -> HttpResponse {
    let (worlds, secret) = state.get_ref();
    let text = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
    if text(SECRET_HEADER) != Some(secret) {
        return HttpResponse::Forbidden().finish();
    }
    let name = request.match_info().get("world").unwrap_or(MAIN);
    let Some(open) = worlds.find(name).await else { return HttpResponse::NotFound().finish() };
    let bearer = text(AUTHORIZATION.as_str()).and_then(|value| value.strip_prefix("Bearer "));
    let is_loopback = text(LOOPBACK_HEADER) == Some("true");
    match principals::authenticate(&open.shop, bearer, is_loopback).await {
        Ok(principal) => HttpResponse::Ok().json(Who { principal: principal.id }),
        Err(_) => HttpResponse::Unauthorized().finish(),
    }
}

/// A shop in another process.
struct Remote {
    http: reqwest::Client,
    shop_url: String,
    secret: String,
}

#[async_trait]
impl Authenticate for Remote {
    async fn authenticate(&self, credentials: Credentials<'_>) -> Result<Identity, AuthError> {
        let world = credentials.world.unwrap_or(MAIN);
        let url = format!("{}/internal/principal", world_base(&self.shop_url, world));
        let mut request = self.http.get(url).header(SECRET_HEADER, &self.secret);
        request = request.header(LOOPBACK_HEADER, credentials.peer_is_loopback.to_string());
        if let Some(bearer) = credentials.bearer {
            request = request.bearer_auth(bearer);
        }
        let response = request.send().await.map_err(|_| AuthError::Unavailable)?;
        match response.status().as_u16() {
            200 => {
                let who: Who = response.json().await.map_err(|_| AuthError::Unavailable)?;
                Ok(Identity::new(who.principal.to_string(), world, who.principal))
            }
            401 if credentials.bearer.is_none() => Err(AuthError::Missing),
            401 => Err(AuthError::Invalid),
            404 => Err(AuthError::UnknownWorld(world.to_owned())),
            _ => Err(AuthError::Unavailable),
        }
    }
}

#[async_trait]
impl Upstream for Remote {
    fn base_url(&self, identity: &Identity) -> String {
        world_base(&self.shop_url, identity.world())
    }

    async fn headers(&self, identity: &Identity) -> Result<Vec<(String, String)>, UpstreamError> {
        let id = identity
            .extension::<PrincipalId>()
            .ok_or_else(|| UpstreamError::Refused("the caller is not known".into()))?;
        let token = principals::door_token(&self.secret, *id);
        Ok(vec![("authorization".to_owned(), format!("Bearer {token}"))])
    }
}

/// A CRUD door that listens.
pub struct CrudDoor {
    url: String,
    server: ServerHandle,
}

impl CrudDoor {
    /// Starts it in front of a shop.
    ///
    /// # Errors
    /// When the shop does not answer with its document, or the port is taken.
    pub async fn start(host: IpAddr, port: u16, shop_url: &str, secret: &str) -> anyhow::Result<Self> {
        let http = shop_gateway::client::direct_http(TIMEOUT, TIMEOUT).build()?;
        let document = format!("{shop_url}/openapi.json");
        let document =
            http.get(&document).send().await.with_context(|| format!("reading {document}"))?.json().await?;
        let remote =
            || Remote { http: http.clone(), shop_url: shop_url.to_owned(), secret: secret.to_owned() };
        let crud = Crud::new(&document, Arc::new(remote()), &mcp_crud::Options::default())?;
        let door = Door::new(crud_settings(secret), Arc::new(crud))?;
        let mut settings = HttpSettings::new(Arc::new(remote()));
        if !host.is_loopback() {
            // Behind another name in a container network, every host is ours.
            settings.allowed_hosts = Vec::new();
        }
        let listener = listen_at(host, port, "mcp crud")?;
        let url = url(&listener)?;
        let http_door = door.http(settings)?;
        let server = HttpServer::new(move || App::new().configure(|app| http_door.configure(app)));
        let server = spawn(server.workers(2).tcp_nodelay(true).disable_signals().listen(listener)?.run())?;
        Ok(Self { url: format!("{url}/mcp"), server })
    }

    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    pub async fn stop(self) {
        self.server.stop(true).await;
    }
}

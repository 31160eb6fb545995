//! Start, ready line, stop.

use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::Arc;

use actix_web::dev::ServerHandle;
use actix_web::{App, HttpResponse, HttpServer, web};
use anyhow::Context as _;
use mcp_host::{Door, HttpSettings, Identity};
use serde::Serialize;
use shop_console::{Link, Links};
use shop_gateway::Client;
use shop_gateway_sim::{Postman, Simulator, Tempo};
use shop_service::worlds::Shops;
use shop_service::{Ctx, principals};
use shop_store::Place;
use shop_world::Clock;
use tokio_util::sync::CancellationToken;
use twinshop_seed::Template;

use crate::doors::{Callers, actions_door, crud_door, identity};
use crate::scheduler::{self, Jobs};
use crate::settings::Settings;
use crate::worlds::{Ground, Hooks, MAIN, OpenWorld, Opening, Start, Worlds, write_world};

/// A running stack.
pub struct Stack {
    pub ready: Ready,
    pub worlds: Arc<Worlds>,
    pub actions: mcp_actions_flows::Engines,
    settings: Arc<Settings>,
    jobs: Arc<Jobs>,
    crud: Door,
    door: Door,
    servers: Vec<ServerHandle>,
    simulator: Option<shop_gateway_sim::Stopper>,
    stop: CancellationToken,
}

/// What a stack prints when it can be used.
#[derive(Clone, Debug, Serialize)]
pub struct Ready {
    pub ready: bool,
    pub rest: String,
    pub mcp_crud: String,
    pub mcp_actions: String,
    pub gateway: String,
    pub admin: String,
    pub admin_secret: String,
    pub console: String,
    pub tokens: serde_json::Map<String, serde_json::Value>,
    pub world: String,
    pub version: String,
}

impl Stack {
    /// Opens the main world and starts every server.
    ///
    /// # Errors
    /// When a port is taken or the database cannot be opened.
    pub async fn start(mut settings: Settings) -> anyhow::Result<Self> {
        let secret = settings.door_secret.get_or_insert_with(random_secret).clone();
        settings.webhook_secret.get_or_insert_with(random_secret);
        let rest = listen(&settings, settings.ports.rest, "rest")?;
        let rest_url = url(&rest)?;
        settings.console_url = format!("{rest_url}/console");
        let worlds = Arc::new(Worlds::default());
        let (gateway_url, simulator) = start_gateway(&settings, &worlds)?;
        let crash = std::mem::take(&mut settings.crash);
        let settings = Arc::new(settings);
        worlds.stand_on(Ground {
            settings: Arc::clone(&settings),
            gateway: client(&gateway_url, settings.gateway_timeout_ms)?,
            hooks: Hooks { rest_url: rest_url.clone(), postman: Postman::new()? },
        });
        let clock = settings.frozen_at.map_or_else(Clock::running, Clock::frozen);
        let start = start_of_main(&settings, &worlds).await?;
        let mut opening = Opening::new(MAIN, start, clock, settings.seed);
        opening.crash = crash;
        let main = worlds.open(opening).await?;
        main.shop.world.faults.put(settings.faults.clone());
        let actions = mcp_actions_flows::Engines::new(settings.consent, &settings.console_url);
        let jobs = Arc::new(Jobs { actions: actions.clone() });
        let stop = CancellationToken::new();
        let crud = crud_door(&rest_url, &secret)?;
        let door = actions_door(actions.clone(), &secret)?;
        let (crud_url, crud_server) =
            serve_door(&settings, settings.ports.crud, "mcp crud", &worlds, &crud, &stop)?;
        let (actions_url, actions_server) =
            serve_door(&settings, settings.ports.actions, "mcp actions", &worlds, &door, &stop)?;
        let links = links(&rest_url, &crud_url, &actions_url);
        let rest_server = serve_rest(&settings, rest, &worlds, links, &secret)?;
        let admin_secret = random_secret();
        let (admin_url, admin_server) = crate::admin::serve(&settings, &worlds, &jobs, &admin_secret)?;
        tokio::spawn(scheduler::run(Arc::clone(&worlds), Arc::clone(&jobs), stop.clone()));
        let tokens = principals::tokens(&main.shop).await?;
        let ready = Ready {
            ready: true,
            console: settings.console_url.clone(),
            rest: rest_url,
            mcp_crud: format!("{crud_url}/mcp"),
            mcp_actions: format!("{actions_url}/mcp"),
            gateway: gateway_url,
            admin: admin_url,
            admin_secret,
            tokens: tokens.into_iter().map(|(name, token)| (name, token.into())).collect(),
            world: MAIN.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let servers = vec![rest_server, crud_server, actions_server, admin_server];
        Ok(Self { ready, worlds, actions, settings, jobs, crud, door, servers, simulator, stop })
    }

    /// A fresh in-memory world beside the main one.
    ///
    /// # Errors
    /// When the template is no database.
    pub async fn fork(&self, name: &str, template: &Template, clock: Clock) -> anyhow::Result<OpenWorld> {
        let start = Start::Memory(Arc::new(template.clone()));
        self.worlds.open(Opening::new(name, start, clock, self.settings.seed)).await
    }

    /// The seeded shop that the main world began as, or would have.
    ///
    /// # Errors
    /// When its profile is too large for memory.
    pub async fn template(&self) -> anyhow::Result<Arc<Template>> {
        self.worlds.template(self.settings.seed_profile, self.settings.seed).await
    }

    /// The 200 tools, for another transport.
    #[must_use]
    pub fn crud_door(&self) -> Door {
        self.crud.clone()
    }

    /// The seven actions, for another transport.
    #[must_use]
    pub fn actions_door(&self) -> Door {
        self.door.clone()
    }

    /// A caller by the name of its principal.
    ///
    /// # Errors
    /// When there is no such world or principal.
    pub async fn identity(&self, world: &str, principal: &str) -> anyhow::Result<Identity> {
        let open = self.worlds.get(world).with_context(|| format!("there is no world {world}"))?;
        let principal = principals::by_name(&open.shop, principal).await?;
        Ok(identity(world, Ctx::new(open.shop, principal, shop_service::Door::Actions)))
    }

    /// Runs everything that is due in a world, until nothing is.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn drain(&self, world: &OpenWorld) -> anyhow::Result<usize> {
        self.jobs.drain(world).await
    }

    /// Lets calls under way end, then closes every port.
    pub async fn stop(self) {
        self.stop.cancel();
        for server in &self.servers {
            server.stop(true).await;
        }
        if let Some(simulator) = &self.simulator {
            simulator.stop().await;
        }
    }
}

/// A shop in memory is seeded; one in a file is opened, and laid down first when there is none.
async fn start_of_main(settings: &Settings, worlds: &Worlds) -> anyhow::Result<Start> {
    let (profile, seed) = (settings.seed_profile, settings.seed);
    match &settings.place {
        Place::Memory => Ok(Start::Memory(worlds.template(profile, seed).await?)),
        Place::File(path) => {
            if !path.exists() {
                write_world(path, &twinshop_seed::template(profile, seed).await?)?;
            }
            Ok(Start::File(path.clone()))
        }
    }
}

fn start_gateway(
    settings: &Settings,
    worlds: &Arc<Worlds>,
) -> anyhow::Result<(String, Option<shop_gateway_sim::Stopper>)> {
    if let Some(url) = &settings.gateway_url {
        return Ok((url.clone(), None));
    }
    let listener = listen(settings, settings.ports.gateway, "gateway")?;
    let url = url(&listener)?;
    let accounts: Arc<Worlds> = Arc::clone(worlds);
    let running = Simulator::new(accounts, Tempo::default()).server(listener, 1)?;
    let stopper = running.stopper();
    tokio::spawn(running.server);
    Ok((url, Some(stopper)))
}

pub(crate) fn client(url: &str, timeout_ms: u64) -> anyhow::Result<Client> {
    let mut settings = shop_gateway::Settings::new(url);
    settings.request_timeout_ms = timeout_ms;
    Ok(Client::new(&settings, MAIN)?)
}

pub(crate) fn listen(settings: &Settings, port: u16, what: &str) -> anyhow::Result<TcpListener> {
    listen_at(settings.host, port, what)
}

pub(crate) fn listen_at(host: IpAddr, port: u16, what: &str) -> anyhow::Result<TcpListener> {
    let address = SocketAddr::new(host, port);
    TcpListener::bind(address).with_context(|| {
        format!(
            "the {what} port {address} cannot be used; choose another with --port, or --port 0 for free ones"
        )
    })
}

pub(crate) fn url(listener: &TcpListener) -> anyhow::Result<String> {
    Ok(format!("http://{}", listener.local_addr()?))
}

fn serve_rest(
    settings: &Settings,
    listener: TcpListener,
    worlds: &Arc<Worlds>,
    links: Links,
    secret: &str,
) -> anyhow::Result<ServerHandle> {
    let document = web::Bytes::from(serde_json::to_vec(&shop_api::document())?);
    let api: Arc<dyn shop_api::Worlds> = worlds.clone();
    let shops: Arc<dyn Shops> = worlds.clone();
    let (api, shops, links) = (web::Data::new(api), web::Data::new(shops), web::Data::new(links));
    let (worlds, secret) = (Arc::clone(worlds), secret.to_owned());
    let server = HttpServer::new(move || {
        let document = document.clone();
        App::new()
            .app_data(api.clone())
            .app_data(shops.clone())
            .app_data(links.clone())
            .configure(|app| crate::remote::routes(app, &worlds, &secret))
            .route(
                "/openapi.json",
                web::get().to(move || {
                    let document = document.clone();
                    async move { HttpResponse::Ok().content_type("application/json").body(document) }
                }),
            )
            .configure(shop_console::configure)
            .configure(shop_api::configure)
    });
    spawn(server.workers(settings.workers).tcp_nodelay(true).disable_signals().listen(listener)?.run())
}

/// What the console's first page points at.
fn links(rest_url: &str, crud_url: &str, actions_url: &str) -> Links {
    let link = |name: &str, url: String, about: &str| Link { name: name.into(), url, about: about.into() };
    Links(vec![
        link("REST", format!("{rest_url}/openapi.json"), "The 200 operations, described in OpenAPI 3.1."),
        link("MCP, CRUD door", format!("{crud_url}/mcp"), "One tool an operation, for an MCP client."),
        link(
            "MCP, Actions door",
            format!("{actions_url}/mcp"),
            "Seven tools over stateful flows, for an MCP client.",
        ),
    ])
}

fn serve_door(
    settings: &Settings,
    port: u16,
    what: &str,
    worlds: &Arc<Worlds>,
    door: &Door,
    stop: &CancellationToken,
) -> anyhow::Result<(String, ServerHandle)> {
    let listener = listen(settings, port, what)?;
    let url = url(&listener)?;
    let mut http = HttpSettings::new(Arc::new(Callers { worlds: Arc::clone(worlds) }));
    http.cancel = stop.child_token();
    let http = door.http(http)?;
    let server = HttpServer::new(move || App::new().configure(|app| http.configure(app)));
    let handle = spawn(server.workers(1).tcp_nodelay(true).disable_signals().listen(listener)?.run())?;
    Ok((url, handle))
}

pub(crate) fn spawn(server: actix_web::dev::Server) -> anyhow::Result<ServerHandle> {
    let handle = server.handle();
    tokio::spawn(server);
    Ok(handle)
}

/// Not from the world: a secret must not be the same twice.
fn random_secret() -> String {
    use std::hash::{BuildHasher, Hasher, RandomState};
    let word = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", word(), word())
}

//! The command line, which is the only configuration layer.

use std::net::IpAddr;
use std::path::PathBuf;

use anyhow::Context as _;
use chrono::{DateTime, Utc};
use clap::{Args, Parser, Subcommand, ValueEnum};
use shop_stack::{Ports, Settings, store_place};
use twinshop_seed::Profile as SeedProfile;

#[derive(Parser)]
#[command(
    name = "twinshop",
    version,
    about = "One mock shop, two MCP doors: 200 CRUD tools and seven actions."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Do the same jobs through both doors and compare them.
    Compare(CompareArgs),
    /// Start everything: REST, both MCP doors, gateway, console, admin.
    #[command(alias = "serve")]
    Up(UpArgs),
    /// Start only the simulated payment gateway.
    Gateway(GatewayArgs),
    /// Serve one MCP door by itself: on stdio, or the CRUD door in front of a shop elsewhere.
    Mcp {
        #[command(subcommand)]
        door: Mcp,
    },
    /// Print the OpenAPI document.
    Openapi,
    /// Write a seeded shop to a file.
    Seed(SeedArgs),
    /// Load other data as a world.
    Import {
        #[command(subcommand)]
        source: Import,
    },
    /// Write a world in another shape.
    Export {
        #[command(subcommand)]
        target: Export,
    },
    /// Measure what the layers cost, as ratios taken in one run. Wants a release build.
    Bench(BenchArgs),
    /// The floor that `bench` measures against.
    #[command(hide = true)]
    BenchBare {
        /// A file with the tools to list.
        #[arg(long)]
        tools: PathBuf,
    },
    /// Check every invariant of a shop's rows and of its gateway's books.
    Check {
        /// The shop's SQLite file.
        #[arg(long)]
        database: PathBuf,
    },
}

#[derive(Subcommand)]
pub(crate) enum Mcp {
    /// The 200 fine-grained tools.
    Crud(StdioArgs),
    /// The seven actions.
    Actions(StdioArgs),
}

#[derive(Subcommand)]
pub(crate) enum Import {
    /// The τ²-bench retail data.
    Tau2 {
        /// The folder with db.json.
        dir: PathBuf,
        /// The file to write.
        #[arg(long, default_value = "tau2.db")]
        database: PathBuf,
    },
}

#[derive(Subcommand)]
pub(crate) enum Export {
    /// The shape of τ²-bench's db.json, on stdout.
    Tau2 {
        #[arg(long, default_value = "tau2.db")]
        database: PathBuf,
    },
}

#[derive(Args)]
pub(crate) struct CompareArgs {
    /// A folder with τ²-bench's db.json, tasks.json and end_states.json.
    #[arg(long)]
    tau2: Option<PathBuf>,
    #[arg(long, default_value = "report.html")]
    report_html: PathBuf,
    #[arg(long, default_value = "report.json")]
    report_json: PathBuf,
    /// Only tasks whose name contains this.
    #[arg(long)]
    only: Option<String>,
    /// No progress bars.
    #[arg(long)]
    quiet: bool,
}

impl CompareArgs {
    pub(crate) fn options(self) -> twinshop_compare::Options {
        let Self { tau2, report_html, report_json, only, quiet } = self;
        twinshop_compare::Options { tau2, report_html, report_json, only, quiet }
    }
}

#[derive(Args)]
pub(crate) struct BenchArgs {
    /// Requests of each kind; checkouts are a twentieth of it.
    #[arg(long, default_value_t = 10_000)]
    requests: usize,
    /// Connections in parallel.
    #[arg(long, default_value_t = 8)]
    connections: usize,
}

impl BenchArgs {
    pub(crate) fn options(self, binary: PathBuf) -> twinshop_bench::Options {
        twinshop_bench::Options { binary, requests: self.requests, connections: self.connections }
    }
}

#[derive(Args)]
pub(crate) struct UpArgs {
    #[command(flatten)]
    pub(crate) shop: ShopArgs,
    /// The first of five ports in a row; 0 takes free ones.
    #[arg(long, default_value_t = 7400, env = "TWINSHOP_PORT")]
    pub(crate) port: u16,
    #[arg(long, default_value = "127.0.0.1")]
    pub(crate) host: IpAddr,
    /// Another gateway than the built-in one.
    #[arg(long, env = "TWINSHOP_GATEWAY_URL")]
    pub(crate) gateway_url: Option<String>,
    /// Shared with that gateway, which signs its webhooks with it.
    #[arg(long, env = "TWINSHOP_WEBHOOK_SECRET", hide_env_values = true)]
    pub(crate) webhook_secret: Option<String>,
}

#[derive(Args)]
pub(crate) struct GatewayArgs {
    #[arg(long, default_value_t = 7403)]
    pub(crate) port: u16,
    #[arg(long, default_value = "127.0.0.1")]
    pub(crate) host: IpAddr,
    /// Where accounts keep their books; memory when absent.
    #[arg(long)]
    pub(crate) ledger_dir: Option<PathBuf>,
    /// What a new book of the main world begins with: what a shop of this profile and number was paid.
    #[arg(long, default_value = "empty")]
    pub(crate) profile: SeedProfile,
    #[arg(long, default_value_t = 42)]
    pub(crate) seed: u64,
    /// A fault for every account, such as lost_answer@capture:after.
    #[arg(long = "fault")]
    pub(crate) faults: Vec<String>,
    /// The shop that is told what happened, such as http://127.0.0.1:7400.
    #[arg(long, env = "TWINSHOP_SHOP_URL", requires = "webhook_secret")]
    pub(crate) shop_url: Option<String>,
    /// Shared with that shop, to sign with.
    #[arg(long, env = "TWINSHOP_WEBHOOK_SECRET", hide_env_values = true)]
    pub(crate) webhook_secret: Option<String>,
}

#[derive(Args)]
pub(crate) struct StdioArgs {
    #[command(flatten)]
    pub(crate) shop: ShopArgs,
    /// Speak MCP on stdin and stdout.
    #[arg(long)]
    pub(crate) stdio: bool,
    /// Bridge to this MCP endpoint instead of an embedded shop.
    #[arg(long)]
    pub(crate) url: Option<String>,
    /// The CRUD door only: listen on --port, in front of the shop at this address.
    #[arg(long, env = "TWINSHOP_SHOP_URL")]
    pub(crate) shop_url: Option<String>,
    #[arg(long, default_value_t = 7401)]
    pub(crate) port: u16,
    #[arg(long, default_value = "127.0.0.1")]
    pub(crate) host: IpAddr,
    /// The bearer token for --url.
    #[arg(long, env = "TWINSHOP_TOKEN")]
    pub(crate) token: Option<String>,
    /// Whom to act as.
    #[arg(long = "as", default_value = "agent")]
    pub(crate) principal: String,
    #[arg(long, default_value = "main")]
    pub(crate) world: String,
}

#[derive(Args)]
pub(crate) struct SeedArgs {
    #[arg(long, default_value = "shop.db")]
    pub(crate) database: PathBuf,
    #[arg(long, default_value = "workshop")]
    pub(crate) profile: SeedProfile,
    #[arg(long, default_value_t = 42)]
    pub(crate) seed: u64,
}

/// What every command that opens a shop can choose.
#[derive(Args)]
pub(crate) struct ShopArgs {
    /// An SQLite file; memory when absent.
    #[arg(long, env = "TWINSHOP_DATABASE")]
    pub(crate) database: Option<PathBuf>,
    #[arg(long, default_value = "workshop")]
    pub(crate) profile: SeedProfile,
    #[arg(long, default_value_t = 42)]
    pub(crate) seed: u64,
    /// Who enforces the after-sales rules.
    #[arg(long, default_value = "server")]
    pub(crate) rules: String,
    /// Whose yes a confirmation needs.
    #[arg(long, value_enum, default_value_t = Consent::Human)]
    pub(crate) consent: Consent,
    /// How callers' idempotency keys are treated.
    #[arg(long, value_enum, default_value_t = Keys::Acp)]
    pub(crate) idempotency: Keys,
    /// A gateway fault, such as lost_answer@capture:after*1; may be repeated.
    #[arg(long = "fault")]
    pub(crate) faults: Vec<String>,
    /// Time stands still here (RFC 3339).
    #[arg(long)]
    pub(crate) frozen_at: Option<DateTime<Utc>>,
    #[arg(long, default_value_t = 2_000)]
    pub(crate) gateway_timeout_ms: u64,
    /// `auto` makes a world that a call names and nobody made; `named` answers 404.
    #[arg(long, value_enum, default_value_t = WorldsMode::Named)]
    pub(crate) worlds: WorldsMode,
    /// Kill this process at a durable step, such as attempt_recorded:after. For tests.
    #[arg(long, hide = true)]
    pub(crate) crash: Option<String>,
    /// Shared by processes that serve one shop; drawn anew when absent.
    #[arg(long, env = "TWINSHOP_DOOR_SECRET", hide_env_values = true)]
    pub(crate) door_secret: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Consent {
    /// The person, on the console.
    Human,
    /// The client's own dialogue.
    Client,
    /// The agent's word.
    Agent,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WorldsMode {
    /// Only worlds that somebody made.
    Named,
    /// Any world, made at its first use.
    Auto,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Keys {
    Acp,
    StripeV1,
    None,
}

impl ShopArgs {
    /// As the stack wants it.
    ///
    /// # Errors
    /// When a fault, a rule or a crash point is not one.
    pub(crate) fn settings(&self, host: IpAddr, ports: Ports) -> anyhow::Result<Settings> {
        let mut settings = Settings { host, ports, ..Settings::default() };
        settings.place = store_place(self.database.as_deref());
        settings.seed = self.seed;
        settings.seed_profile = self.profile;
        settings.rules =
            self.rules.parse().with_context(|| format!("--rules is server or ui, not {}", self.rules))?;
        settings.consent = match self.consent {
            Consent::Human => shop_stack::ConsentLevel::Human,
            Consent::Client => shop_stack::ConsentLevel::Client,
            Consent::Agent => shop_stack::ConsentLevel::Agent,
        };
        settings.idempotency = match self.idempotency {
            Keys::Acp => shop_stack::KeyProfile::Acp,
            Keys::StripeV1 => shop_stack::KeyProfile::StripeV1,
            Keys::None => shop_stack::KeyProfile::None,
        };
        settings.faults = shop_stack::parse_faults(&self.faults)?;
        settings.frozen_at = self.frozen_at;
        settings.auto_worlds = self.worlds == WorldsMode::Auto;
        settings.gateway_timeout_ms = self.gateway_timeout_ms;
        if let Some(point) = &self.crash {
            settings.crash = shop_stack::CrashPlan::parse(point).map_err(anyhow::Error::msg)?;
        }
        settings.door_secret.clone_from(&self.door_secret);
        Ok(settings)
    }
}

//! What a stack is started with. The command line is the only configuration layer; this is where it ends up.

use std::net::IpAddr;
use std::net::Ipv4Addr;

use chrono::{DateTime, Utc};
use shop_domain::after_sales::RulesMode;
use shop_service::Profile;
use shop_store::Place;
use shop_world::{CrashPlan, FaultRule};

/// Everything that can be chosen.
#[derive(Debug)]
pub struct Settings {
    pub host: IpAddr,
    pub ports: Ports,
    /// Where the main world's rows are. Its gateway ledger lies beside a file, or in memory.
    pub place: Place,
    pub seed: u64,
    pub seed_profile: twinshop_seed::Profile,
    pub rules: RulesMode,
    pub idempotency: Profile,
    pub consent: mcp_actions_flows::ConsentLevel,
    pub faults: Vec<FaultRule>,
    pub crash: CrashPlan,
    /// Time stands still here; wall time when absent.
    pub frozen_at: Option<DateTime<Utc>>,
    /// Another gateway than the built-in simulator.
    pub gateway_url: Option<String>,
    pub gateway_timeout_ms: u64,
    /// Shared with a gateway elsewhere, to tell its webhooks by; drawn anew when absent.
    pub webhook_secret: Option<String>,
    /// Shared by processes that trust each other; drawn anew when absent.
    pub door_secret: Option<String>,
    /// A world that nobody made is made at its first use.
    pub auto_worlds: bool,
    pub workers: usize,
    /// Where the console is; known once its port is open.
    pub console_url: String,
}

/// Zero is any free port.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ports {
    pub rest: u16,
    pub crud: u16,
    pub actions: u16,
    pub gateway: u16,
    pub admin: u16,
}

impl Ports {
    /// Five ports in a row, or five free ones.
    #[must_use]
    pub fn from(first: u16) -> Self {
        if first == 0 {
            return Self { rest: 0, crud: 0, actions: 0, gateway: 0, admin: 0 };
        }
        let next = |n: u16| first.saturating_add(n);
        Self { rest: first, crud: next(1), actions: next(2), gateway: next(3), admin: next(4) }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            ports: Ports::default(),
            place: Place::Memory,
            seed: 42,
            seed_profile: twinshop_seed::Profile::Workshop,
            rules: RulesMode::Server,
            idempotency: Profile::Acp,
            consent: mcp_actions_flows::ConsentLevel::Human,
            faults: Vec::new(),
            crash: CrashPlan::never(),
            frozen_at: None,
            gateway_url: None,
            gateway_timeout_ms: 2_000,
            webhook_secret: None,
            door_secret: None,
            auto_worlds: false,
            workers: 2,
            console_url: String::new(),
        }
    }
}

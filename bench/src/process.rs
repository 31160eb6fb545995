//! Servers as child processes, with what they use.

use std::process::Stdio;
use std::time::Instant;

use anyhow::Context as _;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::Options;

/// Clock ticks per second in /proc, fixed on Linux.
const TICKS_PER_SECOND: u64 = 100;
const KIB_PER_MIB: u64 = 1_024;

/// A server that answers, and its process.
pub(crate) struct Server {
    _child: Child,
    pub(crate) pid: u32,
    pub(crate) ready: Value,
}

/// What starting and idling costs.
#[derive(Clone, Copy, Debug)]
pub struct StartCost {
    /// From spawn to the ready line, on a world that exists.
    pub ready_ms: u128,
    pub idle_mib: u64,
}

impl Server {
    /// The floor.
    pub(crate) async fn bare(options: &Options, tools: &[Value]) -> anyhow::Result<Self> {
        let list = std::env::temp_dir().join(format!("twinshop-bench-{}.json", std::process::id()));
        std::fs::write(&list, serde_json::to_vec(tools)?)?;
        let path = list.to_str().context("an odd temporary folder")?;
        let server = Self::spawn(options, &["bench-bare", "--tools", path]).await;
        let _ = std::fs::remove_file(&list);
        server
    }

    /// The whole shop.
    pub(crate) async fn shop(options: &Options) -> anyhow::Result<Self> {
        Self::spawn(options, &["up", "--port", "0", "--consent", "agent"]).await
    }

    async fn spawn(options: &Options, arguments: &[&str]) -> anyhow::Result<Self> {
        let mut child = Command::new(&options.binary)
            .args(arguments)
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("starting {}", options.binary.display()))?;
        let stdout = child.stdout.take().context("the server has no stdout")?;
        let line = BufReader::new(stdout)
            .lines()
            .next_line()
            .await?
            .context("the server ended before it was ready")?;
        let pid = child.id().context("the server has ended")?;
        Ok(Self { _child: child, pid, ready: serde_json::from_str(&line)? })
    }

    pub(crate) fn url(&self, name: &str) -> anyhow::Result<&str> {
        self.ready.get(name).and_then(Value::as_str).with_context(|| format!("the ready line has no {name}"))
    }

    pub(crate) fn token(&self, name: &str) -> anyhow::Result<&str> {
        self.ready.pointer(&format!("/tokens/{name}")).and_then(Value::as_str).context("no such token")
    }

    /// CPU time used so far, user and system, in microseconds.
    pub(crate) fn cpu_us(&self) -> anyhow::Result<u64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid))?;
        // The name in parentheses may hold spaces; the fields after it do not.
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks = |at: usize| {
            fields.get(at).and_then(|field| field.parse::<u64>().ok()).context("an odd /proc/stat")
        };
        Ok((ticks(11)? + ticks(12)?) * (1_000_000 / TICKS_PER_SECOND))
    }

    fn resident_mib(&self) -> anyhow::Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid))?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).context("no VmRSS")?;
        let kib =
            line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).context("an odd VmRSS")?;
        Ok(kib / KIB_PER_MIB)
    }
}

/// Ready time and idle memory on a file that exists already.
pub(crate) async fn start_cost(options: &Options) -> anyhow::Result<StartCost> {
    let folder = std::env::temp_dir().join(format!("twinshop-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let database = folder.join("shop.db");
    let database = database.to_str().context("an odd temporary folder")?;
    let arguments = ["up", "--port", "0", "--database", database];
    drop(Server::spawn(options, &arguments).await?);
    // The first process must let go of the file before the second can have it.
    let mut second = None;
    for _ in 0..50 {
        let started = Instant::now();
        if let Ok(server) = Server::spawn(options, &arguments).await {
            second = Some((server, started.elapsed().as_millis()));
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let (server, ready_ms) = second.context("the server did not start again")?;
    let cost = StartCost { ready_ms, idle_mib: server.resident_mib()? };
    drop(server);
    let _ = std::fs::remove_dir_all(&folder);
    Ok(cost)
}

//! Twinshop as a child process.

use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, bail};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::{Admin, Mcp, Rest};

/// A running shop; it is killed when this is dropped.
#[derive(Debug)]
pub struct Twinshop {
    child: Child,
    /// The ready line.
    pub ready: Value,
}

impl Twinshop {
    /// Starts `twinshop up --port 0` with more arguments and waits for its ready line.
    ///
    /// # Errors
    /// When it ends before it is ready.
    pub async fn start(binary: impl AsRef<Path>, arguments: &[&str]) -> anyhow::Result<Self> {
        let mut all = vec!["up", "--port", "0"];
        all.extend(arguments);
        Self::run(binary, &all).await
    }

    /// Starts `twinshop` with these arguments, which name any command that serves, and waits for its ready line.
    ///
    /// # Errors
    /// When it ends before it is ready.
    pub async fn run(binary: impl AsRef<Path>, arguments: &[&str]) -> anyhow::Result<Self> {
        let mut child = Command::new(binary.as_ref())
            .args(arguments)
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .context("starting twinshop")?;
        let stdout = child.stdout.take().context("twinshop has no stdout")?;
        let Some(line) = BufReader::new(stdout).lines().next_line().await? else {
            bail!("twinshop ended before it was ready: {}", child.wait().await?);
        };
        Ok(Self { child, ready: serde_json::from_str(&line)? })
    }

    /// The REST door, as a principal of the ready line.
    ///
    /// # Errors
    /// When there is no such principal.
    pub fn rest(&self, principal: &str) -> anyhow::Result<Rest> {
        Rest::new(self.url("rest")?, self.token(principal)?)
    }

    /// The CRUD door.
    ///
    /// # Errors
    /// When there is no such principal.
    pub fn crud(&self, principal: &str) -> anyhow::Result<Mcp> {
        Mcp::new(self.url("mcp_crud")?, self.token(principal)?)
    }

    /// The Actions door.
    ///
    /// # Errors
    /// When there is no such principal.
    pub fn actions(&self, principal: &str) -> anyhow::Result<Mcp> {
        Mcp::new(self.url("mcp_actions")?, self.token(principal)?)
    }

    /// The admin plane.
    ///
    /// # Errors
    /// When the ready line has none.
    pub fn admin(&self) -> anyhow::Result<Admin> {
        Admin::new(self.url("admin")?, self.url("admin_secret")?)
    }

    /// Asks it to end, and waits; the exit code.
    ///
    /// # Errors
    /// When it cannot be signalled.
    pub async fn terminate(mut self) -> anyhow::Result<Option<i32>> {
        let id = self.child.id().context("it has ended already")?;
        let kill = Command::new("kill").args(["-TERM", &id.to_string()]).status().await?;
        anyhow::ensure!(kill.success(), "kill failed");
        Ok(self.child.wait().await?.code())
    }

    /// Waits until it ends by itself, as at a crash point.
    ///
    /// # Errors
    /// When its end cannot be seen.
    pub async fn ended(&mut self) -> anyhow::Result<()> {
        self.child.wait().await?;
        Ok(())
    }

    /// Kills it without warning.
    ///
    /// # Errors
    /// When its end cannot be seen.
    pub async fn kill(mut self) -> anyhow::Result<()> {
        self.child.kill().await?;
        Ok(())
    }

    /// A text of the ready line.
    ///
    /// # Errors
    /// When it is not there.
    pub fn url(&self, name: &str) -> anyhow::Result<&str> {
        self.ready.get(name).and_then(Value::as_str).with_context(|| format!("the ready line has no {name}"))
    }

    fn token(&self, principal: &str) -> anyhow::Result<&str> {
        let token = self.ready.pointer(&format!("/tokens/{principal}")).and_then(Value::as_str);
        token.with_context(|| format!("the ready line has no token of {principal}"))
    }
}

//! `up` and `gateway`: servers that run until SIGTERM or Ctrl-C.

use shop_stack::{Ports, Stack};
use tokio::signal::unix::{SignalKind, signal};

use crate::args::{GatewayArgs, UpArgs};

/// Starts everything, says so in one line, and serves until told to stop.
pub(crate) async fn up(args: UpArgs) -> anyhow::Result<()> {
    let mut settings = args.shop.settings(args.host, Ports::from(args.port))?;
    settings.gateway_url = args.gateway_url;
    settings.webhook_secret = args.webhook_secret;
    let stack = Stack::start(settings).await?;
    say(&serde_json::to_string(&stack.ready)?);
    stopped().await?;
    stack.stop().await;
    Ok(())
}

/// Starts only the gateway.
pub(crate) async fn gateway(args: GatewayArgs) -> anyhow::Result<()> {
    let GatewayArgs { port, host, ledger_dir, profile, seed, faults, shop_url, webhook_secret } = args;
    let faults = shop_stack::parse_faults(&faults)?;
    let shop = shop_url.zip(webhook_secret);
    let settings = shop_stack::GatewaySettings { host, port, ledger_dir, profile, seed, faults, shop };
    let running = shop_stack::gateway_only(settings).await?;
    say(&serde_json::json!({ "ready": true, "gateway": running.url() }).to_string());
    stopped().await?;
    running.stop().await;
    Ok(())
}

#[expect(clippy::print_stdout, reason = "the ready line is what stdout is for")]
pub(crate) fn say(line: &str) {
    println!("{line}");
}

pub(crate) async fn stopped() -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        _ = terminate.recv() => {}
        result = tokio::signal::ctrl_c() => result?,
    }
    Ok(())
}

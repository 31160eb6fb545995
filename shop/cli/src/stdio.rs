//! MCP on stdin and stdout: an embedded shop, or a bridge to a server.

use std::net::{IpAddr, Ipv4Addr};

use anyhow::{Context as _, bail};
use mcp_host::{Bridge, Door, bridge_stdio};
use shop_stack::{CrudDoor, Ports, Stack};

use crate::args::StdioArgs;
use crate::serve::{say, stopped};

/// The 200 tools.
pub(crate) async fn crud(args: StdioArgs) -> anyhow::Result<()> {
    match &args.shop_url {
        Some(shop_url) => {
            let secret =
                args.shop.door_secret.as_deref().context("--shop-url needs the shop's own --door-secret")?;
            let door = CrudDoor::start(args.host, args.port, shop_url, secret).await?;
            say(&serde_json::json!({ "ready": true, "mcp_crud": door.url() }).to_string());
            stopped().await?;
            door.stop().await;
            Ok(())
        }
        None => serve(args, Stack::crud_door).await,
    }
}

/// The seven actions.
pub(crate) async fn actions(args: StdioArgs) -> anyhow::Result<()> {
    serve(args, Stack::actions_door).await
}

async fn serve(args: StdioArgs, door: impl Fn(&Stack) -> Door) -> anyhow::Result<()> {
    if let Some(url) = args.url {
        let world = (args.world != "main").then_some(args.world);
        bridge_stdio(Bridge { url, bearer: args.token, world }).await?;
        return Ok(());
    }
    if !args.stdio {
        bail!("say --stdio to speak MCP on stdin and stdout, or use `twinshop up` for HTTP");
    }
    let settings = args.shop.settings(IpAddr::V4(Ipv4Addr::LOCALHOST), Ports::default())?;
    let stack = Stack::start(settings).await?;
    let identity = stack.identity(&args.world, &args.principal).await?;
    door(&stack).stdio(identity).await?;
    stack.stop().await;
    Ok(())
}

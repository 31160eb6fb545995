//! MCP on stdin and stdout: an embedded shop, or a bridge to a server.

use std::net::{IpAddr, Ipv4Addr};

use anyhow::bail;
use mcp_host::{Bridge, Door, bridge_stdio};
use shop_stack::{Ports, Stack};

use crate::args::StdioArgs;

/// The 200 tools.
pub(crate) async fn crud(args: StdioArgs) -> anyhow::Result<()> {
    serve(args, Stack::crud_door).await
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

// What every client does with a door: list its tools, read something, and see a refusal that says what to do.

export const ready = JSON.parse(process.env.TWINSHOP_READY);
export const binary = process.env.TWINSHOP_BINARY;
export const token = ready.tokens.agent;

export const doors = [
  { name: "crud", url: ready.mcp_crud, check: crud },
  { name: "actions", url: ready.mcp_actions, check: actions },
];

function must(holds, what) {
  if (!holds) throw new Error(`not so: ${what}`);
}

async function crud(client) {
  const { tools } = await client.listTools();
  must(tools.some((tool) => tool.name === "list_orders"), "list_orders is a tool");
  const orders = await client.callTool({ name: "list_orders", arguments: { limit: 1 } });
  must(orders.structuredContent.status === 200, JSON.stringify(orders));
  must(orders.structuredContent.body.items.length === 1, JSON.stringify(orders));
  const refused = await client.callTool({ name: "list_orders", arguments: { limit: 1000 } });
  must(refused.isError, "a bad limit is refused");
}

async function actions(client) {
  const { tools } = await client.listTools();
  must(tools.length === 7, "there are seven tools");
  const found = await client.callTool({ name: "search_capabilities", arguments: { query: "buy what is in my cart" } });
  must(found.structuredContent.matches[0].capability === "checkout", JSON.stringify(found));
  const started = await client.callTool({ name: "start_action", arguments: { capability: "checkout" } });
  must(started.structuredContent.outcome === "success", JSON.stringify(started));
  must(started.structuredContent.next_actions.length > 0, JSON.stringify(started));
  const refused = await client.callTool({ name: "start_action", arguments: { capability: "no such thing" } });
  must(refused.isError, "an unknown capability is refused");
}

export async function everyDoor(connectHttp, connectStdio) {
  for (const door of doors) {
    const http = await connectHttp(door.url);
    await door.check(http);
    await http.close();
    const stdio = await connectStdio(["mcp", door.name, "--stdio", "--as", "agent"]);
    await door.check(stdio);
    await stdio.close();
  }
  console.log("all calls answered");
}

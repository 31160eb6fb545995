// @modelcontextprotocol/sdk 1.x.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { binary, everyDoor, token } from "./scenario.mjs";

const connect = async (transport) => {
  const client = new Client({ name: "twinshop-sdk-v1", version: "1.0.0" }, { capabilities: {} });
  await client.connect(transport);
  return client;
};

await everyDoor(
  (url) => connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } })),
  (args) => connect(new StdioClientTransport({ command: binary, args, stderr: "inherit" })),
);

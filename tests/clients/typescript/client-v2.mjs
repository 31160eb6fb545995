// @modelcontextprotocol/client 2.x, in both lanes.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { binary, everyDoor, token } from "./scenario.mjs";

const info = { name: "twinshop-client-v2", version: "1.0.0" };

for (const mode of ["legacy", "auto"]) {
  const options = { capabilities: {}, versionNegotiation: { mode } };
  const connect = async (transport) => {
    const client = new Client(info, options);
    await client.connect(transport);
    return client;
  };
  await everyDoor(
    (url) => connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } })),
    (args) => connect(new StdioClientTransport({ command: binary, args, stderr: "inherit" })),
  );
}

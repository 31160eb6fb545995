"""The official Python client lists and calls both doors, over stdio and HTTP, in both lanes."""

import asyncio
import json
import os

import httpx2
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

READY = json.loads(os.environ["TWINSHOP_READY"])
BINARY = os.environ["TWINSHOP_BINARY"]
HEADERS = {"Authorization": f"Bearer {READY['tokens']['agent']}"}


async def crud(client: Client) -> None:
    listed = await client.list_tools()
    assert any(tool.name == "list_orders" for tool in listed.tools)
    orders = await client.call_tool("list_orders", {"limit": 1})
    assert orders.structured_content["status"] == 200, orders
    refused = await client.call_tool("list_orders", {"limit": 1000})
    assert refused.is_error, refused


async def actions(client: Client) -> None:
    listed = await client.list_tools()
    assert len(listed.tools) == 7
    found = await client.call_tool("search_capabilities", {"query": "buy what is in my cart"})
    assert found.structured_content["matches"][0]["capability"] == "checkout", found
    started = await client.call_tool("start_action", {"capability": "checkout"})
    assert started.structured_content["outcome"] == "success", started
    refused = await client.call_tool("start_action", {"capability": "no such thing"})
    assert refused.is_error, refused


async def main() -> None:
    for name, url, check in [("crud", READY["mcp_crud"], crud), ("actions", READY["mcp_actions"], actions)]:
        for mode in ["legacy", "auto"]:
            async with httpx2.AsyncClient(headers=HEADERS, timeout=30) as http:
                async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
                    await check(client)
            server = StdioServerParameters(command=BINARY, args=["mcp", name, "--stdio", "--as", "agent"])
            async with Client(stdio_client(server), mode=mode) as client:
                await check(client)
    print("all calls answered")


asyncio.run(main())

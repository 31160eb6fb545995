//! mcp-host

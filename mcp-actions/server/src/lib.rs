//! mcp-actions

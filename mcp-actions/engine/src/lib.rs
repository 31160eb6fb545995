//! mcp-actions-engine

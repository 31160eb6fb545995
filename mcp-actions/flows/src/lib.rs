//! mcp-actions-flows

//! mcp-crud

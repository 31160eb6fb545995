//! The tools of a door in their fixed order, with a name index and compiled schemas.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use serde_json::Value;

use crate::door::StartError;
use crate::limits;
use crate::tool::Tool;
use crate::validate::Checker;

#[derive(Debug)]
pub(crate) struct Registry {
    listing: Vec<rmcp::model::Tool>,
    by_name: HashMap<String, Arc<Entry>>,
}

#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) tool: rmcp::model::Tool,
    pub(crate) checker: Checker,
}

impl Registry {
    /// # Errors
    /// Names the tool that cannot be served, and why.
    pub(crate) fn new(tools: &[Tool]) -> Result<Self, StartError> {
        if tools.len() > limits::TOOLS_MAX {
            return Err(StartError::TooManyTools { count: tools.len() });
        }
        let mut registry = Self { listing: Vec::with_capacity(tools.len()), by_name: HashMap::new() };
        for tool in tools {
            registry.add(tool)?;
        }
        Ok(registry)
    }

    fn add(&mut self, tool: &Tool) -> Result<(), StartError> {
        if !is_good_name(&tool.name) {
            return Err(StartError::ToolName(tool.name.clone()));
        }
        let bad = |reason: String| StartError::ToolSchema { tool: tool.name.clone(), reason };
        let checker = Checker::new(&tool.input_schema).map_err(bad)?;
        if let Some(schema) = &tool.output_schema
            && schema.get("type").and_then(Value::as_str) != Some("object")
        {
            return Err(bad("the root of its output schema is not `type: object`".to_owned()));
        }
        let wire = tool.to_wire();
        let entry = Entry { tool: wire.clone(), checker };
        if self.by_name.insert(tool.name.clone(), Arc::new(entry)).is_some() {
            return Err(StartError::ToolTwice(tool.name.clone()));
        }
        self.listing.push(wire);
        Ok(())
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Arc<Entry>> {
        self.by_name.get(name)
    }

    /// One page, and where the next one starts. `None` when the cursor is not one of ours.
    pub(crate) fn page(
        &self,
        cursor: Option<&str>,
        size: Option<NonZeroUsize>,
    ) -> Option<(Vec<rmcp::model::Tool>, Option<String>)> {
        let start = match cursor {
            Some(cursor) => cursor.parse::<usize>().ok().filter(|start| *start < self.listing.len())?,
            None => 0,
        };
        let size = size.map_or(self.listing.len(), NonZeroUsize::get);
        let page = self.listing.iter().skip(start).take(size).cloned().collect();
        let next = start.saturating_add(size);
        Some((page, (next < self.listing.len()).then(|| next.to_string())))
    }
}

/// The protocol's own rule for tool names.
fn is_good_name(name: &str) -> bool {
    (1..=128).contains(&name.len())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(name: &str) -> Tool {
        Tool::new(name, "does it", json!({ "type": "object" }))
    }

    #[test]
    fn pages_keep_the_order_and_cover_everything_once() {
        let names = ["zeta", "alpha", "mid", "beta", "last"];
        let registry = Registry::new(&names.map(tool)).unwrap();
        let (all, next) = registry.page(None, None).unwrap();
        assert_eq!((all.len(), next), (5, None));

        let mut seen: Vec<String> = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let (page, next) = registry.page(cursor.as_deref(), NonZeroUsize::new(2)).unwrap();
            seen.extend(page.iter().map(|tool| tool.name.to_string()));
            cursor = next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen, names);
        assert!(registry.page(Some("5"), None).is_none());
        assert!(registry.page(Some("two"), None).is_none());
    }

    #[test]
    fn a_tool_that_cannot_be_served_stops_the_start() {
        assert!(
            matches!(Registry::new(&["a", "a"].map(tool)), Err(StartError::ToolTwice(name)) if name == "a")
        );
        assert!(matches!(Registry::new(&[tool("no spaces")]), Err(StartError::ToolName(_))));
        let bad = tool("a").with_output(json!({ "type": "array" }));
        assert!(matches!(Registry::new(&[bad]), Err(StartError::ToolSchema { .. })));
    }
}

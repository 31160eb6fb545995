//! The surfaces that are compared, and what a model sees of each before its first call.

use serde::Serialize;
use serde_json::{Value, json};
use shop_stack::Stack;

use crate::client::{McpClient, tokens};

/// One way to show the same shop to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Surface {
    /// 200 flat tools, derived from the OpenAPI document.
    Crud,
    /// Seven primitives over stateful flows.
    Actions,
}

impl Surface {
    pub(crate) const ALL: [Self; 2] = [Self::Crud, Self::Actions];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Crud => "crud",
            Self::Actions => "actions",
        }
    }

    /// A client of this surface.
    pub(crate) fn client(self, stack: &Stack, world: &str, token: &str) -> anyhow::Result<McpClient> {
        let endpoint = match self {
            Self::Crud => &stack.ready.mcp_crud,
            Self::Actions => &stack.ready.mcp_actions,
        };
        McpClient::new(endpoint, world, token)
    }
}

/// What a catalogue costs before anything is called.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Catalogue {
    pub(crate) tools: usize,
    /// Name, description and input schema: what clients hand to a model.
    pub(crate) bytes: usize,
    pub(crate) tokens: usize,
    /// Most clients keep output schemas to themselves, so they are counted apart.
    pub(crate) output_schema_bytes: usize,
    pub(crate) output_schema_tokens: usize,
    #[serde(skip)]
    pub(crate) names: Vec<String>,
}

impl Catalogue {
    pub(crate) async fn read(client: &McpClient) -> anyhow::Result<Self> {
        Ok(Self::of(&client.list_tools().await?))
    }

    fn of(tools: &[Value]) -> Self {
        let mut total = Self { tools: tools.len(), ..Self::default() };
        for tool in tools {
            let seen = json!({
                "name": tool["name"], "description": tool["description"], "inputSchema": tool["inputSchema"],
            });
            let seen = seen.to_string();
            total.bytes += seen.len();
            total.tokens += tokens(&seen);
            if let Some(output) = tool.get("outputSchema") {
                let output = output.to_string();
                total.output_schema_bytes += output.len();
                total.output_schema_tokens += tokens(&output);
            }
            total.names.extend(tool["name"].as_str().map(str::to_owned));
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_schemas_and_annotations_are_not_what_a_model_sees() {
        let bare = json!({ "name": "a", "description": "b", "inputSchema": { "type": "object" } });
        let mut dressed = bare.clone();
        dressed["outputSchema"] = json!({ "type": "object", "properties": { "x": {} } });
        dressed["annotations"] = json!({ "readOnlyHint": true });
        let (bare, dressed) = (Catalogue::of(&[bare]), Catalogue::of(&[dressed]));
        assert_eq!((bare.bytes, bare.tokens), (dressed.bytes, dressed.tokens));
        assert_eq!(bare.output_schema_tokens, 0);
        assert!(dressed.output_schema_tokens > 0);
        assert_eq!(dressed.names, ["a"]);
    }
}

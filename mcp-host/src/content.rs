//! What a door offers beside tools: fixed resources and prompts.

use std::collections::BTreeMap;

use rmcp::model as wire;
use serde_json::{Map, Value};

/// The media type of an MCP App view; a door that has one declares the apps extension.
pub const APP_VIEW: &str = "text/html;profile=mcp-app";

/// A text that never changes while the door is open, such as an app's view.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    pub uri: String,
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub mime_type: String,
    pub text: String,
    /// `_meta` of the resource, such as a view's content security policy.
    pub meta: Map<String, Value>,
}

impl Resource {
    pub(crate) fn to_wire(&self) -> wire::Resource {
        let mut resource = wire::Resource::new(self.uri.clone(), self.name.clone());
        resource.title.clone_from(&self.title);
        resource.description.clone_from(&self.description);
        resource.mime_type = Some(self.mime_type.clone());
        resource.size = u64::try_from(self.text.len()).ok();
        resource.meta = self.wire_meta();
        resource
    }

    pub(crate) fn to_contents(&self) -> wire::ResourceContents {
        let contents = wire::ResourceContents::text(self.text.clone(), self.uri.clone())
            .with_mime_type(self.mime_type.clone());
        match self.wire_meta() {
            Some(meta) => contents.with_meta(meta),
            None => contents,
        }
    }

    fn wire_meta(&self) -> Option<wire::MetaObject> {
        (!self.meta.is_empty()).then(|| wire::MetaObject(self.meta.clone()))
    }
}

/// A ready-made request that a person can pick; `{argument}` in the text is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    pub name: String,
    pub title: Option<String>,
    pub description: String,
    pub arguments: Vec<PromptArgument>,
    pub text: String,
}

/// One blank in a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptArgument {
    pub name: String,
    pub description: String,
    pub is_required: bool,
    /// What a client may offer while the person types.
    pub values: Vec<String>,
}

impl Prompt {
    pub(crate) fn to_wire(&self) -> wire::Prompt {
        let arguments = self
            .arguments
            .iter()
            .map(|argument| {
                wire::PromptArgument::new(argument.name.clone())
                    .with_description(argument.description.clone())
                    .with_required(argument.is_required)
            })
            .collect();
        let prompt = wire::Prompt::new(self.name.clone(), Some(self.description.clone()), Some(arguments));
        match &self.title {
            Some(title) => prompt.with_title(title.clone()),
            None => prompt,
        }
    }

    /// The text with its blanks filled, or the name of a required one that is missing.
    pub(crate) fn fill(&self, given: &BTreeMap<String, String>) -> Result<String, String> {
        let mut text = self.text.clone();
        for argument in &self.arguments {
            match given.get(&argument.name) {
                Some(value) => text = text.replace(&format!("{{{}}}", argument.name), value),
                None if argument.is_required => return Err(argument.name.clone()),
                None => text = text.replace(&format!("{{{}}}", argument.name), ""),
            }
        }
        Ok(text)
    }
}

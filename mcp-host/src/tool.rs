//! A tool as data.

use std::sync::Arc;

use rmcp::model::{MetaObject, ToolAnnotations};
use serde_json::{Map, Value};

/// What a client is told about one tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    pub name: String,
    pub title: Option<String>,
    pub description: String,
    /// JSON Schema 2020-12, `type: object`, self-contained.
    pub input_schema: Value,
    /// JSON Schema 2020-12, `type: object`, self-contained.
    pub output_schema: Option<Value>,
    pub hints: Hints,
    /// `_meta`, for instance the view that renders the result.
    pub meta: Map<String, Value>,
}

/// The annotations of a tool. All four are always sent, because the protocol's defaults are the alarming ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    pub read_only: bool,
    pub destructive: bool,
    pub idempotent: bool,
    /// The call reaches something outside this system.
    pub open_world: bool,
}

impl Tool {
    #[must_use]
    pub fn new(name: impl Into<String>, description: impl Into<String>, input_schema: Value) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: description.into(),
            input_schema,
            output_schema: None,
            hints: Hints::default(),
            meta: Map::new(),
        }
    }

    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    #[must_use]
    pub fn with_output(mut self, output_schema: Value) -> Self {
        self.output_schema = Some(output_schema);
        self
    }

    #[must_use]
    pub fn with_hints(mut self, hints: Hints) -> Self {
        self.hints = hints;
        self
    }

    #[must_use]
    pub fn with_meta(mut self, key: impl Into<String>, value: Value) -> Self {
        self.meta.insert(key.into(), value);
        self
    }

    /// The tool on the wire. The schemas are known to be objects: the registry checks them first.
    pub(crate) fn to_wire(&self) -> rmcp::model::Tool {
        let object = |schema: &Value| Arc::new(schema.as_object().cloned().unwrap_or_default());
        let hints = ToolAnnotations::new()
            .read_only(self.hints.read_only)
            .destructive(self.hints.destructive)
            .idempotent(self.hints.idempotent)
            .open_world(self.hints.open_world);
        let mut tool =
            rmcp::model::Tool::new(self.name.clone(), self.description.clone(), object(&self.input_schema))
                .with_annotations(hints);
        tool.title.clone_from(&self.title);
        tool.output_schema = self.output_schema.as_ref().map(object);
        if !self.meta.is_empty() {
            tool.meta = Some(MetaObject(self.meta.clone()));
        }
        tool
    }
}

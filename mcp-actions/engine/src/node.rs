//! A flow's inputs as data: an ordered list of nodes, each with the fields it asks for.

use std::collections::{BTreeMap, BTreeSet};

use jsonschema::Validator;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use crate::parts::ValidationError;
use crate::reason::Reason;

/// Where a finished action stands.
pub const DONE: &str = "DONE";
/// Where an action waits until its caller says which of several entities was meant.
pub const RESOLVE: &str = "RESOLVE";
/// The one field that may be patched at [`RESOLVE`].
pub const TARGET: &str = "target";

/// One thing the flow needs from the caller.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The top-level name in a patch: `items`.
    pub name: &'static str,
    /// What `inputs` and `allowed_patch` show: `items[].quantity`.
    pub path: &'static str,
    pub required: bool,
    /// Fields whose value decides which values are valid here. They stand in earlier nodes, or earlier in this one.
    pub depends_on: &'static [&'static str],
    pub description: &'static str,
    /// The shape of a value, without live options: those come from the facts.
    pub schema: fn() -> Value,
    pub merge: Merge,
    pub lapse: Lapse,
}

/// How a new value meets an old one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    Replace,
    /// Entries of a list are matched by their `id`; what is not named stays as it is.
    ById,
}

/// What becomes of a value that was accepted once and no longer fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lapse {
    /// It stands as a validation error until the caller mends it.
    Report,
    /// It is dropped, and the view says so: a coupon.
    Drop,
    /// It goes back to `missing`: a choice nobody else may make.
    Ask,
}

impl Field {
    #[must_use]
    pub const fn required(
        name: &'static str,
        path: &'static str,
        description: &'static str,
        schema: fn() -> Value,
    ) -> Self {
        Self {
            name,
            path,
            required: true,
            depends_on: &[],
            description,
            schema,
            merge: Merge::Replace,
            lapse: Lapse::Report,
        }
    }

    #[must_use]
    pub const fn optional(
        name: &'static str,
        path: &'static str,
        description: &'static str,
        schema: fn() -> Value,
    ) -> Self {
        Self { required: false, ..Self::required(name, path, description, schema) }
    }

    #[must_use]
    pub const fn depends_on(self, fields: &'static [&'static str]) -> Self {
        Self { depends_on: fields, ..self }
    }

    #[must_use]
    pub const fn merging(self, merge: Merge) -> Self {
        Self { merge, ..self }
    }

    #[must_use]
    pub const fn lapsing(self, lapse: Lapse) -> Self {
        Self { lapse, ..self }
    }
}

/// One station of a flow.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// `ITEMS`, `ADDRESS`, … A node without fields only waits until the facts allow going on.
    pub key: &'static str,
    pub fields: &'static [Field],
}

/// How a flow ends once everything is filled in.
#[derive(Clone, Copy, Debug)]
pub enum Ends {
    /// Nothing happens: the filled-in action is its own answer.
    View,
    /// The person confirms at `node`; after submission the action stands at `submitted`.
    Confirm { node: &'static str, submitted: &'static str },
}

/// Why a list of nodes is not a flow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NodeError {
    #[error("node {0} is listed twice or uses a reserved name")]
    DuplicateNode(&'static str),
    #[error("field {0} is listed twice or uses a reserved name")]
    DuplicateField(&'static str),
    #[error("field {field} depends on {dependency}, which no node asks for")]
    UnknownDependency { field: &'static str, dependency: &'static str },
    #[error("field {field} depends on {dependency}, which comes later: a cycle, or nodes in the wrong order")]
    LaterDependency { field: &'static str, dependency: &'static str },
    #[error("the schema of field {field} does not compile: {message}")]
    Schema { field: &'static str, message: String },
}

/// A checked list of nodes.
#[derive(Debug)]
pub struct Nodes {
    list: Vec<Node>,
    ends: Ends,
    validators: BTreeMap<&'static str, Validator>,
}

impl Nodes {
    /// # Errors
    /// When names repeat, a dependency is unknown or comes later, or a schema does not compile.
    pub fn new(list: &[Node], ends: Ends) -> Result<Self, NodeError> {
        let mut keys = BTreeSet::from([DONE, RESOLVE]);
        if let Ends::Confirm { node, submitted } = ends {
            keys.extend([node, submitted]);
        }
        let all: BTreeSet<&str> = list.iter().flat_map(|node| node.fields).map(|field| field.name).collect();
        let mut seen = BTreeSet::from([TARGET]);
        let mut validators = BTreeMap::new();
        for node in list {
            if !keys.insert(node.key) {
                return Err(NodeError::DuplicateNode(node.key));
            }
            for field in node.fields {
                if let Some(dependency) = field.depends_on.iter().copied().find(|name| !seen.contains(name)) {
                    let field = field.name;
                    return Err(match all.contains(dependency) {
                        true => NodeError::LaterDependency { field, dependency },
                        false => NodeError::UnknownDependency { field, dependency },
                    });
                }
                if !seen.insert(field.name) {
                    return Err(NodeError::DuplicateField(field.name));
                }
                let validator = jsonschema::validator_for(&(field.schema)())
                    .map_err(|error| NodeError::Schema { field: field.name, message: error.to_string() })?;
                validators.insert(field.name, validator);
            }
        }
        Ok(Self { list: list.to_vec(), ends, validators })
    }

    #[must_use]
    pub fn list(&self) -> &[Node] {
        &self.list
    }

    #[must_use]
    pub fn ends(&self) -> Ends {
        self.ends
    }

    /// Where an action begins once its entity is known.
    #[must_use]
    pub fn first(&self) -> &'static str {
        let end = match self.ends {
            Ends::View => DONE,
            Ends::Confirm { node, .. } => node,
        };
        self.list.first().map_or(end, |node| node.key)
    }

    pub fn fields(&self) -> impl Iterator<Item = &Field> {
        self.list.iter().flat_map(|node| node.fields)
    }

    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields().find(|field| field.name == name)
    }

    /// The node that asks for a field.
    #[must_use]
    pub fn node_of(&self, field: &str) -> Option<&Node> {
        self.list.iter().find(|node| node.fields.iter().any(|own| own.name == field))
    }

    /// The other nodes that have to be valid before this one can be judged.
    #[must_use]
    pub fn upstream(&self, node: &Node) -> BTreeSet<&'static str> {
        let names = node.fields.iter().flat_map(|field| field.depends_on);
        names
            .filter_map(|name| self.node_of(name))
            .map(|other| other.key)
            .filter(|key| *key != node.key)
            .collect()
    }

    /// Every field whose validity hangs, directly or not, on one of the changed ones.
    #[must_use]
    pub fn dependents(&self, changed: &BTreeSet<String>) -> BTreeSet<&'static str> {
        let mut reopened = BTreeSet::new();
        // Dependencies only point backwards, so one pass in order reaches everything.
        for field in self.fields() {
            if field.depends_on.iter().any(|name| changed.contains(*name) || reopened.contains(name)) {
                reopened.insert(field.name);
            }
        }
        reopened
    }

    /// Whether a value has the shape its field asks for; what it means is for the facts to judge.
    ///
    /// # Errors
    /// One error per mistake in the value.
    pub fn check_shape(&self, field: &str, value: &Value) -> Result<(), Vec<ValidationError>> {
        let Some(validator) = self.validators.get(field) else { return Ok(()) };
        let errors: Vec<_> = validator
            .iter_errors(value)
            .map(|error| {
                let at = error.instance_path().to_string();
                let place = if at.is_empty() { String::new() } else { format!("{at}: ") };
                ValidationError::new(field, Reason::ValidationFailed, format!("{place}{error}"))
            })
            .collect();
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Names inside a value that its schema does not know.
    #[must_use]
    pub fn strangers(&self, field: &str, value: &Value) -> Vec<String> {
        let Some(validator) = self.validators.get(field) else { return Vec::new() };
        validator
            .iter_errors(value)
            .filter_map(|error| {
                let ValidationErrorKind::AdditionalProperties { unexpected } = error.kind() else {
                    return None;
                };
                Some(unexpected.clone())
            })
            .flatten()
            .map(|name| format!("{field}: {name}"))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text() -> Value {
        json!({"type": "string"})
    }

    const fn field(name: &'static str, depends_on: &'static [&'static str]) -> Field {
        Field::required(name, name, "A test field.", text).depends_on(depends_on)
    }

    fn build(nodes: &[Node]) -> Result<Nodes, NodeError> {
        Nodes::new(nodes, Ends::View)
    }

    #[test]
    fn construction_refuses_what_is_not_a_flow() {
        const A: &[Field] = &[field("a", &[])];
        const LATER: &[Field] = &[field("b", &["c"]), field("c", &["b"])];
        const UNKNOWN: &[Field] = &[field("b", &["nowhere"])];
        const RESERVED: &[Field] = &[field("target", &[])];
        let twice = build(&[Node { key: "A", fields: A }, Node { key: "A", fields: &[] }]);
        assert_eq!(twice.unwrap_err(), NodeError::DuplicateNode("A"));
        let same_field = build(&[Node { key: "A", fields: A }, Node { key: "B", fields: A }]);
        assert_eq!(same_field.unwrap_err(), NodeError::DuplicateField("a"));
        let later = build(&[Node { key: "B", fields: LATER }]);
        assert_eq!(later.unwrap_err(), NodeError::LaterDependency { field: "b", dependency: "c" });
        let unknown = build(&[Node { key: "B", fields: UNKNOWN }]);
        assert_eq!(unknown.unwrap_err(), NodeError::UnknownDependency { field: "b", dependency: "nowhere" });
        assert_eq!(
            build(&[Node { key: "A", fields: RESERVED }]).unwrap_err(),
            NodeError::DuplicateField("target")
        );
    }

    #[test]
    fn dependents_are_followed_all_the_way_down_and_no_further() {
        const FIELDS: &[Field] = &[field("a", &[]), field("b", &["a"]), field("c", &["b"]), field("d", &[])];
        let nodes = build(&[Node { key: "A", fields: FIELDS }]).unwrap();
        let changed = BTreeSet::from(["a".to_owned()]);
        assert_eq!(nodes.dependents(&changed), BTreeSet::from(["b", "c"]));
    }
}

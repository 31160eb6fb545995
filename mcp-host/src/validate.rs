//! Arguments against a tool's input schema, compiled once.

use jsonschema::Validator;
use jsonschema::error::{ValidationError, ValidationErrorKind};
use serde_json::{Map, Value};

use crate::limits;
use crate::problem::{Field, Problem, ProblemKind};

/// A compiled input schema.
#[derive(Debug)]
pub(crate) struct Checker {
    schema: Value,
    validator: Validator,
}

impl Checker {
    /// # Errors
    /// Says what is wrong with the schema.
    pub(crate) fn new(schema: &Value) -> Result<Self, String> {
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            return Err("its root is not `type: object`".to_owned());
        }
        let validator = jsonschema::draft202012::new(schema).map_err(|error| error.to_string())?;
        Ok(Self { schema: schema.clone(), validator })
    }

    /// # Errors
    /// A problem that names every place, and what is allowed there.
    pub(crate) fn check(&self, arguments: &Map<String, Value>) -> Result<(), Problem> {
        check_size(arguments)?;
        let instance = Value::Object(arguments.clone());
        let mut complaints = Complaints::default();
        for error in self.validator.iter_errors(&instance) {
            complaints.add(self, &error);
        }
        complaints.into_result()
    }

    /// The names a closed object allows, given the path of its `additionalProperties` in the schema.
    fn allowed_beside(&self, keyword_path: &str) -> Vec<String> {
        let object = keyword_path.rsplit_once('/').map_or("", |(object, _)| object);
        let properties = self.schema.pointer(object).and_then(|schema| schema.get("properties"));
        properties.and_then(Value::as_object).map(|all| all.keys().cloned().collect()).unwrap_or_default()
    }
}

fn check_size(arguments: &Map<String, Value>) -> Result<(), Problem> {
    if arguments.values().any(|value| is_deeper_than(value, limits::ARGUMENTS_DEPTH_MAX)) {
        let detail = format!("the arguments nest deeper than {} levels", limits::ARGUMENTS_DEPTH_MAX);
        return Err(Problem::new(ProblemKind::ValidationFailed, detail));
    }
    let bytes = serde_json::to_vec(arguments).map_or(usize::MAX, |text| text.len());
    if bytes > limits::ARGUMENTS_BYTES_MAX {
        let detail = format!(
            "the arguments are {bytes} bytes of JSON; at most {} are allowed",
            limits::ARGUMENTS_BYTES_MAX
        );
        return Err(Problem::new(ProblemKind::ValidationFailed, detail));
    }
    Ok(())
}

fn is_deeper_than(value: &Value, levels: usize) -> bool {
    let inside = |value: &Value| levels == 0 || is_deeper_than(value, levels - 1);
    match value {
        Value::Object(map) => map.values().any(inside),
        Value::Array(items) => items.iter().any(inside),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// What is wrong so far.
#[derive(Default)]
struct Complaints {
    fields: Vec<Field>,
    unknown: Vec<String>,
    allowed: Vec<String>,
}

impl Complaints {
    fn add(&mut self, checker: &Checker, error: &ValidationError<'_>) {
        if self.fields.len() >= limits::COMPLAINTS_MAX {
            return;
        }
        let at = error.instance_path().as_str();
        #[expect(clippy::wildcard_enum_match_arm, reason = "the library's many kinds explain themselves")]
        match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                for name in unexpected {
                    self.unknown.push(name.clone());
                    self.push(pointer(at, name), "there is no such field".to_owned());
                }
                self.allowed.extend(checker.allowed_beside(error.schema_path().as_str()));
            }
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                self.push(pointer(at, name), "this field is required".to_owned());
            }
            ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
                // Of several ways to be wrong, the one that got furthest is what the caller meant.
                let depth = |error: &ValidationError<'_>| error.instance_path().as_str().matches('/').count();
                let furthest = |branch: &&Vec<ValidationError<'static>>| branch.iter().map(depth).max();
                match context.iter().max_by_key(furthest) {
                    Some(branch) => branch.iter().for_each(|error| self.add(checker, error)),
                    None => self.push(at.to_owned(), error.to_string()),
                }
            }
            _ => self.push(at.to_owned(), error.to_string()),
        }
    }

    fn push(&mut self, pointer: String, message: String) {
        let message = match message.char_indices().nth(limits::COMPLAINT_CHARS_MAX) {
            Some((end, _)) => format!("{}…", message.get(..end).unwrap_or_default()),
            None => message,
        };
        self.fields.push(Field { pointer, message });
    }

    fn into_result(self) -> Result<(), Problem> {
        if self.fields.is_empty() {
            return Ok(());
        }
        if self.unknown.is_empty() {
            let places: Vec<&str> = self.fields.iter().map(|field| field.pointer.as_str()).collect();
            let detail = format!("correct these and call again, nothing was done: {}", places.join(", "));
            return Err(Problem::new(ProblemKind::ValidationFailed, detail).with_fields(self.fields));
        }
        let detail = format!(
            "there is no field `{}`; allowed are: {}; nothing was done",
            self.unknown.join("`, `"),
            self.allowed.join(", ")
        );
        Err(Problem::new(ProblemKind::FieldNotAllowed, detail).with_fields(self.fields))
    }
}

fn pointer(at: &str, name: &str) -> String {
    format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn problem(schema: Value, arguments: Value) -> Problem {
        let arguments = arguments.as_object().cloned().unwrap();
        Checker::new(&schema).unwrap().check(&arguments).unwrap_err()
    }

    fn address() -> Value {
        json!({
            "type": "object", "additionalProperties": false, "required": ["city"],
            "properties": { "city": { "type": "string" }, "zip": { "type": "string", "maxLength": 5 } }
        })
    }

    #[test]
    fn every_wrong_place_is_named() {
        let schema = json!({
            "type": "object", "required": ["id"],
            "properties": { "id": { "type": "string" }, "to": { "$ref": "#/$defs/A" }, "n": { "type": "integer" } },
            "$defs": { "A": address() }
        });
        let problem = problem(schema, json!({ "n": "many", "to": { "zip": "123456" } }));
        assert_eq!(problem.kind, ProblemKind::ValidationFailed);
        let mut places: Vec<&str> = problem.fields.iter().map(|field| field.pointer.as_str()).collect();
        places.sort_unstable();
        assert_eq!(places, ["/id", "/n", "/to/city", "/to/zip"]);
    }

    #[test]
    fn an_unknown_field_is_refused_with_the_allowed_ones() {
        let wrong = problem(address(), json!({ "city": "Kiel", "town": "Kiel" }));
        assert_eq!((wrong.kind, wrong.fields[0].pointer.as_str()), (ProblemKind::FieldNotAllowed, "/town"));
        assert!(wrong.detail.contains("city, zip"), "{}", wrong.detail);

        let schema = json!({ "type": "object", "properties": { "to": address() } });
        let nested = problem(schema, json!({ "to": { "city": "Kiel", "a/b": 1 } }));
        assert_eq!(nested.fields[0].pointer, "/to/a~1b");
        assert!(nested.detail.contains("city, zip"), "{}", nested.detail);
    }

    #[test]
    fn an_optional_object_complains_about_its_own_fields() {
        let schema = json!({
            "type": "object",
            "properties": { "to": { "oneOf": [{ "type": "null" }, address()] } }
        });
        let wrong = problem(schema, json!({ "to": { "city": 5 } }));
        assert_eq!(wrong.fields[0].pointer, "/to/city");
    }

    #[test]
    fn depth_size_and_echo_are_bounded() {
        let schema = json!({ "type": "object" });
        let mut deep = json!(1);
        for _ in 0..100 {
            deep = json!([deep]);
        }
        assert!(problem(schema.clone(), json!({ "x": deep })).detail.contains("deeper"));
        let long = "x".repeat(limits::ARGUMENTS_BYTES_MAX);
        assert!(problem(schema, json!({ "x": long })).detail.contains("bytes"));
        let schema = json!({ "type": "object", "properties": { "x": { "type": "integer" } } });
        let echo = problem(schema, json!({ "x": "é".repeat(10_000) }));
        assert!(echo.fields[0].message.chars().count() <= limits::COMPLAINT_CHARS_MAX + 1);
    }

    #[test]
    fn a_schema_that_is_no_object_or_no_schema_is_refused() {
        assert!(Checker::new(&json!({ "type": "array" })).is_err());
        assert!(Checker::new(&json!({ "type": "object", "properties": 5 })).is_err());
        assert!(Checker::new(&json!({ "type": "object", "$ref": "#/$defs/Nowhere" })).is_err());
    }
}

//! Schemas cut out of the document so that they stand alone: references point into the tool's own `$defs`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::limits;

/// What OpenAPI adds to JSON Schema. Models pay for every word, and validators ignore these.
const OPENAPI_ONLY: [&str; 5] = ["discriminator", "xml", "externalDocs", "example", "examples"];

/// Follows `$ref` until there is none.
///
/// # Errors
/// When a reference leads out of the document, to nothing, or in a circle.
pub(crate) fn resolve<'a>(document: &'a Value, value: &'a Value) -> Result<&'a Value, String> {
    let mut value = value;
    for _ in 0..limits::REFERENCES_MAX {
        let Some(reference) = value.get("$ref").and_then(Value::as_str) else { return Ok(value) };
        value = target(document, reference)?;
    }
    Err("its references lead in a circle".to_owned())
}

fn target<'a>(document: &'a Value, reference: &str) -> Result<&'a Value, String> {
    let pointer =
        reference.strip_prefix('#').ok_or_else(|| format!("`{reference}` leads out of the document"))?;
    document.pointer(pointer).ok_or_else(|| format!("`{reference}` leads nowhere"))
}

/// Copies schemas out of one document and collects what they refer to.
pub(crate) struct Bundler<'a> {
    document: &'a Value,
    /// Reference in the document → name in `$defs`.
    names: BTreeMap<String, String>,
    defs: Map<String, Value>,
}

impl<'a> Bundler<'a> {
    pub(crate) fn new(document: &'a Value) -> Self {
        Self { document, names: BTreeMap::new(), defs: Map::new() }
    }

    /// The schema with its references turned inwards.
    ///
    /// # Errors
    /// When a reference leads out of the document or to nothing.
    pub(crate) fn schema(&mut self, schema: &Value) -> Result<Value, String> {
        let Value::Object(keywords) = schema else { return Ok(schema.clone()) };
        let mut copy = Map::new();
        for (keyword, value) in keywords {
            let keyword_text = keyword.as_str();
            if OPENAPI_ONLY.contains(&keyword_text) {
                continue;
            }
            let value = match keyword_text {
                "$ref" => json!(format!("#/$defs/{}", self.name(value.as_str().unwrap_or_default())?)),
                "properties" | "patternProperties" | "dependentSchemas" | "$defs" => {
                    self.each_value(value)?
                }
                "allOf" | "anyOf" | "oneOf" | "prefixItems" => self.each_item(value)?,
                "items"
                | "additionalProperties"
                | "unevaluatedProperties"
                | "unevaluatedItems"
                | "contains"
                | "propertyNames"
                | "not"
                | "if"
                | "then"
                | "else" => self.schema(value)?,
                _ => value.clone(),
            };
            copy.insert(keyword.clone(), value);
        }
        Ok(Value::Object(copy))
    }

    /// Adds the definitions to a finished root schema.
    pub(crate) fn finish(self, mut root: Map<String, Value>) -> Value {
        if !self.defs.is_empty() {
            root.insert("$defs".to_owned(), Value::Object(self.defs));
        }
        Value::Object(root)
    }

    fn each_value(&mut self, schemas: &Value) -> Result<Value, String> {
        let Value::Object(schemas) = schemas else { return Ok(schemas.clone()) };
        let copy: Result<Map<String, Value>, String> =
            schemas.iter().map(|(name, schema)| Ok((name.clone(), self.schema(schema)?))).collect();
        Ok(Value::Object(copy?))
    }

    fn each_item(&mut self, schemas: &Value) -> Result<Value, String> {
        let Value::Array(schemas) = schemas else { return Ok(schemas.clone()) };
        let copy: Result<Vec<Value>, String> = schemas.iter().map(|schema| self.schema(schema)).collect();
        Ok(Value::Array(copy?))
    }

    /// The name of a reference in `$defs`; the first use copies what it points to.
    fn name(&mut self, reference: &str) -> Result<String, String> {
        if let Some(name) = self.names.get(reference) {
            return Ok(name.clone());
        }
        let schema = target(self.document, reference)?;
        let name = self.free_name(reference);
        // Known before its own copy is made, so that a schema may refer to itself.
        self.names.insert(reference.to_owned(), name.clone());
        self.defs.insert(name.clone(), Value::Null);
        let copy = self.schema(schema)?;
        self.defs.insert(name.clone(), copy);
        Ok(name)
    }

    fn free_name(&self, reference: &str) -> String {
        let last = reference.rsplit('/').next().unwrap_or(reference);
        let name: String =
            last.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
        let mut free = name.clone();
        let mut number = 2;
        while self.defs.contains_key(&free) {
            free = format!("{name}_{number}");
            number += 1;
        }
        free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_stands_alone_with_all_it_refers_to() {
        let document = json!({ "components": { "schemas": {
            "Order": { "type": "object", "xml": {}, "properties": {
                "example": { "type": "string", "example": "x" },
                "lines": { "type": "array", "items": { "$ref": "#/components/schemas/Line" } }
            } },
            "Line": { "type": "object", "properties": {
                "parent": { "oneOf": [{ "type": "null" }, { "$ref": "#/components/schemas/Order" }] }
            } },
            "Unused": { "type": "string" }
        } } });
        let mut bundler = Bundler::new(&document);
        let schema = bundler.schema(&json!({ "$ref": "#/components/schemas/Order" })).unwrap();
        let root = bundler.finish(Map::from_iter([("root".to_owned(), schema)]));
        assert_eq!(root["root"]["$ref"], "#/$defs/Order");
        let names: Vec<&String> = root["$defs"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["Order", "Line"]);
        assert_eq!(root["$defs"]["Line"]["properties"]["parent"]["oneOf"][1]["$ref"], "#/$defs/Order");
        // A property may well be called like a keyword; the keyword itself goes.
        assert_eq!(root["$defs"]["Order"]["properties"]["example"], json!({ "type": "string" }));
    }

    #[test]
    fn references_that_lead_nowhere_are_named() {
        let document = json!({ "a": { "$ref": "#/b" }, "b": { "$ref": "#/a" } });
        let resolved =
            |reference: &str| resolve(&document, &json!({ "$ref": reference }).clone()).map(|_| ());
        assert!(resolved("#/nowhere").unwrap_err().contains("nowhere"));
        assert!(resolved("other.json#/x").unwrap_err().contains("out of the document"));
        assert!(resolved("#/a").unwrap_err().contains("circle"));
    }
}

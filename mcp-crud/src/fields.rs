//! The flat arguments of a tool: what each is called, and where it goes in the request.

use serde_json::{Map, Value, json};

use crate::error::StartError;
use crate::schema::{Bundler, resolve};

/// Where an argument goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Path {
        name: String,
    },
    Query {
        name: String,
        style: QueryStyle,
    },
    Header {
        name: String,
    },
    /// One property of the JSON body.
    Body {
        name: String,
    },
    /// The JSON body as a whole, when it is no object with fixed properties.
    WholeBody,
}

/// How a list or an object stands in a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueryStyle {
    /// `a=1&a=2`
    Explode,
    /// `a=1,2`
    Comma,
    /// `a[x]=1`
    Deep,
}

impl Place {
    fn describe(&self) -> &'static str {
        match self {
            Self::Path { .. } => "path",
            Self::Query { .. } => "query",
            Self::Header { .. } => "headers",
            Self::Body { .. } | Self::WholeBody => "body",
        }
    }
}

/// One argument.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) argument: String,
    pub(crate) place: Place,
    pub(crate) is_required: bool,
    pub(crate) schema: Value,
}

/// All arguments of an operation, in the order path, query, headers, body.
pub(crate) struct Fields {
    operation: String,
    pub(crate) all: Vec<Field>,
}

impl Fields {
    pub(crate) fn new(operation: &str) -> Self {
        Self { operation: operation.to_owned(), all: Vec::new() }
    }

    pub(crate) fn refuse(&self, reason: impl Into<String>) -> StartError {
        StartError::Operation { operation: self.operation.clone(), reason: reason.into() }
    }

    /// # Errors
    /// When another argument has the same name.
    fn add(&mut self, field: Field) -> Result<(), StartError> {
        if let Some(other) = self.all.iter().find(|other| other.argument == field.argument) {
            return Err(StartError::NameClash {
                operation: self.operation.clone(),
                field: field.argument.clone(),
                first: other.place.describe(),
                second: field.place.describe(),
            });
        }
        self.all.push(field);
        Ok(())
    }

    /// Adds one parameter of the document.
    ///
    /// # Errors
    /// When it cannot be an argument.
    pub(crate) fn add_parameter(
        &mut self,
        document: &Value,
        bundler: &mut Bundler<'_>,
        parameter: &Value,
    ) -> Result<(), StartError> {
        let parameter = resolve(document, parameter).map_err(|reason| self.refuse(reason))?;
        let text = |key: &str| parameter.get(key).and_then(Value::as_str).unwrap_or_default();
        let name = text("name").to_owned();
        // A path without its parameter is another path, whatever the document says.
        let is_required =
            text("in") == "path" || parameter.get("required").and_then(Value::as_bool).unwrap_or(false);
        let (argument, place) = match text("in") {
            "path" => (name.clone(), Place::Path { name }),
            "query" => (name.clone(), Place::Query { name, style: query_style(parameter) }),
            // OpenAPI itself takes these out of parameters: they belong to the transport.
            "header"
                if ["accept", "content-type", "authorization"].contains(&name.to_lowercase().as_str()) =>
            {
                return Ok(());
            }
            "header" => (name.to_lowercase().replace('-', "_"), Place::Header { name }),
            "cookie" if !is_required => return Ok(()),
            other => return Err(self.refuse(format!("a tool cannot send `{name}` in `{other}`"))),
        };
        let schema = parameter.get("schema").or_else(|| json_schema(parameter));
        let mut schema =
            bundler.schema(schema.unwrap_or(&Value::Bool(true))).map_err(|reason| self.refuse(reason))?;
        describe(&mut schema, text("description"));
        self.add(Field { argument, place, is_required, schema })
    }

    /// Adds the fields of the request body.
    ///
    /// # Errors
    /// When it is not JSON, or a field has the name of a parameter.
    pub(crate) fn add_body(
        &mut self,
        document: &Value,
        bundler: &mut Bundler<'_>,
        body: &Value,
    ) -> Result<(), StartError> {
        let body = resolve(document, body).map_err(|reason| self.refuse(reason))?;
        let is_required = body.get("required").and_then(Value::as_bool).unwrap_or(false);
        let schema =
            json_schema(body).ok_or_else(|| self.refuse("its body is not JSON, so no tool can send it"))?;
        let object = flat_object(document, schema).map_err(|reason| self.refuse(reason))?;
        let Some(object) = object else {
            let mut schema = bundler.schema(schema).map_err(|reason| self.refuse(reason))?;
            describe(&mut schema, body.get("description").and_then(Value::as_str).unwrap_or_default());
            return self.add(Field {
                argument: "body".to_owned(),
                place: Place::WholeBody,
                is_required,
                schema,
            });
        };
        for (name, schema) in &object.properties {
            let schema = bundler.schema(schema).map_err(|reason| self.refuse(reason))?;
            let is_required = is_required && object.required.contains(name);
            let place = Place::Body { name: name.clone() };
            self.add(Field { argument: name.clone(), place, is_required, schema })?;
        }
        Ok(())
    }

    /// The root of the tool's input schema, without definitions.
    pub(crate) fn root(&self) -> Map<String, Value> {
        let properties: Map<String, Value> =
            self.all.iter().map(|field| (field.argument.clone(), field.schema.clone())).collect();
        let required: Vec<&String> =
            self.all.iter().filter(|field| field.is_required).map(|field| &field.argument).collect();
        let mut root = Map::new();
        root.insert("type".to_owned(), json!("object"));
        root.insert("properties".to_owned(), Value::Object(properties));
        if !required.is_empty() {
            root.insert("required".to_owned(), json!(required));
        }
        root.insert("additionalProperties".to_owned(), json!(false));
        root
    }
}

/// The properties of an object schema, through references and `allOf`.
#[derive(Default)]
struct FlatObject {
    properties: Map<String, Value>,
    required: Vec<String>,
}

/// `None` when the schema is anything but an object with known properties.
fn flat_object(document: &Value, schema: &Value) -> Result<Option<FlatObject>, String> {
    let schema = resolve(document, schema)?;
    let mut flat = FlatObject::default();
    let mut is_object = false;
    for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        let Some(part) = flat_object(document, part)? else { return Ok(None) };
        flat.properties.extend(part.properties);
        flat.required.extend(part.required);
        is_object = true;
    }
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        flat.properties.extend(properties.clone());
        is_object = true;
    }
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    flat.required.extend(required.filter_map(Value::as_str).map(str::to_owned));
    // Alternatives, and names that are not known beforehand, do not fit in flat arguments.
    let is_open = schema.get("oneOf").is_some()
        || schema.get("anyOf").is_some()
        || schema.get("additionalProperties").is_some_and(|extra| *extra != Value::Bool(false));
    Ok((is_object && !is_open).then_some(flat))
}

/// The schema of the JSON variant of a body, response or parameter.
pub(crate) fn json_schema(holder: &Value) -> Option<&Value> {
    let content = holder.get("content").and_then(Value::as_object)?;
    let is_json = |media: &str| {
        let essence = media.split(';').next().unwrap_or_default().trim().to_lowercase();
        essence == "application/json" || essence.ends_with("+json")
    };
    content.iter().find(|(media, _)| is_json(media))?.1.get("schema")
}

fn query_style(parameter: &Value) -> QueryStyle {
    let style = parameter.get("style").and_then(Value::as_str).unwrap_or("form");
    let explodes = parameter.get("explode").and_then(Value::as_bool).unwrap_or(style == "form");
    match (style, explodes) {
        ("deepObject", _) => QueryStyle::Deep,
        (_, true) => QueryStyle::Explode,
        (_, false) => QueryStyle::Comma,
    }
}

/// A parameter's own description, where its schema has none.
fn describe(schema: &mut Value, description: &str) {
    if description.is_empty() {
        return;
    }
    match schema {
        Value::Object(keywords) => {
            keywords.entry("description").or_insert_with(|| json!(description));
        }
        Value::Bool(true) => *schema = json!({ "description": description }),
        Value::Null | Value::Bool(false) | Value::Number(_) | Value::String(_) | Value::Array(_) => {}
    }
}

//! The document as tools.

use mcp_host::{Hints, Tool};
use serde_json::{Map, json};

use super::*;
use crate::StartError;

fn tool(name: &str) -> Tool {
    crud("http://localhost", &library()).tools().into_iter().find(|tool| tool.name == name).unwrap()
}

fn start(document: &Value, toolset: Option<&[&str]>) -> Result<Vec<String>, StartError> {
    let upstream = Arc::new(Librarian { url: "http://localhost".to_owned() });
    let toolset = toolset.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
    let crud = Crud::new(document, upstream, &Options { toolset })?;
    Ok(crud.tools().into_iter().map(|tool| tool.name).collect())
}

#[test]
fn every_operation_is_a_tool_in_the_documents_order() {
    let all = ["list_books", "create_book", "search_books", "get_book", "burn_book"];
    assert_eq!(start(&library(), None).unwrap(), all);
    assert_eq!(tool("list_books").description, "List books. Newest first.");
    assert_eq!(start(&library(), Some(&["get_book", "list_books"])).unwrap(), ["get_book", "list_books"]);
    let unknown = start(&library(), Some(&["get_book", "get_film"]));
    assert!(matches!(unknown, Err(StartError::UnknownTool(name)) if name == "get_film"));
}

#[test]
fn arguments_are_flat_closed_and_stand_alone() {
    let schema = tool("create_book").input_schema;
    let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["idempotency_key", "title", "author"]);
    assert_eq!(schema["required"], json!(["idempotency_key", "title"]));
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["properties"]["idempotency_key"]["description"], "Fresh for every intended change.");
    assert_eq!(schema["properties"]["author"]["$ref"], "#/$defs/Author");
    assert_eq!(schema["$defs"]["Author"]["required"], json!(["name"]));

    let burn = tool("burn_book").input_schema;
    assert_eq!(burn["required"], json!(["book_id", "idempotency_key", "if_match"]));
    assert!(tool("list_books").input_schema["properties"].get("accept").is_none());
    assert_eq!(tool("search_books").input_schema["properties"]["body"]["type"], "array");
}

#[test]
fn results_have_a_status_an_etag_and_the_success_as_body() {
    let schema = tool("get_book").output_schema.unwrap();
    assert_eq!(schema["required"], json!(["status", "etag", "body"]));
    assert_eq!(schema["properties"]["body"]["anyOf"][0]["$ref"], "#/$defs/Book");
    // A schema that refers to itself is there once.
    assert_eq!(schema["$defs"]["Book"]["properties"]["sequel"]["oneOf"][1]["$ref"], "#/$defs/Book");
}

#[test]
fn hints_follow_the_class_and_the_method() {
    let reads = Hints { read_only: true, idempotent: true, ..Hints::default() };
    assert_eq!(tool("list_books").hints, reads);
    assert_eq!(tool("search_books").hints, reads);
    assert_eq!(tool("create_book").hints, Hints { idempotent: true, ..Hints::default() });
    let burns = Hints { read_only: false, destructive: true, idempotent: true, open_world: true };
    assert_eq!(tool("burn_book").hints, burns);

    let mut document = library();
    document["paths"]["/v1/books/{book_id}"]["delete"].as_object_mut().unwrap().remove("x-class");
    let tools = crud("http://localhost", &document).tools();
    assert!(
        tools.iter().any(|tool| tool.name == "burn_book" && tool.hints.destructive && tool.hints.idempotent)
    );
}

#[test]
fn a_name_from_two_places_stops_the_start() {
    let mut document = library();
    document["paths"]["/v1/books/{book_id}"]["get"]["parameters"] =
        json!([{ "name": "book_id", "in": "query", "schema": { "type": "string" } }]);
    let text = start(&document, None).unwrap_err().to_string();
    assert!(["get_book", "book_id", "path", "query"].iter().all(|part| text.contains(part)), "{text}");

    let mut document = library();
    document["components"]["schemas"]["Titled"]["properties"]["idempotency_key"] =
        json!({ "type": "string" });
    let clash = start(&document, None);
    assert!(matches!(clash, Err(StartError::NameClash { operation, .. }) if operation == "create_book"));
}

#[test]
fn a_document_that_makes_no_tools_says_why() {
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut document = library();
        change(&mut document);
        start(&document, None).unwrap_err().to_string()
    };
    assert!(refused(&|document| document["openapi"] = json!("3.0.3")).contains("3.0.3"));
    assert!(refused(&|document| document["components"]["schemas"] = json!({})).contains("leads nowhere"));
    let undocumented =
        refused(&|document| document["paths"]["/v1/books/{book_id}"]["parameters"] = json!([]));
    assert!(undocumented.contains("{book_id}"), "{undocumented}");
    let twice = refused(&|document| document["paths"]["/v1/books"]["get"]["operationId"] = json!("get_book"));
    assert!(twice.contains("`get_book`"), "{twice}");
    let multipart = json!({ "content": { "multipart/form-data": { "schema": { "type": "object" } } } });
    let upload =
        refused(&|document| document["paths"]["/v1/books"]["post"]["requestBody"] = multipart.clone());
    assert!(upload.contains("not JSON"), "{upload}");
}

#[test]
fn an_operation_without_an_id_is_named_after_its_path() {
    let operation = json!({ "responses": { "200": { "description": "ok" } } });
    let parameters = json!([{ "name": "id", "in": "path", "schema": { "type": "integer" } }]);
    let paths =
        Map::from_iter([("/things/{id}".to_owned(), json!({ "parameters": parameters, "get": operation }))]);
    let document = json!({ "openapi": "3.1.1", "paths": paths });
    assert_eq!(start(&document, None).unwrap(), ["get_things_id"]);
}

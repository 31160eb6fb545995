//! A small library API that has nothing to do with the shop, and a wire it answers on.

mod calls;
mod doors;
mod tools;

use std::sync::Arc;

use async_trait::async_trait;
use mcp_host::{Asker, Call, Client, Handler, Identity, Output, Reply};
use serde_json::{Value, json};
use wiremock::MockServer;

use crate::{Crud, Options, Upstream, UpstreamError};

/// Lends books: every way an argument can travel, and every class.
pub(super) fn library() -> Value {
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Library", "version": "1" },
        "paths": {
            "/v1/books": {
                "get": {
                    "operationId": "list_books", "summary": "List books", "description": "Newest first.",
                    "parameters": [
                        { "name": "tag", "in": "query", "schema": { "type": "array", "items": { "type": "string" } } },
                        { "name": "limit", "in": "query", "description": "At most 100.",
                          "schema": { "type": "integer", "maximum": 100 } },
                        { "name": "range", "in": "query", "style": "deepObject",
                          "schema": { "type": "object", "properties": { "from": { "type": "integer" } } } },
                        { "name": "fields", "in": "query", "explode": false,
                          "schema": { "type": "array", "items": { "type": "string" } } },
                        { "name": "Accept", "in": "header", "schema": { "type": "string" } }
                    ],
                    "responses": { "200": { "description": "ok", "content": { "application/json": {
                        "schema": { "$ref": "#/components/schemas/Books" } } } } }
                },
                "post": {
                    "operationId": "create_book", "summary": "Create a book.", "x-class": "W",
                    "parameters": [{ "$ref": "#/components/parameters/Key" }],
                    "requestBody": { "required": true, "content": { "application/json": {
                        "schema": { "$ref": "#/components/schemas/NewBook" } } } },
                    "responses": { "201": { "description": "made", "content": { "application/json": {
                        "schema": { "$ref": "#/components/schemas/Book" } } } } }
                }
            },
            "/v1/books/search": { "post": {
                "operationId": "search_books", "summary": "Search", "x-class": "R",
                "requestBody": { "required": true, "content": { "application/json": {
                    "schema": { "type": "array", "items": { "type": "string" } } } } },
                "responses": { "200": { "description": "ok" } }
            } },
            "/v1/books/{book_id}": {
                "parameters": [{ "name": "book_id", "in": "path", "required": true, "schema": { "type": "string" } }],
                "get": {
                    "operationId": "get_book", "summary": "One book",
                    "responses": { "200": { "description": "ok", "content": { "application/json": {
                        "schema": { "$ref": "#/components/schemas/Book" } } } } }
                },
                "delete": {
                    "operationId": "burn_book", "summary": "Burn a book", "x-class": "D", "x-reaches-gateway": true,
                    "parameters": [
                        { "$ref": "#/components/parameters/Key" },
                        { "name": "If-Match", "in": "header", "required": true, "schema": { "type": "string" } }
                    ],
                    "responses": { "204": { "description": "gone" } }
                }
            }
        },
        "components": {
            "parameters": { "Key": { "name": "Idempotency-Key", "in": "header", "required": true,
                "description": "Fresh for every intended change.", "schema": { "type": "string", "maxLength": 100 } } },
            "schemas": {
                "Books": { "type": "object", "required": ["items"], "properties": {
                    "items": { "type": "array", "items": { "$ref": "#/components/schemas/Book" } } } },
                "Book": { "type": "object", "required": ["id"], "properties": {
                    "id": { "type": "string" }, "title": { "type": "string" },
                    "sequel": { "oneOf": [{ "type": "null" }, { "$ref": "#/components/schemas/Book" }] } } },
                "NewBook": { "allOf": [
                    { "$ref": "#/components/schemas/Titled" },
                    { "type": "object", "properties": { "author": { "$ref": "#/components/schemas/Author" } } }
                ] },
                "Titled": { "type": "object", "required": ["title"], "properties": { "title": { "type": "string" } } },
                "Author": { "type": "object", "required": ["name"], "additionalProperties": false,
                    "properties": { "name": { "type": "string" } } }
            }
        }
    })
}

/// Speaks for everybody with a token of its own making, in a world per path.
pub(super) struct Librarian {
    pub(super) url: String,
}

#[async_trait]
impl Upstream for Librarian {
    fn base_url(&self, identity: &Identity) -> String {
        format!("{}/w/{}/", self.url, identity.world())
    }

    async fn headers(&self, identity: &Identity) -> Result<Vec<(String, String)>, UpstreamError> {
        match identity.subject() {
            "banned" => Err(UpstreamError::Refused("banned".to_owned())),
            subject => Ok(vec![("authorization".to_owned(), format!("Bearer internal-{subject}"))]),
        }
    }
}

pub(super) fn crud(url: &str, document: &Value) -> Crud {
    let upstream = Arc::new(Librarian { url: url.to_owned() });
    Crud::new(document, upstream, &Options::default()).unwrap()
}

pub(super) async fn call_as(subject: &str, url: &str, name: &str, arguments: Value) -> Output {
    let call = Call {
        name: name.to_owned(),
        arguments: arguments.as_object().cloned().unwrap(),
        identity: Identity::new(subject, "blue", ()),
        client: Client::default(),
        ask: Asker::unavailable(),
    };
    match crud(url, &library()).call(call).await {
        Reply::Done(output) => output,
        Reply::Ask(_) | Reply::Task(_) => panic!("a CRUD tool never asks and never goes on"),
    }
}

pub(super) async fn call(server: &MockServer, name: &str, arguments: Value) -> Output {
    call_as("ann", &server.uri(), name, arguments).await
}

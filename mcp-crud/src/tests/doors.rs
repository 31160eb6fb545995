//! The tools behind a real door.

use std::time::Duration;

use mcp_host::{Door, Settings};
use serde_json::{Map, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use wiremock::matchers::any;
use wiremock::{Mock, ResponseTemplate};

use super::*;

/// Sends each request as a client of the stateless generation and gives the results in order.
async fn results(crud: Crud, requests: &[(&str, Value)]) -> Vec<Value> {
    let settings = Settings::new("mcp_crud", "library", vec![7; 32]);
    let door = Door::new(settings, Arc::new(crud)).unwrap();
    let (ours, theirs) = tokio::io::duplex(1024 * 1024);
    let (reader, writer) = tokio::io::split(theirs);
    let serving =
        tokio::spawn(async move { door.serve(reader, writer, Identity::new("ann", "blue", ())).await });
    let (reader, mut writer) = tokio::io::split(ours);
    let mut lines = BufReader::new(reader).lines();
    let mut results = Vec::new();
    for (id, (method, params)) in requests.iter().enumerate() {
        let mut params = params.clone();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "reader", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {}
        });
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writer.write_all(format!("{request}\n").as_bytes()).await.unwrap();
        let line = tokio::time::timeout(Duration::from_secs(20), lines.next_line()).await.unwrap();
        let mut reply: Value = serde_json::from_str(&line.unwrap().unwrap()).unwrap();
        results.push(reply["result"].take());
    }
    writer.shutdown().await.unwrap();
    serving.await.unwrap().unwrap();
    results
}

#[tokio::test]
async fn wrong_arguments_send_nothing() {
    let server = MockServer::start().await;
    Mock::given(any())
        .respond_with(ResponseTemplate::new(200).set_body_json(json!({ "id": "b" })))
        .mount(&server)
        .await;
    let wrong = [
        json!({ "name": "create_book", "arguments": { "title": "T" } }),
        json!({ "name": "create_book", "arguments": { "idempotency_key": "k", "title": "T", "pages": 3 } }),
        json!({ "name": "create_book", "arguments": { "idempotency_key": "k", "title": "T", "author": {} } }),
        json!({ "name": "list_books", "arguments": { "limit": 101 } }),
    ];
    let requests: Vec<(&str, Value)> = wrong.into_iter().map(|params| ("tools/call", params)).collect();
    for result in results(crud(&server.uri(), &library()), &requests).await {
        assert_eq!(result["isError"], true, "{result}");
        let answer = &result["structuredContent"];
        assert_eq!((answer["status"].as_u64(), answer["etag"].is_null()), (Some(400), true));
        assert_eq!(answer["body"]["retry"], "fix_input");
    }
    assert!(server.received_requests().await.unwrap().is_empty());

    let right = json!({ "name": "get_book", "arguments": { "book_id": "b" } });
    let results = results(crud(&server.uri(), &library()), &[("tools/call", right)]).await;
    assert_eq!(results[0]["structuredContent"]["body"]["id"], "b");
}

#[tokio::test]
async fn two_hundred_tools_come_in_one_page() {
    let mut document = library();
    let get = document["paths"]["/v1/books/{book_id}"]["get"].clone();
    let parameters = document["paths"]["/v1/books/{book_id}"]["parameters"].clone();
    let mut paths = Map::new();
    for number in 0..200 {
        let mut operation = get.clone();
        operation["operationId"] = json!(format!("get_book_{number}"));
        let item = json!({ "parameters": parameters, "get": operation });
        paths.insert(format!("/v1/shelf-{number}/{{book_id}}"), item);
    }
    document["paths"] = Value::Object(paths);
    let listed = results(crud("http://localhost", &document), &[("tools/list", json!({}))]).await;
    let tools = listed[0]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    let expected: Vec<String> = (0..200).map(|number| format!("get_book_{number}")).collect();
    assert_eq!(names, expected);
    assert!(listed[0].get("nextCursor").is_none());
}

//! One call, one request, one result.

use serde_json::json;
use tokio::io::AsyncReadExt;
use wiremock::matchers::any;
use wiremock::{Mock, Request, ResponseTemplate};

use super::*;
use crate::limits;

async fn answering(template: ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(template).mount(&server).await;
    server
}

async fn only_request(server: &MockServer) -> Request {
    let requests = server.received_requests().await.unwrap();
    assert_eq!(requests.len(), 1);
    requests.into_iter().next().unwrap()
}

fn header(request: &Request, name: &str) -> String {
    request.headers.get(name).map_or(String::new(), |value| value.to_str().unwrap().to_owned())
}

#[tokio::test]
async fn arguments_go_where_the_document_says() {
    let server = answering(
        ResponseTemplate::new(201).insert_header("etag", "\"1\"").set_body_json(json!({ "id": "b" })),
    )
    .await;
    let arguments = json!({ "idempotency_key": "k-1", "title": "Ü", "author": { "name": "N" } });
    let output = call(&server, "create_book", arguments).await;
    assert_eq!(output.structured, json!({ "status": 201, "etag": "\"1\"", "body": { "id": "b" } }));
    assert!(!output.is_error);

    let request = only_request(&server).await;
    assert_eq!((request.method.as_str(), request.url.path()), ("POST", "/w/blue/v1/books"));
    assert_eq!(header(&request, "idempotency-key"), "k-1");
    assert_eq!(header(&request, "authorization"), "Bearer internal-ann");
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    assert_eq!(body, json!({ "title": "Ü", "author": { "name": "N" } }));
}

#[tokio::test]
async fn lists_and_objects_stand_in_queries_as_declared() {
    let server = answering(ResponseTemplate::new(200).set_body_json(json!({ "items": [] }))).await;
    let arguments =
        json!({ "tag": ["a&b", "c"], "limit": 5, "range": { "from": 1 }, "fields": ["id", "title"] });
    call(&server, "list_books", arguments).await;
    let request = only_request(&server).await;
    let pairs: Vec<(String, String)> = request.url.query_pairs().into_owned().collect();
    let pairs: Vec<(&str, &str)> =
        pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let expected =
        [("tag", "a&b"), ("tag", "c"), ("limit", "5"), ("range[from]", "1"), ("fields", "id,title")];
    assert_eq!(pairs, expected);
    assert!(request.body.is_empty());
}

#[tokio::test]
async fn a_value_cannot_leave_its_place_in_the_path() {
    for (id, path) in [
        ("a/b?c#d", "/w/blue/v1/books/a%2Fb%3Fc%23d"),
        ("../../admin", "/w/blue/v1/books/..%2F..%2Fadmin"),
        ("%2e%2e", "/w/blue/v1/books/%252e%252e"),
        ("{book_id} é", "/w/blue/v1/books/%7Bbook_id%7D%20%C3%A9"),
    ] {
        let server = answering(ResponseTemplate::new(200).set_body_json(json!({ "id": id }))).await;
        call(&server, "get_book", json!({ "book_id": id })).await;
        assert_eq!(only_request(&server).await.url.path(), path, "{id}");
    }
    let server = answering(ResponseTemplate::new(200)).await;
    for id in ["..", ".", ""] {
        let output = call(&server, "get_book", json!({ "book_id": id })).await;
        assert_eq!(output.structured["body"]["code"], "validation_failed", "{id}");
    }
    let split = json!({ "book_id": "b", "idempotency_key": "k\r\nX-Admin: 1", "if_match": "\"1\"" });
    let output = call(&server, "burn_book", split).await;
    assert_eq!(output.structured["body"]["fields"][0]["pointer"], "/idempotency_key");
    assert!(server.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_problem_comes_through_untouched() {
    let problem =
        json!({ "code": "version_conflict", "outcome": "terminal_failure", "detail": "read again" });
    let template = ResponseTemplate::new(412).set_body_raw(problem.to_string(), "application/problem+json");
    let server = answering(template).await;
    let arguments = json!({ "book_id": "b", "idempotency_key": "k", "if_match": "\"1\"" });
    let output = call(&server, "burn_book", arguments).await;
    assert!(output.is_error);
    assert_eq!(output.structured, json!({ "status": 412, "etag": null, "body": problem }));
    assert_eq!(header(&only_request(&server).await, "if-match"), "\"1\"");
}

#[tokio::test]
async fn nothing_is_null_and_text_is_text() {
    let server = answering(ResponseTemplate::new(204)).await;
    let arguments = json!({ "book_id": "b", "idempotency_key": "k", "if_match": "\"1\"" });
    assert_eq!(call(&server, "burn_book", arguments).await.structured["body"], Value::Null);
    let server = answering(ResponseTemplate::new(200).set_body_raw("hello", "text/plain")).await;
    assert_eq!(call(&server, "get_book", json!({ "book_id": "b" })).await.structured["body"], "hello");
    let server = answering(ResponseTemplate::new(200).set_body_json(json!([1]))).await;
    call(&server, "search_books", json!({ "body": ["a"] })).await;
    assert_eq!(only_request(&server).await.body, br#"["a"]"#);
}

#[tokio::test]
async fn an_answer_that_cannot_be_used_never_looks_like_one() {
    let long = "x".repeat(limits::RESPONSE_BYTES_MAX + 1);
    for template in [
        ResponseTemplate::new(200).set_body_raw("{\"id\":", "application/json"),
        ResponseTemplate::new(200).set_body_raw(vec![0xff, 0xfe], "text/html"),
        ResponseTemplate::new(302).insert_header("location", "http://elsewhere.example/"),
        ResponseTemplate::new(200).set_body_json(json!({ "id": long })),
    ] {
        let server = answering(template).await;
        let write = call(&server, "create_book", json!({ "idempotency_key": "k", "title": "T" })).await;
        assert!(write.is_error);
        assert_eq!(write.structured["body"]["code"], "outcome_unknown", "{:?}", write.structured);
        assert_eq!(write.structured["body"]["retry"], "check_first");
        let read = call(&server, "get_book", json!({ "book_id": "b" })).await;
        assert!(read.is_error);
        assert_ne!(read.structured["body"]["code"], "outcome_unknown");
    }
}

#[tokio::test]
async fn a_lost_answer_to_a_write_is_unknown_and_a_refused_connection_is_not() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let hanging_up = tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut some = [0; 1024];
            let _read = stream.read(&mut some).await.unwrap();
        }
    });
    let write = json!({ "idempotency_key": "k", "title": "T" });
    let lost = call_as("ann", &url, "create_book", write.clone()).await.structured;
    assert_eq!(
        (lost["status"].as_u64(), lost["body"]["code"].as_str()),
        (Some(504), Some("outcome_unknown"))
    );
    let read = call_as("ann", &url, "get_book", json!({ "book_id": "b" })).await.structured;
    assert_eq!(read["body"]["code"], "upstream_unavailable");
    hanging_up.abort();
    assert!(hanging_up.await.unwrap_err().is_cancelled());
    let refused = call_as("ann", &url, "create_book", write).await.structured;
    assert_eq!(refused["body"]["outcome"], "retryable_failure");
    assert_eq!(refused["body"]["retry_after_ms"], limits::RETRY_AFTER_MS);
}

#[tokio::test]
async fn nobody_speaks_for_a_banned_caller() {
    let server = answering(ResponseTemplate::new(200)).await;
    let output = call_as("banned", &server.uri(), "get_book", json!({ "book_id": "b" })).await;
    assert_eq!(output.structured["body"]["code"], "forbidden");
    assert!(server.received_requests().await.unwrap().is_empty());
}

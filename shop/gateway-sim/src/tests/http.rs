//! The door itself: who may come in, what is not understood, and connections that end without an answer.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};
use shop_gateway::wire::{KEY_HEADER, MOCK_HEADER};
use tokio::time::timeout;

use super::*;

struct Call<'a> {
    account: &'a str,
    key: Option<&'a str>,
    mock: Option<&'a str>,
    path: &'a str,
    body: String,
}

async fn post(gateway: &Gateway, call: Call<'_>) -> (u16, Value) {
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let mut request = http
        .post(format!("{}{}", gateway.base, call.path))
        .header("Authorization", call.account)
        .header("Content-Type", "application/json");
    for (name, value) in [(KEY_HEADER, call.key), (MOCK_HEADER, call.mock)] {
        if let Some(value) = value {
            request = request.header(name, value);
        }
    }
    let response = request.body(call.body).send().await.unwrap();
    (response.status().as_u16(), response.json().await.unwrap())
}

fn pay() -> Call<'static> {
    let body = serde_json::to_string(&visa(100)).unwrap();
    Call { account: "Bearer gw_test", key: Some("k"), mock: None, path: "/v1/payments", body }
}

#[tokio::test]
async fn what_is_not_understood_is_refused_and_changes_nothing() {
    let gateway = Gateway::start();
    let with = |change: Value| {
        let mut body = serde_json::to_value(visa(100)).unwrap();
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        Call { body: body.to_string(), ..pay() }
    };
    let long = "x".repeat(256);
    for (call, status, says) in [
        (Call { account: "", ..pay() }, 401, "Bearer gw_"),
        (Call { account: "Bearer sk_test", ..pay() }, 401, "Bearer gw_"),
        (Call { account: "Bearer gw_nobody", ..pay() }, 401, "Bearer gw_"),
        (Call { key: None, ..pay() }, 400, KEY_HEADER),
        (Call { key: Some("a b"), ..pay() }, 400, "visible ASCII"),
        (Call { key: Some(&long), ..pay() }, 400, "255"),
        (Call { body: "{".into(), ..pay() }, 400, "body"),
        (Call { body: "x".repeat(70_000), ..pay() }, 400, "body"),
        (with(json!({"amount_minor": 0})), 400, "amount_minor"),
        (with(json!({"amount_minor": -5})), 400, "amount_minor"),
        (with(json!({"amount_minor": 1.5})), 400, "body"),
        (with(json!({"amount_minor": i64::MAX})), 400, "amount_minor"),
        (with(json!({"currency": "euro"})), 400, "currency"),
        (with(json!({"reference": ""})), 400, "reference"),
        (with(json!({"instrument": "tok_nothing"})), 400, "tok_visa"),
        (with(json!({"amount": 5})), 400, "amount"),
        (Call { mock: Some("explode"), ..pay() }, 400, "lost_answer"),
        (Call { mock: Some("stale_read"), ..pay() }, 400, "authorize"),
        (Call { mock: Some("lost_answer*3"), ..pay() }, 400, "fit"),
        (Call { path: "/v1/nothing", ..pay() }, 404, "no such call"),
    ] {
        let (got, body) = post(&gateway, call).await;
        assert!(got == status && body["error"]["message"].as_str().unwrap().contains(says), "{got} {body}");
    }
    assert_eq!(gateway.account.ledger_entries().unwrap(), []);
    assert_eq!(post(&gateway, pay()).await.0, 200);
}

#[tokio::test]
async fn a_header_chooses_the_fate_of_one_call() {
    let gateway = Gateway::start();
    let mock = |key, mock| Call { key: Some(key), mock: Some(mock), ..pay() };
    let (status, body) = post(&gateway, mock("a", "insufficient_funds")).await;
    assert_eq!((status, body["error"]["code"].as_str()), (402, Some("insufficient_funds")));
    // It was truly declined: the key keeps its answer without the header.
    assert_eq!(post(&gateway, Call { key: Some("a"), ..pay() }).await.0, 402);
    assert_eq!(post(&gateway, mock("b", "http_503:after")).await.0, 503);
    assert_eq!(post(&gateway, mock("c", "http_503:before")).await.0, 503);
    let keys: Vec<_> = effects(&gateway.account).into_iter().filter_map(|line| line.key).collect();
    assert_eq!(keys, ["b"]);
}

/// Sends one authorisation on a bare socket and returns all that comes back until it closes; `None` if it hangs.
fn on_a_bare_socket(gateway: &Gateway, mock: &str) -> Option<Vec<u8>> {
    let body = serde_json::to_string(&visa(100)).unwrap();
    let head = format!(
        "POST /v1/payments HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer gw_test\r\n{KEY_HEADER}: {mock}\r\n\
         {MOCK_HEADER}: {mock}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let mut socket = TcpStream::connect(gateway.base.trim_start_matches("http://")).unwrap();
    socket.write_all(head.as_bytes()).unwrap();
    socket.write_all(body.as_bytes()).unwrap();
    socket.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let mut bytes = Vec::new();
    match socket.read_to_end(&mut bytes) {
        Ok(_) => Some(bytes),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => None,
        Err(error) if error.kind() == ErrorKind::ConnectionReset => Some(bytes),
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_can_end_without_an_answer_or_in_the_middle_of_one() {
    let gateway = Gateway::start();
    // Lost: not one byte, at once.
    assert_eq!(on_a_bare_socket(&gateway, "lost_answer"), Some(Vec::new()));
    // Cut: the head and half of the body it promises.
    let cut = String::from_utf8(on_a_bare_socket(&gateway, "cut_body").unwrap()).unwrap();
    let (head, body) = cut.split_once("\r\n\r\n").unwrap();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    assert_eq!(body.len(), length.parse::<usize>().unwrap() / 2, "{cut}");
    // Hung: open, and silent.
    assert_eq!(on_a_bare_socket(&gateway, "timeout_after"), None);
    assert_eq!(effects(&gateway.account).len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_gateway_finishes_what_its_caller_gave_up_on() {
    let gateway = Gateway::serve(LedgerFile::memory(), Duration::from_millis(400));
    // The caller gives up after 200 ms and hangs up.
    assert_eq!(on_a_bare_socket(&gateway, "slow:before"), None);
    assert_eq!(effects(&gateway.account), []);
    until("the effect", || async { effects(&gateway.account).len() == 1 }).await;
}

#[tokio::test]
async fn a_stop_does_not_wait_for_calls_that_hang() {
    let gateway = Gateway::start();
    gateway.script(&["timeout_before@authorize"]);
    let client = gateway.client.clone();
    let call = tokio::spawn(async move { client.authorize("k", &visa(100)).await });
    until("the call hangs", || async { gateway.account.world().faults.list()[0].1 == 1 }).await;
    timeout(Duration::from_secs(3), gateway.stopper.stop()).await.unwrap();
    assert_eq!(call.await.unwrap(), Outcome::Unknown);
    assert!(matches!(gateway.client.authorize("l", &visa(100)).await, Outcome::Busy { .. }));
    assert_eq!(effects(&gateway.account), []);
}

#[tokio::test]
async fn every_call_is_in_the_journal_with_what_became_of_it() {
    let gateway = Gateway::start();
    gateway.script(&["http_500@capture*1"]);
    let held = gateway.hold("a", 100).await;
    assert_eq!(gateway.client.capture("b", &held.id, 100).await, Outcome::Unknown);
    found(gateway.client.lookup_key("a").await);
    let journal = gateway.account.world().journal.after(0, 10);
    let told: Vec<_> = journal
        .iter()
        .map(|entry| (entry.line.operation.as_str(), entry.line.key.as_deref(), entry.line.outcome.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("authorize", Some("a"), "200"),
            ("capture", Some("b"), "500 (http_500)"),
            ("lookup", Some("a"), "200")
        ]
    );
    assert!(journal.iter().all(|entry| entry.line.door == "gateway"));
}

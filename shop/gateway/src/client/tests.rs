//! The gateway is a wiremock server that says exactly what each case needs.

use std::net::TcpListener;
use std::time::Duration;

use serde_json::{Value, json};
use wiremock::matchers::{header, method, path, query_param};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;
use crate::wire::{Decline, Instrument, KeyResult, Operation, PaymentStatus, code};

fn client(base_url: &str) -> Client {
    let settings = Settings { request_timeout_ms: 200, busy_after_ms: 70, ..Settings::new(base_url) };
    Client::new(&settings, "main").unwrap()
}

fn authorize() -> Authorize {
    Authorize {
        amount_minor: 1_999,
        currency: "EUR".into(),
        instrument: "tok_visa".into(),
        reference: "pay_1".into(),
    }
}

fn payment() -> Payment {
    Payment {
        id: "ch_1".into(),
        status: PaymentStatus::Authorized,
        reference: "pay_1".into(),
        currency: "EUR".into(),
        instrument: Instrument { token: "tok_visa".into(), brand: "visa".into(), last4: "4242".into() },
        requested_minor: 1_999,
        authorized_minor: 1_999,
        captured_minor: 0,
        refunded_minor: 0,
        dispute: None,
        created_at: chrono::DateTime::UNIX_EPOCH,
    }
}

fn error(code: &str) -> Value {
    json!({"error": {"code": code, "message": "m"}})
}

fn refused<T>(code: &str) -> Outcome<T> {
    Outcome::Refused(Decline { code: code.into(), message: "m".into() })
}

/// What the client makes of one answer to an authorisation.
async fn outcome_of(answer: ResponseTemplate) -> Outcome<Payment> {
    let server = MockServer::start().await;
    Mock::given(method("POST")).and(path("/v1/payments")).respond_with(answer).expect(1).mount(&server).await;
    client(&server.uri()).authorize("key_1", &authorize()).await
}

fn answer(status: u16, body: Value) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_json(body)
}

#[tokio::test]
async fn every_answer_has_one_meaning() {
    let whole = serde_json::to_string(&payment()).unwrap();
    let truncated = &whole[..whole.len() / 2];
    let done = || Outcome::Done(payment());
    let table = [
        ("ok", answer(200, json!(payment())), done()),
        ("created", answer(201, json!(payment())), done()),
        ("replayed", answer(200, json!(payment())).insert_header("Idempotent-Replayed", "true"), done()),
        ("declined", answer(402, error("insufficient_funds")), refused("insufficient_funds")),
        (
            "replayed no",
            answer(402, error("lost_card")).insert_header("Idempotent-Replayed", "true"),
            refused("lost_card"),
        ),
        ("malformed", answer(400, error("invalid_request")), refused("invalid_request")),
        ("stranger", answer(401, error("unauthorized")), refused("unauthorized")),
        ("fenced", answer(410, error(code::KEY_CANCELLED)), refused(code::KEY_CANCELLED)),
        ("rule", answer(422, error("capture_exceeds_authorized")), refused("capture_exceeds_authorized")),
        ("key has another story", answer(409, error(code::KEY_CONFLICT)), Outcome::Unknown),
        ("key is too old", answer(409, error(code::KEY_EXPIRED)), Outcome::Unknown),
        (
            "busy",
            answer(429, error("rate_limited")).insert_header("Retry-After", "2"),
            Outcome::Busy { after_ms: 2_000 },
        ),
        ("busy, no time given", ResponseTemplate::new(429), Outcome::Busy { after_ms: 70 }),
        (
            "busy for a year",
            ResponseTemplate::new(429).insert_header("Retry-After", "31536000"),
            Outcome::Busy { after_ms: 60_000 },
        ),
        ("moved", ResponseTemplate::new(307).insert_header("Location", "/v1/elsewhere"), Outcome::Unknown),
        ("their timeout", answer(408, error("timeout")), Outcome::Unknown),
        (
            "4xx of somebody else",
            ResponseTemplate::new(404).set_body_raw("<html>", "text/html"),
            Outcome::Unknown,
        ),
        ("500", answer(500, error("internal")), Outcome::Unknown),
        ("503 with a decline's words", answer(503, error("insufficient_funds")), Outcome::Unknown),
        (
            "truncated",
            ResponseTemplate::new(200).set_body_raw(truncated, "application/json"),
            Outcome::Unknown,
        ),
        ("not json", ResponseTemplate::new(200).set_body_raw(whole.as_str(), "text/html"), Outcome::Unknown),
        ("empty", ResponseTemplate::new(200), Outcome::Unknown),
        ("accepted, no more", answer(202, json!(payment())), Outcome::Unknown),
        ("other shape", answer(200, json!({"data": payment()})), Outcome::Unknown),
        ("too late", answer(200, json!(payment())).set_delay(Duration::from_millis(900)), Outcome::Unknown),
        (
            "far too long",
            ResponseTemplate::new(200).set_body_raw(vec![b' '; 1_000_001], "application/json"),
            Outcome::Unknown,
        ),
    ];
    for (name, answer, expected) in table {
        assert_eq!(outcome_of(answer).await, expected, "{name}");
    }
}

#[tokio::test]
async fn nobody_listening_is_busy_and_a_dropped_connection_is_unknown() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    assert_eq!(client(&base).authorize("k", &authorize()).await, Outcome::Busy { after_ms: 70 });
    assert_eq!(client(&base).lookup_key("k").await, Lookup::Unavailable);

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let sends = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        drop(stream);
        // A second connection would be a second send.
        listener.set_nonblocking(true).unwrap();
        listener.accept().is_err()
    });
    assert_eq!(client(&base).authorize("k", &authorize()).await, Outcome::Unknown);
    assert!(sends.join().unwrap());
}

#[tokio::test]
async fn a_look_up_finds_or_finds_nothing_or_learns_nothing() {
    let record = KeyRecord {
        key: "k".into(),
        operation: Operation::Authorize,
        at: chrono::DateTime::UNIX_EPOCH,
        amount_minor: Some(1_999),
        result: KeyResult::Payment(payment()),
    };
    for (answer, expected) in [
        (answer(200, json!(record)), Lookup::Found(record.clone())),
        (answer(404, error(code::NOT_FOUND)), Lookup::NotFound),
        (answer(404, error("no_such_route")), Lookup::Unavailable),
        (ResponseTemplate::new(404), Lookup::Unavailable),
        (answer(429, error("rate_limited")), Lookup::Unavailable),
        (answer(401, error("unauthorized")), Lookup::Unavailable),
        (answer(500, error(code::NOT_FOUND)), Lookup::Unavailable),
        (answer(200, json!({"key": "k"})), Lookup::Unavailable),
    ] {
        let server = MockServer::start().await;
        Mock::given(method("GET"))
            .and(path("/v1/keys/k"))
            .respond_with(answer)
            .expect(1)
            .mount(&server)
            .await;
        assert_eq!(client(&server.uri()).lookup_key("k").await, expected);
    }
}

/// Each call carries its account and its key, and a repeat carries the same ones.
#[tokio::test]
async fn the_same_key_is_sent_again_in_the_same_place() {
    let server = MockServer::start().await;
    let posts = ["/v1/payments", "/v1/payments/ch_1/capture", "/v1/payments/ch_1/void", "/v1/refunds"];
    for post in posts {
        Mock::given(method("POST"))
            .and(path(post))
            .and(header("Authorization", "Bearer gw_other"))
            .and(header(KEY_HEADER, "act_1/pay/1"))
            .respond_with(answer(402, error("lost_card")))
            .expect(2)
            .mount(&server)
            .await;
    }
    Mock::given(method("POST"))
        .and(path("/v1/keys/act_1%2Fpay%2F1/cancel"))
        .respond_with(answer(402, error("lost_card")))
        .expect(2)
        .mount(&server)
        .await;
    Mock::given(method("GET"))
        .and(path("/v1/balance_transactions"))
        .and(query_param("after", "7"))
        .and(query_param("limit", "50"))
        .respond_with(answer(200, json!({"data": [], "next_after": null})))
        .expect(1)
        .mount(&server)
        .await;

    let client = client(&server.uri()).for_account("other");
    let key = "act_1/pay/1";
    let refund = CreateRefund { payment: "ch_1".into(), amount_minor: 5, reference: "rfd_1".into() };
    for _ in 0..2 {
        assert_eq!(client.authorize(key, &authorize()).await, refused("lost_card"));
        assert_eq!(client.capture(key, "ch_1", 5).await, refused("lost_card"));
        assert_eq!(client.void(key, "ch_1").await, refused("lost_card"));
        assert_eq!(client.refund(key, &refund).await, refused("lost_card"));
        assert_eq!(client.fence(key).await, refused("lost_card"));
    }
    assert_eq!(client.ledger(7, 50).await, Lookup::Found(Page { data: vec![], next_after: None }));
}

#[tokio::test]
async fn what_cannot_be_sent_is_refused_before_it_is_sent() {
    let server = MockServer::start().await;
    Mock::given(method("POST")).respond_with(ResponseTemplate::new(200)).expect(0).mount(&server).await;
    let outcome = client(&server.uri()).capture("line\nbreak", "ch_1", 5).await;
    assert!(matches!(outcome, Outcome::Refused(decline) if decline.code == "request_unsendable"));
    for base in ["", "127.0.0.1:80", "ftp://gateway", "file:///tmp"] {
        assert!(matches!(Client::new(&Settings::new(base), "main"), Err(ClientError::BaseUrl(_))), "{base}");
    }
}

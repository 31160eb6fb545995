//! The merchant is a wiremock server.

use chrono::TimeDelta;
use shop_gateway::webhook::{
    ACCOUNT_HEADER, Event, EventKind, SIGNATURE_HEADER, SignatureError, TOLERANCE, verify,
};
use shop_world::clock::real_now;
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, Request as Received, ResponseTemplate};

use super::*;
use crate::{Postman, Webhook};

const SECRET: &str = "whsec_test";

fn tell(gateway: &Gateway, url: String) {
    let webhook = Webhook { url, secret: SECRET.into(), postman: Postman::new().unwrap() };
    gateway.account.send_webhooks_to(Some(webhook));
}

async fn merchant() -> (Gateway, MockServer) {
    let (gateway, server) = (Gateway::start(), MockServer::start().await);
    Mock::given(method("POST")).respond_with(ResponseTemplate::new(200)).mount(&server).await;
    tell(&gateway, format!("{}/hooks/gateway", server.uri()));
    (gateway, server)
}

/// Fails twice, then takes whatever comes.
async fn slow_learner() -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(500))
        .up_to_n_times(2)
        .with_priority(1)
        .mount(&server)
        .await;
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(204))
        .with_priority(2)
        .mount(&server)
        .await;
    server
}

async fn received(server: &MockServer) -> Vec<Received> {
    server.received_requests().await.unwrap()
}

fn check(delivery: &Received) -> Result<(), SignatureError> {
    let header = delivery.headers[SIGNATURE_HEADER].to_str().unwrap();
    verify(SECRET, header, &delivery.body, real_now(), TOLERANCE)
}

fn events(deliveries: &[Received]) -> Vec<Event> {
    deliveries.iter().map(|delivery| serde_json::from_slice(&delivery.body).unwrap()).collect()
}

#[tokio::test]
async fn every_effect_is_announced_and_signed() {
    let (gateway, server) = merchant().await;
    let client = &gateway.client;
    let paid = gateway.take("c", 9_100_000).await;
    done(client.refund("r1", &refund_of(&paid, 100)).await);
    done(client.refund("r2", &refund_of(&paid, 9_000_003)).await);
    assert_eq!(refusal(client.refund("r3", &refund_of(&paid, 9_000_000)).await), "refund_exceeds_captured");
    assert_eq!(refusal(client.authorize("no", &paying_with("tok_lost_card", 5)).await), "lost_card");
    let held = gateway.hold("h", 5).await;
    done(client.void("v", &held.id).await);
    // Neither a look-up, nor a replay, nor a fence is news.
    done(client.void("v", &held.id).await);
    done(client.fence("f").await);

    // In a world that stands still nothing leaves by itself.
    assert_eq!(received(&server).await.len(), 0);
    assert_eq!((gateway.account.deliver().await, gateway.account.deliver().await), (8, 0));
    let deliveries = received(&server).await;
    assert!(deliveries.iter().all(|delivery| check(delivery).is_ok()));
    assert!(deliveries.iter().all(|delivery| delivery.headers[ACCOUNT_HEADER] == "test"));
    let mut told: Vec<_> =
        events(&deliveries).into_iter().map(|event| (event.key.unwrap(), event.kind)).collect();
    told.sort_by(|(left, _), (right, _)| left.cmp(right));
    let expected = [
        ("c", EventKind::PaymentCaptured),
        ("c-hold", EventKind::PaymentAuthorized),
        ("h", EventKind::PaymentAuthorized),
        ("no", EventKind::PaymentFailed),
        ("r1", EventKind::RefundSucceeded),
        ("r2", EventKind::RefundPending),
        ("r3", EventKind::RefundFailed),
        ("v", EventKind::PaymentVoided),
    ];
    assert_eq!(told, expected.map(|(key, kind)| (key.to_owned(), kind)));

    // What happens by itself is announced without a key.
    gateway.account.world().clock.advance(TimeDelta::days(1));
    gateway.account.tick().unwrap();
    gateway.account.deliver().await;
    let last = events(&received(&server).await).pop().unwrap();
    assert_eq!((last.kind, last.key), (EventKind::RefundFailed, None));
}

#[tokio::test]
async fn a_delivery_that_fails_is_tried_again() {
    let (gateway, server) = (Gateway::running(), slow_learner().await);
    tell(&gateway, server.uri());
    gateway.hold("a", 5).await;
    until("all deliveries", || async { received(&server).await.len() >= 3 }).await;
    let deliveries = received(&server).await;
    // The same event each time, so that the merchant can drop repeats.
    let events = events(&deliveries);
    assert!(events.iter().all(|event| *event == events[0]));
    assert!(deliveries.iter().all(|delivery| check(delivery).is_ok()));
}

#[tokio::test]
async fn in_a_world_that_stands_still_it_is_tried_again_when_its_time_has_come() {
    let (gateway, server) = (Gateway::start(), slow_learner().await);
    tell(&gateway, server.uri());
    gateway.hold("a", 5).await;
    let clock = &gateway.account.world().clock;
    for (waited_ms, tried) in [(0, 1), (199, 0), (1, 1), (399, 0), (1, 1), (3_600_000, 0)] {
        clock.advance(TimeDelta::milliseconds(waited_ms));
        assert_eq!(gateway.account.deliver().await, tried, "{waited_ms}");
    }
    assert_eq!(received(&server).await.len(), 3);
    gateway.hold("given-up", 5).await;
    server.reset().await;
    for _ in 0..20 {
        clock.advance(TimeDelta::hours(1));
        gateway.account.deliver().await;
    }
    assert_eq!(received(&server).await.len(), 5, "so many attempts and no more");
}

#[tokio::test]
async fn a_deaf_merchant_delays_no_answer() {
    let gateway = Gateway::running();
    // Accepts connections and never says a word.
    let deaf = TcpListener::bind("127.0.0.1:0").unwrap();
    tell(&gateway, format!("http://{}", deaf.local_addr().unwrap()));
    let calls = (0..50).map(|n| {
        let (client, key) = (gateway.client.clone(), format!("k{n}"));
        async move { client.authorize(&key, &visa(5)).await }
    });
    for outcome in futures::future::join_all(calls).await {
        done(outcome);
    }
    gateway.account.send_webhooks_to(None);
    gateway.hold("silent", 5).await;
    assert_eq!(effects(&gateway.account).len(), 51);
}

#[tokio::test]
async fn events_can_be_dropped_doubled_delayed_and_forged() {
    let (gateway, server) = merchant().await;
    gateway.script(&["webhook_drop*1", "webhook_duplicate*1", "webhook_bad_signature*1", "webhook_delay*1"]);
    // One at a time, so that each event meets the rule meant for it.
    for key in ["dropped", "doubled", "forged", "late", "plain"] {
        gateway.hold(key, 5).await;
    }
    gateway.account.deliver().await;
    assert_eq!(received(&server).await.len(), 4, "the late one is not due yet");
    gateway.account.world().clock.advance(TimeDelta::seconds(1));
    gateway.account.deliver().await;
    let deliveries = received(&server).await;
    let keys: Vec<_> = events(&deliveries).into_iter().map(|event| event.key.unwrap()).collect();
    let count = |wanted: &str| keys.iter().filter(|key| *key == wanted).count();
    assert_eq!(["dropped", "doubled", "forged", "late", "plain"].map(count), [0, 2, 1, 1, 1]);
    assert_eq!(keys.last().map(String::as_str), Some("late"));
    for (key, delivery) in keys.iter().zip(&deliveries) {
        assert_eq!(check(delivery).is_err(), key == "forged", "{key}");
    }
}

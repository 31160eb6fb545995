//! One key, one effect: replays, conflicts, races and the fence.

use chrono::TimeDelta;
use futures::future::{join, join_all};
use shop_gateway::wire::{KEY_HEADER, KeyResult, Operation, REPLAYED_HEADER, code};

use super::*;

#[tokio::test]
async fn a_hundred_calls_with_one_key_have_one_effect() {
    let gateway = Gateway::start();
    let input = visa(1_000);
    let outcomes = join_all((0..100).map(|_| gateway.client.authorize("same", &input))).await;
    let first = done(outcomes[0].clone());
    assert!(outcomes.into_iter().all(|outcome| outcome == Outcome::Done(first.clone())));
    assert_eq!(gateway.account.ledger_entries().unwrap().len(), 1);
}

#[tokio::test]
async fn an_answer_is_replayed_to_the_byte_whatever_happened_since() {
    let gateway = Gateway::start();
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let send = |key: &str, body: serde_json::Value| {
        let request = http
            .post(format!("{}/v1/payments", gateway.base))
            .bearer_auth("gw_test")
            .header(KEY_HEADER, key)
            .json(&body);
        async move {
            let response = request.send().await.unwrap();
            let replayed = response.headers().contains_key(REPLAYED_HEADER);
            (response.status().as_u16(), replayed, response.text().await.unwrap())
        }
    };
    let good = serde_json::to_value(visa(1_000)).unwrap();
    let bad = serde_json::to_value(paying_with("tok_lost_card", 1_000)).unwrap();

    let (status, replayed, held) = send("a", good.clone()).await;
    assert_eq!((status, replayed), (200, false));
    let payment: Payment = serde_json::from_str(&held).unwrap();
    let (status, replayed, declined) = send("b", bad.clone()).await;
    assert_eq!((status, replayed), (402, false));
    let taken = gateway.client.capture("c", &payment.id, 600).await;
    done(gateway.client.refund("r", &refund_of(&payment, 100)).await);

    gateway.account.world().clock.advance(TimeDelta::days(30));
    assert_eq!(send("a", good.clone()).await, (200, true, held));
    assert_eq!(send("b", bad).await, (402, true, declined));
    assert_eq!(gateway.client.capture("c", &payment.id, 600).await, taken);

    // Other content under a known key is a conflict, also another kind of call.
    assert_eq!(send("a", serde_json::to_value(visa(1_001)).unwrap()).await.0, 409);
    assert_eq!(gateway.client.void("a", &payment.id).await, Outcome::Unknown);

    // After 30 days the answer is gone, but neither the effect nor the way to find it.
    gateway.account.world().clock.advance(TimeDelta::seconds(1));
    let (status, _, body) = send("a", good).await;
    assert!(status == 409 && body.contains(code::KEY_EXPIRED), "{body}");
    let record = found(gateway.client.lookup_key("a").await);
    assert_eq!((record.operation, record.amount_minor), (Operation::Authorize, Some(1_000)));
    // A look-up says how things stand now.
    assert!(
        matches!(record.result, KeyResult::Payment(now) if now.captured_minor == 600 && now.refunded_minor == 100)
    );
    assert_eq!(effects(&gateway.account).len(), 3);
}

#[tokio::test]
async fn a_fence_makes_not_found_final() {
    let gateway = Gateway::start();
    let client = &gateway.client;
    assert_eq!(client.lookup_key("act_1/pay/1").await, Lookup::NotFound);
    let fenced = done(client.fence("act_1/pay/1").await);
    assert_eq!((fenced.key.as_str(), &fenced.result), ("act_1/pay/1", &KeyResult::Fenced));
    assert_eq!(done(client.fence("act_1/pay/1").await), fenced);
    assert_eq!(found(client.lookup_key("act_1/pay/1").await), fenced);
    assert_eq!(refusal(client.authorize("act_1/pay/1", &visa(5)).await), code::KEY_CANCELLED);

    // A fence that comes too late changes nothing and tells what happened.
    let held = gateway.hold("early", 5).await;
    assert_eq!(done(client.fence("early").await).result, KeyResult::Payment(held));
    assert_eq!(refusal(client.authorize("no", &paying_with("tok_lost_card", 5)).await), "lost_card");
    assert!(matches!(done(client.fence("no").await).result, KeyResult::Refused(_)));
    assert_eq!(effects(&gateway.account).len(), 1);
}

/// Whichever wins, both callers are told the same story, and it is the one in the books.
#[tokio::test]
async fn fence_and_authorize_race_to_one_truth() {
    let gateway = Gateway::start();
    for round in 0..100 {
        let key = format!("race-{round}");
        let input = visa(round + 1);
        let call = gateway.client.authorize(&key, &input);
        let fence = gateway.client.fence(&key);
        let (call, fence) = if round % 2 == 0 {
            join(call, fence).await
        } else {
            let (fence, call) = join(fence, call).await;
            (call, fence)
        };
        let in_books = effects(&gateway.account).iter().any(|line| line.key.as_deref() == Some(&key));
        match done(fence).result {
            KeyResult::Fenced => {
                assert_eq!(refusal(call), code::KEY_CANCELLED);
                assert!(!in_books);
            }
            KeyResult::Payment(payment) => {
                assert_eq!(done(call), payment);
                assert!(in_books);
            }
            other @ (KeyResult::Refund(_) | KeyResult::Refused(_)) => panic!("{other:?}"),
        }
    }
}

/// The request sits in a queue while its caller gives up, looks, and finds nothing.
#[tokio::test]
async fn only_the_fence_stops_a_late_request() {
    for is_fenced in [false, true] {
        let gateway = Gateway::start();
        gateway.script(&["late_success@authorize*1"]);
        assert_eq!(gateway.hasty.authorize("late", &visa(5)).await, Outcome::Unknown);
        assert_eq!(gateway.client.lookup_key("late").await, Lookup::NotFound);
        if is_fenced {
            assert_eq!(done(gateway.client.fence("late").await).result, KeyResult::Fenced);
        }
        gateway.account.world().clock.advance(TimeDelta::minutes(1));
        let record = found_or_fenced(&gateway).await;
        assert_eq!(matches!(record.result, KeyResult::Fenced), is_fenced);
        assert_eq!(effects(&gateway.account).len(), usize::from(!is_fenced));
    }
}

async fn found_or_fenced(gateway: &Gateway) -> KeyRecord {
    gateway.account.tick().unwrap();
    found(gateway.client.lookup_key("late").await)
}

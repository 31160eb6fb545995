//! Whatever has a time of its own obeys the clock of its world: nothing happens before, and then it happens.

use serde_json::{Value, json};
use twinshop_testkit::{Rest, Twinshop};

use crate::checkout::to_the_boundary;
use crate::shop;

const FROZEN: [&str; 2] = ["--frozen-at", "2026-03-02T12:00:00Z"];
const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

async fn advance(shop: &Twinshop, ms: i64) {
    shop.admin().unwrap().advance(ms).await.unwrap();
}

/// The items of a list.
async fn items(rest: &Rest, path: &str) -> Vec<Value> {
    let page = rest.get(path).send().await.unwrap();
    assert_eq!(page.status, 200, "{path}: {}", page.body);
    page.body["items"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_reservation_is_given_back_when_its_action_has_been_left() {
    let shop = shop(&FROZEN).await;
    let (door, rest) = (shop.actions("agent").unwrap(), shop.rest("admin").unwrap());
    let action = to_the_boundary(&door).await.text("/action_id").to_owned();
    let held = async || {
        let all = items(&rest, "/v1/inventory/reservations?limit=100").await;
        all.iter().filter(|row| row["holder"] == action.as_str() && row["status"] == "active").count()
    };
    assert!(held().await > 0, "the units are held");
    advance(&shop, 29 * MINUTE).await;
    assert!(held().await > 0, "not yet");
    advance(&shop, 2 * MINUTE).await;
    assert_eq!(held().await, 0);
    let view = door.call("get_context", json!({ "action_id": action })).await.unwrap();
    assert_eq!(view.text("/status"), "expired", "{}", view.body);
}

#[tokio::test]
async fn a_question_to_the_person_expires_after_a_quarter_of_an_hour() {
    let arguments = [&FROZEN[..], &["--consent", "human"]].concat();
    let shop = Twinshop::start(env!("CARGO_BIN_EXE_twinshop"), &arguments).await.unwrap();
    let door = shop.actions("agent").unwrap();
    let action = to_the_boundary(&door).await.text("/action_id").to_owned();
    let ask = async || {
        let confirm = json!({ "action_id": action, "approval": "approved", "idempotency_key": "k" });
        let asked = door.call("confirm_action", confirm).await.unwrap();
        assert_eq!(asked.text("/reason"), "consent_required", "{}", asked.body);
        (asked.text("/consent/url").to_owned(), asked.text("/consent/expires_at").to_owned())
    };
    let first = ask().await;
    assert_eq!(first.1, "2026-03-02T12:15:00Z");
    advance(&shop, 14 * MINUTE).await;
    assert_eq!(ask().await, first, "the same question, still open");
    advance(&shop, 2 * MINUTE).await;
    let second = ask().await;
    assert_ne!(second.0, first.0, "a new question");
    assert_eq!(second.1, "2026-03-02T12:31:00Z");
}

#[tokio::test]
async fn a_key_is_kept_for_a_day() {
    let shop = shop(&FROZEN).await;
    let rest = shop.rest("ada").unwrap();
    let open = async |subject: &str| {
        rest.post("/v1/tickets", json!({ "subject": subject, "text": "hello" }))
            .key("k")
            .send()
            .await
            .unwrap()
    };
    let first = open("one").await;
    assert_eq!((first.status, first.is_replay), (201, false), "{}", first.body);
    advance(&shop, 23 * HOUR).await;
    let again = open("one").await;
    assert_eq!((again.is_replay, again.text("/id")), (true, first.text("/id")));
    assert!(open("two").await.status >= 400, "the key belongs to the first ticket");
    advance(&shop, 2 * HOUR).await;
    let later = open("two").await;
    assert_eq!((later.status, later.is_replay), (201, false), "{}", later.body);
    assert_ne!(later.text("/id"), first.text("/id"));
}

#[tokio::test]
async fn a_parcel_travels_and_its_goods_can_be_returned_for_as_long_as_the_window_is_open() {
    let shop = shop(&FROZEN).await;
    let rest = shop.rest("admin").unwrap();
    let parcel = items(&rest, "/v1/fulfillments?limit=1&status=labelled").await[0].clone();
    let path = format!("/v1/fulfillments/{}", parcel["id"].as_str().unwrap());
    let version = rest.get(&path).send().await.unwrap().version.unwrap();
    let shipped =
        rest.post(&format!("{path}/ship"), json!({})).key("ship").if_match(version).send().await.unwrap();
    assert_eq!(shipped.status, 200, "{}", shipped.body);

    let track = format!("/v1/shipments/{}", parcel["tracking_number"].as_str().unwrap());
    let mut seen = Vec::new();
    for days in [0, 1, 3] {
        advance(&shop, days * DAY).await;
        let now = rest.get(&track).send().await.unwrap();
        let scans = now.body["scans"].as_array().unwrap().len();
        seen.push((now.text("/status").to_owned(), scans));
    }
    let told: Vec<(&str, usize)> = seen.iter().map(|(status, scans)| (status.as_str(), *scans)).collect();
    assert_eq!(told, [("shipped", 1), ("in_transit", 2), ("delivered", 4)]);

    let order = parcel["order_id"].as_str().unwrap();
    let returnable = format!("/v1/orders/{order}/returnable-items");
    let now = items(&rest, &returnable).await;
    let until = now[0]["returnable_until"].clone();
    let set = async |to: &Value| shop.admin().unwrap().set_clock(json!({ "set": to })).await.unwrap();
    set(&until).await;
    advance(&shop, -MINUTE).await;
    assert_eq!(items(&rest, &returnable).await, now, "until its last minute");
    // The rule counts whole days since the delivery, so the last of them is still good.
    advance(&shop, DAY).await;
    assert_eq!(items(&rest, &returnable).await, now, "and the day that has begun");
    advance(&shop, 2 * MINUTE).await;
    assert_eq!(items(&rest, &returnable).await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_subscriber_that_is_away_is_tried_again_later_and_later() {
    let shop = shop(&FROZEN).await;
    let rest = shop.rest("admin").unwrap();
    // A port of our own on which nobody listens any more.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let endpoint = json!({ "url": format!("http://127.0.0.1:{port}/"), "events": ["ticket.created"] });
    let made = rest.post("/v1/webhook-endpoints", endpoint).key("e").send().await.unwrap();
    assert_eq!(made.status, 201, "{}", made.body);
    let ticket = json!({ "subject": "hello", "text": "is anybody there?" });
    let opened = shop.rest("ada").unwrap().post("/v1/tickets", ticket).key("t").send().await.unwrap();
    assert_eq!(opened.status, 201, "{}", opened.body);

    let tries = async || items(&rest, "/v1/webhook-deliveries").await[0]["tries"].as_i64().unwrap();
    assert_eq!(tries().await, 0, "nothing is sent by itself while time stands still");
    shop.admin().unwrap().drain().await.unwrap();
    shop.admin().unwrap().drain().await.unwrap();
    assert_eq!(tries().await, 1, "once, as long as no time passes");
    for already in 1..4 {
        let delivery = items(&rest, "/v1/webhook-deliveries").await[0].clone();
        assert_eq!(delivery["status"], "pending", "{delivery}");
        shop.admin().unwrap().set_clock(json!({ "set": delivery["next_try_at"] })).await.unwrap();
        assert_eq!(tries().await, already + 1);
    }
}

#[tokio::test]
async fn a_bank_disputes_and_decides_in_its_own_time() {
    let shop = shop(&FROZEN).await;
    let (ada, admin, door) =
        (shop.rest("ada").unwrap(), shop.rest("admin").unwrap(), shop.actions("agent").unwrap());
    let orders = items(&ada, "/v1/orders?limit=1").await;
    let customer = orders[0]["customer_id"].as_str().unwrap();
    let method = json!({ "token": "tok_dispute_later", "is_default": true });
    let path = format!("/v1/customers/{customer}/payment-methods");
    let attached = ada.post(&path, method).key("pm").send().await.unwrap();
    assert_eq!(attached.status, 201, "{}", attached.body);
    let action = to_the_boundary(&door).await.text("/action_id").to_owned();
    let confirm = json!({ "action_id": action, "approval": "approved", "idempotency_key": "k" });
    door.call("confirm_action", confirm).await.unwrap();

    // The seeded shop has disputes of its own.
    let paid = items(&admin, "/v1/payments?limit=1").await[0]["id"].clone();
    let disputes = async || {
        let mut disputes = items(&admin, "/v1/disputes").await;
        disputes.retain(|dispute| dispute["payment_id"] == paid);
        disputes
    };
    advance(&shop, 2 * DAY).await;
    assert_eq!(disputes().await, Vec::<Value>::new(), "not yet");
    advance(&shop, 2 * DAY).await;
    let open = disputes().await;
    assert_eq!(open.len(), 1);
    advance(&shop, 8 * DAY).await;
    assert_eq!(disputes().await[0]["status"], "lost", "nobody answered within the week");
    let books = admin.get("/v1/reports/ledger").send().await.unwrap();
    assert_eq!(books.number("/sum_minor"), 0);
}

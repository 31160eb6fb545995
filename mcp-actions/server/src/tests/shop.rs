//! The same door over the shop's own flows and rows, with the real gateway simulator behind it.

use mcp_actions_flows::{Ctx, Engines};
use shop_service::testing::TestShop;
use shop_service::{consents, principals};

use super::*;

const CONSOLE: &str = "http://shop.test/console";

/// An agent that shops for Ada.
async fn agent(t: &TestShop, level: ConsentLevel) -> Client {
    let mut principal = principals::by_name(&t.shop, "ada").await.unwrap().as_ref().clone();
    principal.is_agent = true;
    let ctx = Ctx::new(Arc::clone(&t.shop), Arc::new(principal), shop_service::Door::Actions);
    let door = door(Actions::new(Engines::new(level, CONSOLE)));
    Client::open(&door, Identity::new("ada", "test", ctx), json!({})).await
}

/// Two blue mugs to Ada's address, on her card.
async fn mugs(client: &mut Client, t: &TestShop) -> Got {
    let patch = json!({
        "items": [{ "id": t.goods.blue_mug, "quantity": 2 }],
        "address_id": t.ada.address, "payment_type": "card",
    });
    let ready = client.call("start_action", json!({ "capability": "checkout", "patch": patch })).await;
    assert_eq!((ready.text("node"), &ready.body["missing"]), ("CONFIRM_ORDER", &json!([])), "{}", ready.body);
    ready
}

#[tokio::test]
async fn nothing_is_bought_until_the_person_says_yes_on_their_own_page() {
    let t = TestShop::open().await;
    let mut client = agent(&t, ConsentLevel::Human).await;
    let ready = mugs(&mut client, &t).await;
    let asked = client.confirm(&ready, "k").await;
    assert_eq!((asked.text("reason"), asked.is_error), ("consent_required", false));
    assert!(t.gateway.truth().unwrap().charges.is_empty());

    let url = asked.body["consent"]["url"].as_str().unwrap();
    let (page, nonce) = url.split_once("?nonce=").unwrap();
    let (place, id) = page.rsplit_once('/').unwrap();
    assert_eq!(place, "http://shop.test/w/test/console/consents");
    consents::decide(&t.shop, id.parse().unwrap(), nonce, true).await.unwrap();

    assert_eq!(client.confirm(&ready, "k").await.text("node"), "PAYMENT_SUBMITTED");
    let done = client.call("verify_action", json!({ "action_id": ready.text("action_id") })).await;
    assert_eq!((done.text("status"), &done.body["next_actions"]), ("completed", &json!([])));
    let charges = t.gateway.truth().unwrap().charges;
    assert_eq!(charges.len(), 1);
    assert_eq!(json!(charges[0].captured_minor), ready.body["summary"]["amount"]);

    let order = done.body["result_refs"].as_array().unwrap().iter().find(|found| found["type"] == "Order");
    let order = order.unwrap()["id"].clone();
    let view = client.call("get_context", json!({ "entity": "Order", "ref": order })).await;
    assert_eq!((view.text("outcome"), &view.body["id"]), ("success", &order), "{}", view.body);
}

#[tokio::test]
async fn what_a_shop_refuses_says_why_and_stays_in_shape() {
    let t = TestShop::open().await;
    let mut client = agent(&t, ConsentLevel::Agent).await;
    let ready = mugs(&mut client, &t).await;
    let patch = json!({ "items": [{ "id": t.goods.blue_mug, "quantity": 999 }] });
    let many =
        json!({ "action_id": ready.text("action_id"), "version": ready.body["version"], "patch": patch });
    let refused = client.call("advance_action", many).await;
    assert_eq!((refused.text("reason"), refused.is_error), ("out_of_stock", true));
    assert!(!refused.offers("confirm_action") && refused.offers("advance_action"));
    let hidden = client.call("get_context", json!({ "entity": "Customer", "ref": t.bob.customer })).await;
    assert_eq!(hidden.text("reason"), "not_found");
    let found = client.call("search_capabilities", json!({ "query": "buy a mug" })).await;
    assert_eq!(found.body["matches"][0]["capability"], "checkout");
}

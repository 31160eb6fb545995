//! Worlds of one server know nothing of each other, come back as they were, and obey their clocks.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use twinshop_testkit::{Admin, Mcp, Twinshop};

use crate::checkout::to_the_boundary;
use crate::shop;

const NOON: &str = "2026-03-02T12:00:00Z";

/// A checkout from the first call to the last; how its action ended.
async fn buy(door: &Mcp, key: &str) -> String {
    let ready = to_the_boundary(door).await;
    assert_eq!(ready.text("/node"), "CONFIRM_ORDER", "{}", ready.body);
    let action = ready.text("/action_id").to_owned();
    let confirm = json!({ "action_id": action, "approval": "approved", "idempotency_key": key });
    door.call("confirm_action", confirm).await.unwrap();
    let done = door.call("verify_action", json!({ "action_id": action })).await.unwrap();
    done.text("/status").to_owned()
}

async fn frozen(admin: &Admin, name: &str) -> Admin {
    let world = json!({ "name": name, "seed": 7, "frozen_at": NOON });
    let made = admin.create(world).await.unwrap();
    assert_eq!((&made["seed"], &made["is_frozen"]), (&json!(7), &json!(true)), "{made}");
    admin.of(name)
}

fn captured(ledger: &[Value], after: usize) -> usize {
    ledger.iter().skip(after).filter(|line| line["effect"]["kind"] == "captured").count()
}

async fn ids(shop: &Twinshop, world: &str) -> BTreeSet<String> {
    let orders =
        shop.rest("admin").unwrap().in_world(world).get("/v1/orders?limit=100").send().await.unwrap();
    assert_eq!(orders.status, 200, "{}", orders.body);
    let items = orders.body["items"].as_array().unwrap();
    items.iter().map(|order| order["id"].as_str().unwrap().to_owned()).collect()
}

/// Buys once in a world of its own script, and looks whether anything of the others shows.
async fn live(shop: &Twinshop, admin: Admin, name: String, script: Value) {
    let past = admin.gateway_ledger().await.unwrap().len();
    admin.put_faults(script.clone()).await.unwrap();
    let door = shop.actions("agent").unwrap().in_world(&name);
    let status = buy(&door, "the same key everywhere").await;
    let ledger = admin.gateway_ledger().await.unwrap();
    let declined = script[0]["fault"] == "decline";
    assert_eq!(captured(&ledger, past), usize::from(!declined), "{name} {script}");
    assert_eq!(status == "completed", !declined, "{name}: {status}");
    let hits = admin.find(&[("door", "gateway")]).await.unwrap();
    let told: BTreeSet<&str> = hits["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|entry| entry["line"]["outcome"].as_str()?.split_once('(')?.1.strip_suffix(')'))
        .collect();
    let wanted: BTreeSet<&str> = script[0]["fault"].as_str().into_iter().collect();
    assert_eq!(told, wanted, "{name} met its own faults and no others");
    assert_eq!(admin.count(&[("door", "mcp_actions"), ("operation", "confirm_action")]).await.unwrap(), 1);
}

#[tokio::test]
async fn twenty_worlds_under_twenty_scripts_do_not_hear_each_other() {
    let shop = shop(&["--gateway-timeout-ms", "300"]).await;
    let main = shop.admin().unwrap();
    let before = (main.gateway_ledger().await.unwrap(), ids(&shop, "main").await);
    let scripts = [
        json!([]),
        json!([{ "fault": "lost_answer", "operation": "capture", "placement": "after", "times": 1 }]),
        json!([{ "fault": "http_500", "operation": "capture", "placement": "after", "times": 1 }]),
        json!([{ "fault": "decline", "operation": "authorize" }]),
    ];
    let lives = (0..20).map(|number| {
        let (shop, main, script) = (&shop, &main, scripts[number % scripts.len()].clone());
        async move {
            let name = format!("w{number}");
            live(shop, frozen(main, &name).await, name.clone(), script).await;
        }
    });
    futures::future::join_all(lives).await;
    assert_eq!(main.worlds().await.unwrap().len(), 21);
    assert_eq!(main.count(&[("door", "mcp_actions")]).await.unwrap(), 0);
    assert_eq!((main.gateway_ledger().await.unwrap(), ids(&shop, "main").await), before);
}

#[tokio::test]
async fn equal_seeds_in_frozen_worlds_tell_equal_stories() {
    let shop = shop(&[]).await;
    let main = shop.admin().unwrap();
    let mut stories = Vec::new();
    for name in ["one", "other"] {
        let admin = frozen(&main, name).await;
        assert_eq!(buy(&shop.actions("agent").unwrap().in_world(name), "k").await, "completed");
        admin.advance(60_000).await.unwrap();
        stories.push(admin.canonical_journal().await.unwrap());
    }
    assert!(stories[0].lines().count() > 5, "{}", stories[0]);
    assert_eq!(stories[0], stories[1]);
    assert_eq!(main.of("one").diff("other").await.unwrap(), Vec::<Value>::new());
}

#[tokio::test]
async fn a_snapshot_brings_rows_and_books_back_and_ids_never_twice() {
    let shop = shop(&[]).await;
    let admin = frozen(&shop.admin().unwrap(), "w").await;
    let door = shop.actions("agent").unwrap().in_world("w");
    let (file, books) = (admin.snapshot().await.unwrap(), admin.gateway_ledger().await.unwrap());
    let before = ids(&shop, "w").await;
    assert_eq!(buy(&door, "k").await, "completed");
    let first = &ids(&shop, "w").await - &before;
    let changed = admin.diff_snapshot(file.clone()).await.unwrap();
    assert!(changed.iter().any(|row| row["table"] == "orders" && row["there"].is_null()), "{changed:?}");

    let boot = admin.view().await.unwrap()["boot"].as_u64().unwrap();
    let restored = admin.restore(file.clone()).await.unwrap();
    assert_eq!(restored["boot"], boot + 1);
    assert_eq!(admin.diff_snapshot(file.clone()).await.unwrap(), Vec::<Value>::new());
    assert_eq!(admin.gateway_ledger().await.unwrap(), books);

    assert_eq!(buy(&door, "k").await, "completed", "the same key is new in the past");
    let second = &ids(&shop, "w").await - &before;
    assert_eq!((first.len(), second.len()), (1, 1));
    admin.reset().await.unwrap();
    assert_eq!(admin.diff_snapshot(file).await.unwrap(), Vec::<Value>::new());
    assert_eq!(buy(&door, "k").await, "completed");
    let third = &ids(&shop, "w").await - &before;
    assert!(first.is_disjoint(&second) && first.is_disjoint(&third) && second.is_disjoint(&third));
}

#[tokio::test]
async fn a_fork_leaves_its_source_alone() {
    let shop = shop(&[]).await;
    let source = frozen(&shop.admin().unwrap(), "source").await;
    let (file, books) = (source.snapshot().await.unwrap(), source.gateway_ledger().await.unwrap());
    let copy = source.fork("copy").await.unwrap();
    assert_eq!(copy.diff("source").await.unwrap(), Vec::<Value>::new());
    assert_eq!(buy(&shop.actions("agent").unwrap().in_world("copy"), "k").await, "completed");
    copy.advance(3_600_000).await.unwrap();
    assert!(!copy.diff("source").await.unwrap().is_empty());
    assert_eq!(source.diff_snapshot(file).await.unwrap(), Vec::<Value>::new());
    assert_eq!(source.gateway_ledger().await.unwrap(), books);
    assert_eq!(source.clock().await.unwrap()["now"], NOON);
    let mine = ids(&shop, "source").await;
    assert_eq!(buy(&shop.actions("agent").unwrap().in_world("source"), "k").await, "completed");
    let (source_ids, copy_ids) = (ids(&shop, "source").await, ids(&shop, "copy").await);
    assert!((&source_ids - &mine).is_disjoint(&(&copy_ids - &mine)), "a fork draws ids of its own");
}

#[tokio::test]
async fn worlds_come_and_go_and_refusals_change_nothing() {
    let shop = shop(&[]).await;
    let admin = shop.admin().unwrap();
    let rest = shop.rest("admin").unwrap();
    let there = |name: &str| rest.get("/v1/orders?limit=1").header("X-Twinshop-World", name).send();
    assert_eq!(there("w").await.unwrap().status, 404);
    frozen(&admin, "w").await;
    assert_eq!(there("w").await.unwrap().status, 200);
    let two = rest.in_world("w").get("/v1/orders").header("X-Twinshop-World", "main").send().await.unwrap();
    assert_eq!(two.status, 400, "{}", two.body);
    for (refused, code) in [
        (admin.create(json!({ "name": "w" })).await, "409"),
        (admin.create(json!({ "name": "a/b" })).await, "400"),
        (admin.create(json!({ "name": "x", "profile": "mall" })).await, "400"),
        (admin.of("none").reset().await, "404"),
        (admin.of("w").restore(b"not a snapshot".to_vec()).await, "400"),
    ] {
        let why = refused.unwrap_err().to_string();
        assert!(why.starts_with(code), "{why}");
    }
    assert!(admin.delete().await.unwrap_err().to_string().starts_with("409"));
    assert_eq!(admin.worlds().await.unwrap().len(), 2);
    admin.of("w").delete().await.unwrap();
    assert_eq!(there("w").await.unwrap().status, 404);
}

#[tokio::test]
async fn a_call_of_a_world_that_was_reset_does_not_reach_the_books_of_the_next() {
    let shop = shop(&[]).await;
    let admin = frozen(&shop.admin().unwrap(), "w").await;
    let boot = admin.view().await.unwrap()["boot"].as_u64().unwrap();
    let gateway = format!("{}/v1/balance_transactions", shop.url("gateway").unwrap());
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let status = async |key: &str, world: &str| {
        let call = http.get(&gateway).bearer_auth(key).header("X-Twinshop-World", world);
        call.send().await.unwrap().status().as_u16()
    };
    let late = format!("gw_w~{boot}");
    assert_eq!(status(&late, "w").await, 200);
    assert_eq!(status(&late, "main").await, 400, "key and header name two worlds");
    admin.reset().await.unwrap();
    assert_eq!(status(&late, "w").await, 401);
    assert_eq!(status("gw_w", "w").await, 200, "by its name the account of today");
}

#[tokio::test]
async fn a_restart_draws_ids_of_a_new_boot_even_where_time_stands_still() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shop.db");
    let arguments = ["--database", file.to_str().unwrap(), "--frozen-at", NOON];
    let (mut drawn, mut boots) = (BTreeSet::new(), Vec::new());
    for run in 1..=3 {
        let shop = shop(&arguments).await;
        for number in 1..=5 {
            let ticket = json!({ "subject": "hello", "text": "is anybody there?" });
            let opened = shop.rest("ada").unwrap().post("/v1/tickets", ticket);
            let opened = opened.key(&format!("{run}.{number}")).send().await.unwrap();
            assert_eq!(opened.status, 201, "{}", opened.body);
            drawn.insert(opened.text("/id").to_owned());
        }
        boots.push(shop.admin().unwrap().view().await.unwrap()["boot"].as_u64().unwrap());
        assert_eq!(shop.terminate().await.unwrap(), Some(0));
    }
    assert_eq!(drawn.len(), 15, "none came twice");
    assert_eq!(boots, [boots[0], boots[0] + 1, boots[0] + 2]);
}

#[tokio::test]
async fn under_auto_a_world_is_made_at_its_first_use() {
    let shop = shop(&["--worlds", "auto", "--frozen-at", NOON]).await;
    let door = shop.actions("agent").unwrap().in_world("fresh");
    assert_eq!(buy(&door, "k").await, "completed");
    let bad = shop.rest("admin").unwrap().in_world("no~name").get("/v1/orders").send().await.unwrap();
    assert_eq!(bad.status, 404);
    let admin = shop.admin().unwrap();
    let names: Vec<String> = admin.worlds().await.unwrap().iter().map(|w| w["name"].to_string()).collect();
    assert_eq!(names, ["\"fresh\"", "\"main\""]);
}

#[tokio::test]
async fn a_world_in_a_file_is_copied_but_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shop.db");
    let shop = shop(&["--database", file.to_str().unwrap(), "--frozen-at", NOON]).await;
    let admin = shop.admin().unwrap();
    assert!(admin.reset().await.unwrap_err().to_string().starts_with("409"));
    let snapshot = admin.snapshot().await.unwrap();
    admin.of("copy").restore(snapshot).await.unwrap();
    assert_eq!(admin.diff("copy").await.unwrap(), Vec::<Value>::new());
    assert_eq!(buy(&shop.actions("agent").unwrap().in_world("copy"), "k").await, "completed");
    assert!(!admin.diff("copy").await.unwrap().is_empty());
}

//! Who may run what, for every principal of the seeded shop: one table, in `access.txt`.
//!
//! The table is what `/explain` says of all two hundred operations, and what really happens on each that is served.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use reqwest::Method;
use serde_json::{Value, json};
use shop_domain::operations::{OPERATIONS, Operation};
use twinshop_testkit::{Rest, Twinshop};

use crate::sample::{path_of, sample};
use crate::shop;

/// Everybody who is somebody else: Bob is a shopper like Ada, and the director an administrator like the other one.
const WHO: [&str; 11] =
    ["ada", "agent", "support", "lead", "manager", "brand", "finance", "auditor", "admin", "desk", "nobody"];

const TABLE: &str = include_str!("access.txt");

/// Whether the pipeline lets this principal go on to look at what the call is about.
async fn is_let_through(rest: &Rest, operation: &Operation) -> bool {
    let mut ask = json!({ "operation": operation.id });
    if operation.names_its_subject() {
        let kind = operation.subject_kinds().first().map_or("code", |kind| kind.prefix);
        ask["subject"] = json!(format!("{kind}_01jz8q4w7c5v6n3m2k1h0g9f8e"));
    }
    let reply = rest.post("/explain", ask).send().await.unwrap();
    assert_eq!(reply.status, 200, "{}: {}", operation.id, reply.body);
    let layers = reply.body["layers"].as_array().unwrap();
    let says = |layer: &str| {
        let verdict = layers.iter().find(|verdict| verdict["layer"] == layer).unwrap();
        verdict["answer"].as_str().map(str::to_owned)
    };
    assert_eq!(says("schema").as_deref(), Some("allow"), "{}: {}", operation.id, reply.body);
    let is_refused_for_being_software = says("approval").as_deref() == Some("deny");
    says("capability").as_deref() == Some("allow") && !is_refused_for_being_software
}

/// A call that is well formed and about nothing there is: only a principal who may not gets `forbidden`.
async fn is_forbidden(rest: &Rest, document: &Value, operation: &Operation) -> bool {
    let method = operation.method.as_str();
    let entry = &document["paths"][operation.path][method.to_lowercase()];
    let mut request = rest
        .request(Method::from_bytes(method.as_bytes()).unwrap(), &path_of(document, entry, operation.path))
        .header("If-Match", "\"1\"");
    if operation.class.writes() {
        request = request.key(&format!("access-{}", operation.id));
    }
    if let Some(schema) = entry.pointer("/requestBody/content/application~1json/schema") {
        request = request.json(sample(document, schema));
    }
    let reply = request.send().await.unwrap();
    assert_ne!(reply.status, 500, "{}: {}", operation.id, reply.body);
    (reply.status, reply.text("/code")) == (403, "forbidden")
}

fn table(rows: &BTreeMap<&str, Vec<bool>>) -> String {
    let mut text = format!("{:34}{}\n", "", WHO.join("  "));
    let mut group = "";
    for operation in &OPERATIONS {
        if operation.group != group {
            group = operation.group;
            writeln!(text, "\n# {group}").unwrap();
        }
        write!(text, "{:34}", operation.id).unwrap();
        let cells = WHO.iter().zip(&rows[operation.id]).map(|(who, may)| {
            let mark = if *may { "x" } else { "." };
            format!("{mark:^width$}", width = who.len())
        });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

async fn explained(shop: &Twinshop) -> BTreeMap<&'static str, Vec<bool>> {
    let mut rows: BTreeMap<&str, Vec<bool>> = BTreeMap::new();
    for who in WHO {
        let rest = shop.rest(who).unwrap();
        for operation in &OPERATIONS {
            rows.entry(operation.id).or_default().push(is_let_through(&rest, operation).await);
        }
    }
    rows
}

#[tokio::test]
async fn everybody_may_what_the_table_says_and_nothing_else() {
    let shop = shop(&[]).await;
    let rows = explained(&shop).await;
    let found = table(&rows);
    if found != TABLE {
        let place = concat!(env!("CARGO_TARGET_TMPDIR"), "/access.txt");
        std::fs::write(place, &found).unwrap();
        panic!(
            "who may what has changed: compare {place} with tests/e2e/access.txt, and copy it if it is right"
        );
    }
    let document = shop.rest("ada").unwrap().get("/openapi.json").send().await.unwrap().body;
    let served = OPERATIONS.iter().filter(|operation| {
        document["paths"][operation.path][operation.method.as_str().to_lowercase()].is_object()
    });
    let served: Vec<&Operation> = served.collect();
    assert!(served.len() > 150, "most operations are served");
    for (column, who) in WHO.iter().enumerate() {
        let rest = shop.rest(who).unwrap();
        for operation in &served {
            let is_forbidden = is_forbidden(&rest, &document, operation).await;
            assert_eq!(is_forbidden, !rows[operation.id][column], "{who} and {}", operation.id);
            assert!(*who != "nobody" || is_forbidden, "nobody may run {}", operation.id);
        }
    }
}

/// A role made, given and taken away over REST: what it holds begins and ends with it.
#[tokio::test]
async fn a_role_that_was_given_counts_from_the_next_call_on() {
    let shop = shop(&[]).await;
    let admin = shop.rest("admin").unwrap();
    let store = admin.get("/v1/stores").send().await.unwrap();
    let (store, brand) = (store.text("/items/0/id").to_owned(), store.text("/items/0/brand_id").to_owned());
    let role = json!({ "name": "counter", "capabilities": ["reports.read"] });
    let role = admin.post("/v1/roles", role).key("r1").send().await.unwrap();
    assert_eq!(role.status, 201, "{}", role.body);
    let invitation = json!({
        "email": "kim@twinshop.example", "name": "Kim", "role": "support_agent", "scope": "store", "store_id": store,
    });
    let kim = admin.post("/v1/staff/invitations", invitation).key("i1").send().await.unwrap();
    assert_eq!(kim.status, 201, "{}", kim.body);
    let (id, token) = (kim.text("/id").to_owned(), kim.text("/token").to_owned());
    let as_kim = Rest::new(shop.url("rest").unwrap(), &token).unwrap();
    let report = || {
        as_kim
            .get("/v1/reports/sales?group_by=store&from=2025-01-01T00:00:00Z&to=2026-02-01T00:00:00Z")
            .send()
    };
    assert_eq!(report().await.unwrap().text("/code"), "forbidden");

    // At the brand, above the store where Kim works: the report covers both of its stores.
    let grant = json!({ "role_id": role.text("/id"), "scope": "brand", "brand_id": brand });
    let grant = admin.post(&format!("/v1/staff/{id}/role-grants"), grant).key("g1").if_match(1);
    let granted = grant.send().await.unwrap();
    assert_eq!(granted.status, 200, "{}", granted.body);
    let seen = report().await.unwrap();
    assert_eq!(seen.body["rows"].as_array().unwrap().len(), 2, "{}", seen.body);
    let orders = as_kim.get("/v1/orders?limit=100").send().await.unwrap();
    let of_store = |order: &Value| order["store_id"] == json!(store);
    assert!(orders.body["items"].as_array().unwrap().iter().all(of_store), "support stays in its store");

    let gone = admin.post(&format!("/v1/staff/{id}/deactivate"), json!({})).key("d1");
    let gone = gone.if_match(granted.version.unwrap()).send().await.unwrap();
    assert_eq!(gone.status, 200, "{}", gone.body);
    assert_eq!(report().await.unwrap().text("/code"), "token_revoked");
}

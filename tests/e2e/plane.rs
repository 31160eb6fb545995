//! The admin plane itself: its document, its metrics, its journal, its secret, its refusals.

use serde_json::{Value, json};

use crate::shop;

#[tokio::test]
async fn the_plane_describes_itself_and_lets_nobody_in_without_the_secret() {
    let shop = shop(&[]).await;
    let admin = shop.admin().unwrap();
    let document: Value = serde_json::from_str(&admin.text("/openapi.json").await.unwrap()).unwrap();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    let version: Value = serde_json::from_str(&admin.text("/version").await.unwrap()).unwrap();
    assert_eq!(version["version"], shop.ready["version"]);
    let base = shop.url("admin").unwrap();
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, call) in methods.as_object().unwrap() {
            let url = format!("{base}{}", path.replace("{world}", "main"));
            let status =
                http.request(method.to_uppercase().parse().unwrap(), url).send().await.unwrap().status();
            let is_open = call["security"] == json!([]);
            assert_eq!(status.as_u16(), if is_open { 200 } else { 401 }, "{method} {path}");
        }
    }
}

#[tokio::test]
async fn the_journal_is_found_counted_and_waited_for() {
    let shop = shop(&["--frozen-at", "2026-03-02T12:00:00Z"]).await;
    let admin = shop.admin().unwrap();
    let rest = shop.rest("ada").unwrap();
    let wanted = [("door", "rest"), ("operation", "create_ticket"), ("key", "k"), ("outcome", "201")];
    let waiting = {
        let admin = admin.clone();
        tokio::spawn(async move { admin.wait(&wanted).await })
    };
    let ticket = json!({ "subject": "hello", "text": "is anybody there?" });
    let opened = rest.post("/v1/tickets", ticket).key("key 1").send().await.unwrap();
    assert_eq!(opened.status, 201, "{}", opened.body);
    let found = waiting.await.unwrap().unwrap();
    assert_eq!(found["entries"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(admin.count(&wanted).await.unwrap(), 1);
    let id = opened.text("/id");
    rest.get(&format!("/v1/tickets/{id}")).send().await.unwrap();
    assert_eq!(admin.count(&[("about", id), ("operation", "get_ticket")]).await.unwrap(), 1);

    let near = admin.find(&[("operation", "create_ticket"), ("outcome", "409")]).await.unwrap();
    assert_eq!(near["entries"], json!([]));
    assert_eq!(near["near"][0]["misses"], "outcome", "{near}");
    let never = [("operation", "create_ticket"), ("at_least", "2"), ("timeout_ms", "1")];
    assert!(admin.wait(&never).await.unwrap_err().to_string().starts_with("408"));
    assert!(
        admin.find(&[("door", "rest"), ("colour", "red")]).await.unwrap_err().to_string().starts_with("400")
    );

    let metrics = admin.text("/metrics").await.unwrap();
    let line = "twinshop_exchanges_total{world=\"main\",door=\"rest\"} 2";
    assert!(metrics.lines().any(|found| found == line), "{metrics}");
    let wild = json!({ "advance_ms": i64::MAX });
    assert!(admin.set_clock(wild).await.unwrap_err().to_string().starts_with("400"));
}

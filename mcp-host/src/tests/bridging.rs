//! A remote HTTP door as a stdio server.

use super::pipes::Pipe;
use super::*;

fn open(served: &Served, bearer: &str) -> (Pipe, tokio::task::JoinHandle<Result<(), BridgeError>>) {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (reader, writer) = tokio::io::split(theirs);
    let settings = Bridge {
        url: format!("{}/mcp", served.url),
        bearer: Some(bearer.to_owned()),
        world: Some("blue".to_owned()),
    };
    (Pipe::new(ours), tokio::spawn(bridge(settings, reader, writer)))
}

#[tokio::test]
async fn an_older_client_works_across_the_bridge_questions_included() {
    let served = Served::start().await;
    let (mut pipe, bridging) = open(&served, "ann");
    pipe.send(&initialize(json!({ "elicitation": {} }))).await;
    assert_eq!(pipe.read().await["result"]["protocolVersion"], "2025-11-25");
    pipe.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
    pipe.send(&call("whoami", json!({}))).await;
    let me = pipe.read().await["result"]["structuredContent"].clone();
    assert_eq!((me["subject"].as_str(), me["world"].as_str()), (Some("ann"), Some("blue")));

    pipe.send(&call("agree", json!({}))).await;
    let question = pipe.read().await;
    pipe.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "cancel" } })).await;
    assert_eq!(pipe.read().await["result"]["structuredContent"]["choice"], "cancel");
    pipe.close().await;
    bridging.await.unwrap().unwrap();
    served.stop().await;
}

#[tokio::test]
async fn a_newer_client_works_across_the_bridge() {
    let served = Served::start().await;
    let (mut pipe, bridging) = open(&served, "bob");
    let mut whoami = call("whoami", json!({}));
    whoami["params"]["_meta"] = stateless_meta(json!({}));
    pipe.send(&whoami).await;
    assert_eq!(pipe.read().await["result"]["structuredContent"]["subject"], "bob");
    pipe.close().await;
    bridging.await.unwrap().unwrap();
    served.stop().await;
}

#[tokio::test]
async fn what_goes_wrong_is_an_answer_not_a_silence() {
    let served = Served::start().await;
    let (mut pipe, bridging) = open(&served, "nobody");
    pipe.raw("not json\n").await;
    assert_eq!(pipe.read().await["error"]["code"], -32700);
    pipe.send(&initialize(json!({}))).await;
    let refused = pipe.read().await;
    assert_eq!(refused["id"], 0);
    assert!(refused["error"]["message"].as_str().unwrap().contains("401"), "{refused}");
    served.stop().await;
    pipe.send(&call("whoami", json!({}))).await;
    assert!(pipe.read().await["error"]["message"].as_str().unwrap().contains("cannot be reached"));
    pipe.close().await;
    bridging.await.unwrap().unwrap();

    let bad = Bridge { url: "ftp://x".into(), bearer: None, world: None };
    assert!(matches!(bridge(bad, tokio::io::empty(), tokio::io::sink()).await, Err(BridgeError::Url(_))));
}

//! The same question in both generations, over HTTP and over a pipe.

use super::*;

fn forms() -> Value {
    json!({ "elicitation": { "form": {} } })
}

#[tokio::test]
async fn without_sessions_the_call_comes_again_with_the_answer() {
    let served = Served::start().await;
    let url = format!("{}/mcp", served.url);
    let asked = post_stateless(&url, "ann", call("agree", json!({})), forms()).await.message();
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let question = &asked["result"]["inputRequests"]["consent"];
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(question["params"]["message"], "Pay 5 €?");
    let state = asked["result"]["requestState"].clone();
    assert!(!state.as_str().unwrap().contains("nonce"));

    let answer = json!({ "consent": { "action": "accept", "content": { "amount": 5 } } });
    let retry = |state: &Value, tool: &str| {
        let mut body = call(tool, json!({}));
        body["params"]["requestState"] = state.clone();
        body["params"]["inputResponses"] = answer.clone();
        body
    };
    // Neither another caller, nor another tool, nor a forged state gets an answer through.
    let forged = json!(format!("{}x", state.as_str().unwrap()));
    for (token, body) in
        [("bob", retry(&state, "agree")), ("ann", retry(&state, "visit")), ("ann", retry(&forged, "agree"))]
    {
        let refused = post_stateless(&url, token, body, forms()).await.message();
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    assert!(served.seen.tokens.lock().unwrap().is_empty());

    let done = post_stateless(&url, "ann", retry(&state, "agree"), forms()).await.message();
    let expected = json!({ "choice": "accept", "content": { "amount": 5 }, "about": { "nonce": 7 } });
    assert_eq!(done["result"]["structuredContent"], expected, "{done}");

    // An answer without its question is no answer: the question is asked.
    let mut unasked = call("agree", json!({}));
    unasked["params"]["inputResponses"] = answer.clone();
    let asked = post_stateless(&url, "ann", unasked, forms()).await.message();
    assert_eq!(asked["result"]["resultType"], "input_required");
    served.stop().await;
}

#[tokio::test]
async fn a_client_that_cannot_ask_is_told_so() {
    let served = Served::start().await;
    let url = format!("{}/mcp", served.url);
    for (tool, capabilities) in [
        ("agree", json!({})),
        ("agree", json!({ "elicitation": { "url": {} } })),
        ("visit", json!({ "elicitation": {} })),
    ] {
        let plain = post_stateless(&url, "ann", call(tool, json!({})), capabilities).await.message();
        assert_eq!(plain["result"]["structuredContent"]["reason"], "consent_required", "{plain}");
    }
    let page =
        post_stateless(&url, "ann", call("visit", json!({})), json!({ "elicitation": { "url": {} } })).await;
    let params = page.message()["result"]["inputRequests"]["page"]["params"].clone();
    assert_eq!(
        (params["mode"].as_str(), params["url"].as_str()),
        (Some("url"), Some("https://shop.example/c/1"))
    );
    served.stop().await;
}

#[tokio::test]
async fn with_a_session_the_question_comes_in_the_middle_of_the_call() {
    let served = Served::start().await;
    let url = format!("{}/mcp", served.url);
    // An empty elicitation capability means forms.
    let session = open_session(&url, "ann", json!({ "elicitation": {} })).await;
    let client = http_client(Duration::from_secs(20)).unwrap();
    let mut stream = client
        .post(&url)
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json")
        .header("authorization", "Bearer ann")
        .header("mcp-session-id", &session)
        .body(call("agree", json!({})).to_string())
        .send()
        .await
        .unwrap();
    let mut seen = String::new();
    let question = loop {
        seen.push_str(std::str::from_utf8(&stream.chunk().await.unwrap().unwrap()).unwrap());
        let found = seen
            .lines()
            .filter_map(|line| line.strip_prefix("data:"))
            .find(|data| data.contains("elicitation"));
        if let Some(question) = found {
            break serde_json::from_str::<Value>(question).unwrap();
        }
    };
    assert_eq!(question["method"], "elicitation/create");
    let reply = json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "decline" } });
    let headers = [("authorization", "Bearer ann"), ("mcp-session-id", session.as_str())];
    assert_eq!(post(&url, &headers, &reply).await.status, 202);
    let rest = stream.text().await.unwrap();
    assert!(rest.contains(r#""choice":"decline""#), "{rest}");
    served.stop().await;
}

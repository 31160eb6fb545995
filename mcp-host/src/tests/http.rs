//! The HTTP door in both generations.

use super::*;

#[tokio::test]
async fn an_older_client_opens_a_session_and_calls() {
    let served = Served::start().await;
    let url = format!("{}/mcp", served.url);
    let opened = post(&url, &[("authorization", "Bearer ann")], &initialize(json!({}))).await.message();
    assert_eq!(opened["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(opened["result"]["serverInfo"]["name"], "test-server");
    assert_eq!(opened["result"]["instructions"], "Call echo.");

    let session = open_session(&url, "ann", json!({})).await;
    let headers = [("authorization", "Bearer ann"), ("mcp-session-id", &session)];
    let listed = post(&url, &headers, &request("tools/list", json!({}))).await.message();
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, ["echo", "whoami", "agree", "visit", "slow"]);
    assert_eq!(tools[0]["annotations"]["readOnlyHint"], true);
    assert_eq!(tools[1]["annotations"]["destructiveHint"], false);

    let answered = post(&url, &headers, &call("whoami", json!({}))).await.message();
    let expected = json!({
        "subject": "ann", "world": "main", "token": 1, "client": "old-client", "generation": "Sessions"
    });
    assert_eq!(answered["result"]["structuredContent"], expected);
    assert_eq!(answered["result"]["content"][0]["text"], expected.to_string());
    served.stop().await;
}

#[tokio::test]
async fn a_newer_client_needs_no_session() {
    let served = Served::start().await;
    let url = format!("{}/w/blue/mcp", served.url);
    let found = post_stateless(&url, "bob", request("server/discover", json!({})), json!({})).await.message();
    assert_eq!(found["result"]["instructions"], "Call echo.", "{found}");
    let listed = post_stateless(&url, "bob", request("tools/list", json!({})), json!({})).await.message();
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 5, "{listed}");
    assert_eq!(listed["result"]["ttlMs"], limits::LISTING_TTL_MS);
    assert_eq!(listed["result"]["cacheScope"], "public");

    let answered = post_stateless(&url, "bob", call("whoami", json!({})), json!({})).await;
    assert_eq!(answered.header("content-type"), "application/json");
    let expected = json!({
        "subject": "bob", "world": "blue", "token": 1, "client": "new-client", "generation": "Stateless"
    });
    assert_eq!(answered.message()["result"]["structuredContent"], expected);
    served.stop().await;
}

#[tokio::test]
async fn wrong_arguments_never_reach_the_handler() {
    let served = Served::start().await;
    let url = format!("{}/mcp", served.url);
    let refused = post_stateless(&url, "ann", call("echo", json!({ "times": 0 })), json!({})).await.message();
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    let problem = &refused["result"]["structuredContent"];
    assert_eq!(problem["code"], "validation_failed");
    assert_eq!(problem["outcome"], "terminal_failure");
    assert_eq!(problem["retry"], "fix_input");
    assert_eq!(problem["fields"].as_array().unwrap().len(), 2);

    let refused =
        post_stateless(&url, "ann", call("echo", json!({ "text": "a", "txt": 1 })), json!({})).await;
    let problem = &refused.message()["result"]["structuredContent"];
    assert_eq!(problem["code"], "field_not_allowed");
    assert!(problem["detail"].as_str().unwrap().contains("text, times"));

    let unknown = post_stateless(&url, "ann", call("shout", json!({})), json!({})).await.message();
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    assert_eq!(served.calls(), 0);

    let fine = post_stateless(&url, "ann", call("echo", json!({ "text": "hi" })), json!({})).await.message();
    assert_eq!(fine["result"]["structuredContent"]["text"], "hi");
    let lines = served.seen.journal.lock().unwrap().clone();
    let outcomes: Vec<&str> = lines.iter().map(|line| line.outcome.as_str()).collect();
    assert_eq!(outcomes, ["validation_failed", "field_not_allowed", "-32602", "success"]);
    assert_eq!((lines[3].door.as_str(), lines[3].principal.as_deref()), ("test", Some("ann")));
    served.stop().await;
}

#[tokio::test]
async fn nobody_gets_in_without_a_valid_token() {
    let served = Served::start().await;
    let url = format!("{}/mcp", served.url);
    for wrong in ["Bearer nobody", "Basic YW5uOg==", "Bearer ", "ann"] {
        let refused = post(&url, &[("authorization", wrong)], &initialize(json!({}))).await;
        assert_eq!(refused.status, 401, "{wrong}");
        let challenge = refused.header("www-authenticate").to_owned();
        let metadata = format!("{}/.well-known/oauth-protected-resource/mcp", served.url);
        assert!(challenge.contains(&format!("Bearer resource_metadata=\"{metadata}\"")), "{challenge}");
        let client = http_client(Duration::from_secs(5)).unwrap();
        let document: Value = client.get(metadata).send().await.unwrap().json().await.unwrap();
        assert_eq!(document["resource"], url);
    }
    let scope = post(&url, &[("authorization", "Bearer reader")], &initialize(json!({}))).await;
    assert_eq!(scope.status, 403);
    assert!(scope.header("www-authenticate").contains("insufficient_scope"));
    let guest = post(&url, &[], &initialize(json!({}))).await;
    assert_eq!(guest.status, 200);
    served.stop().await;
}

#[tokio::test]
async fn the_world_is_named_once() {
    let served = Served::start().await;
    let body = initialize(json!({}));
    let in_world = |path: &str, header: &'static str| {
        let (url, body) = (format!("{}{path}", served.url), body.clone());
        async move { post(&url, &[("x-twinshop-world", header)], &body).await.status }
    };
    assert_eq!(in_world("/w/blue/mcp", "blue").await, 200);
    assert_eq!(in_world("/mcp", "blue").await, 200);
    assert_eq!(in_world("/w/blue/mcp", "green").await, 400);
    assert_eq!(in_world("/mcp", "nowhere").await, 404);
    served.stop().await;
}

#[tokio::test]
async fn a_foreign_page_or_host_cannot_reach_the_door() {
    let served = Served::start().await;
    let url = format!("{}/mcp", served.url);
    let body = initialize(json!({}));
    assert_eq!(post(&url, &[("origin", "https://evil.example")], &body).await.status, 403);
    assert_eq!(post(&url, &[("host", "evil.example")], &body).await.status, 403);
    assert_eq!(post(&url, &[("origin", "http://localhost:5173")], &body).await.status, 200);
    served.stop().await;

    let mut settings = HttpSettings::new(Arc::new(Names));
    settings.allowed_origins.clear();
    assert!(matches!(door(&Arc::default()).http(settings), Err(StartError::NothingAllowed)));
}

#[tokio::test]
async fn prompts_completions_and_resources_are_served() {
    let served = Served::start().await;
    let url = format!("{}/mcp", served.url);
    let ask = |method: &'static str, params: Value| {
        let url = url.clone();
        async move {
            post_stateless(&url, "ann", request(method, params), json!({})).await.message()["result"].clone()
        }
    };
    let prompt = ask("prompts/get", json!({ "name": "weather", "arguments": { "city": "Kiel" } })).await;
    assert_eq!(prompt["messages"][0]["content"]["text"], "How is it in Kiel?");
    let reference = json!({ "type": "ref/prompt", "name": "weather" });
    let completed = ask(
        "completion/complete",
        json!({ "ref": reference, "argument": { "name": "city", "value": "kö" } }),
    )
    .await;
    assert_eq!(completed["completion"]["values"], json!(["Köln"]));
    let view = ask("resources/read", json!({ "uri": "ui://test/view" })).await;
    assert_eq!(view["contents"][0]["mimeType"], content::APP_VIEW);
    let found = ask("server/discover", json!({})).await;
    let extensions = &found["capabilities"]["extensions"];
    assert_eq!(extensions["io.modelcontextprotocol/ui"]["mimeTypes"][0], content::APP_VIEW);
    assert!(extensions["io.modelcontextprotocol/tasks"].is_object());
    served.stop().await;
}

#[tokio::test]
async fn a_task_belongs_to_its_principal() {
    let served = Served::start().await;
    let url = format!("{}/mcp", served.url);
    let tasks = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    let started = post_stateless(&url, "ann", call("slow", json!({})), tasks.clone()).await.message();
    assert_eq!(started["result"]["resultType"], "task", "{started}");
    let plain = post_stateless(&url, "ann", call("slow", json!({})), json!({})).await.message();
    assert_eq!(plain["result"]["structuredContent"]["outcome"], "success");

    let get = request("tasks/get", json!({ "taskId": "t1" }));
    let done = post_stateless(&url, "ann", get.clone(), tasks.clone()).await.message();
    assert_eq!(done["result"]["status"], "completed", "{done}");
    assert_eq!(done["result"]["result"]["structuredContent"]["paid"], true);
    let foreign = post_stateless(&url, "bob", get, tasks).await.message();
    assert_eq!(foreign["error"]["code"], -32602, "{foreign}");
    served.stop().await;
}

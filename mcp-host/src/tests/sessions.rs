//! Sessions stay with their owners, also across processes.

use std::collections::HashMap;

use super::*;

#[tokio::test]
async fn a_session_of_another_principal_does_not_exist() {
    let served = Served::start().await;
    let url = format!("{}/mcp", served.url);
    let session = open_session(&url, "ann", json!({})).await;
    let list = request("tools/list", json!({}));
    let status = |token: &'static str, session: String, url: String| {
        let list = list.clone();
        async move { post(&url, &[("authorization", token), ("mcp-session-id", &session)], &list).await.status }
    };
    assert_eq!(status("Bearer ann", session.clone(), url.clone()).await, 200);
    assert_eq!(status("Bearer bob", session.clone(), url.clone()).await, 404);
    assert_eq!(status("Bearer ann", session.clone(), format!("{}/w/blue/mcp", served.url)).await, 404);
    assert_eq!(status("Bearer ann", "made-up".into(), url.clone()).await, 404);

    let client = http_client(Duration::from_secs(5)).unwrap();
    let delete = |token: &'static str| {
        client.delete(&url).header("authorization", token).header("mcp-session-id", &session).send()
    };
    assert_eq!(delete("Bearer bob").await.unwrap().status().as_u16(), 404);
    assert_eq!(status("Bearer ann", session.clone(), url.clone()).await, 200);
    assert!(delete("Bearer ann").await.unwrap().status().is_success());
    assert_eq!(status("Bearer ann", session.clone(), url.clone()).await, 404);
    served.stop().await;
}

#[derive(Default)]
struct Rows(Mutex<HashMap<String, StoredSession>>);

#[async_trait]
impl SessionStore for Rows {
    async fn load(&self, id: &str) -> Result<Option<StoredSession>, crate::http::StoreError> {
        Ok(self.0.lock().unwrap().get(id).cloned())
    }

    async fn save(&self, id: &str, session: &StoredSession) -> Result<(), crate::http::StoreError> {
        self.0.lock().unwrap().insert(id.to_owned(), session.clone());
        Ok(())
    }

    async fn delete(&self, id: &str) -> Result<(), crate::http::StoreError> {
        self.0.lock().unwrap().remove(id);
        Ok(())
    }
}

#[tokio::test]
async fn another_process_serves_a_stored_session_to_its_owner() {
    let rows = Arc::new(Rows::default());
    let (one, two) = (Arc::clone(&rows), Arc::clone(&rows));
    let first = Served::with(|settings| settings.sessions = Some(one)).await;
    let second = Served::with(|settings| settings.sessions = Some(two)).await;
    let session = open_session(&format!("{}/mcp", first.url), "ann", json!({})).await;
    assert_eq!(rows.0.lock().unwrap()[&session].subject, "ann");

    let url = format!("{}/mcp", second.url);
    let whoami = call("whoami", json!({}));
    let foreign = post(&url, &[("authorization", "Bearer bob"), ("mcp-session-id", &session)], &whoami).await;
    assert_eq!(foreign.status, 404);
    let own = post(&url, &[("authorization", "Bearer ann"), ("mcp-session-id", &session)], &whoami).await;
    assert_eq!(own.message()["result"]["structuredContent"]["client"], "old-client");
    first.stop().await;
    second.stop().await;
}

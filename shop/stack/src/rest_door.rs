//! The REST door without a socket.

use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;

use actix_web::body::to_bytes;
use actix_web::dev::Service;
use actix_web::http::Method;
use actix_web::web::Data;
use actix_web::{App, test};
use serde_json::Value;

/// Takes a request to the shop and brings the answer.
pub(crate) type Door = Box<dyn Fn(test::TestRequest) -> Pin<Box<dyn Future<Output = Answer>>>>;

/// What came back.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) is_replay: bool,
    pub(crate) body: Value,
}

pub(crate) struct Sent<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) token: &'a str,
    pub(crate) key: Option<String>,
    pub(crate) version: Option<i64>,
    pub(crate) body: Option<&'a Value>,
}

pub(crate) async fn open(worlds: Arc<dyn shop_api::Worlds>) -> Door {
    let app = App::new().app_data(Data::new(worlds)).configure(shop_api::configure);
    let app = Rc::new(test::init_service(app).await);
    Box::new(move |request| {
        let app = Rc::clone(&app);
        Box::pin(async move {
            let response = app.call(request.to_request()).await.unwrap();
            let status = response.status().as_u16();
            let is_replay = response.headers().contains_key("idempotent-replayed");
            let bytes = to_bytes(response.into_body()).await.unwrap_or_default();
            Answer { status, is_replay, body: serde_json::from_slice(&bytes).unwrap_or_default() }
        })
    })
}

/// Makes a call.
pub(crate) async fn send(door: &Door, sent: Sent<'_>) -> Answer {
    let method: Method = sent.method.parse().unwrap();
    let mut request = test::TestRequest::with_uri(sent.path).method(method);
    request = request.insert_header(("authorization", format!("Bearer {}", sent.token)));
    if let Some(key) = sent.key {
        request = request.insert_header(("idempotency-key", key));
    }
    if let Some(version) = sent.version {
        request = request.insert_header(("if-match", format!("\"{version}\"")));
    }
    if let Some(body) = sent.body {
        request = request.set_json(body);
    }
    door(request).await
}

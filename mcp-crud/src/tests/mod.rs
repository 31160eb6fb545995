//! A small library API that has nothing to do with the shop, and a wire it answers on.

mod calls;
mod doors;
mod tools;

use std::sync::Arc;

use async_trait::async_trait;
use mcp_host::{Asker, Call, Client, Handler, Identity, Output, Reply};
use serde_json::Value;
use wiremock::MockServer;

use crate::{Crud, Options, Upstream, UpstreamError};

/// Lends books: every way an argument can travel, and every class.
pub(super) fn library() -> Value {
    serde_json::from_str(include_str!("library.json")).unwrap()
}

/// Speaks for everybody with a token of its own making, in a world per path.
pub(super) struct Librarian {
    pub(super) url: String,
}

#[async_trait]
impl Upstream for Librarian {
    fn base_url(&self, identity: &Identity) -> String {
        format!("{}/w/{}/", self.url, identity.world())
    }

    async fn headers(&self, identity: &Identity) -> Result<Vec<(String, String)>, UpstreamError> {
        match identity.subject() {
            "banned" => Err(UpstreamError::Refused("banned".to_owned())),
            subject => Ok(vec![("authorization".to_owned(), format!("Bearer internal-{subject}"))]),
        }
    }
}

pub(super) fn crud(url: &str, document: &Value) -> Crud {
    let upstream = Arc::new(Librarian { url: url.to_owned() });
    Crud::new(document, upstream, &Options::default()).unwrap()
}

pub(super) async fn call_as(subject: &str, url: &str, name: &str, arguments: Value) -> Output {
    let call = Call {
        name: name.to_owned(),
        arguments: arguments.as_object().cloned().unwrap(),
        identity: Identity::new(subject, "blue", ()),
        client: Client::default(),
        ask: Asker::unavailable(),
    };
    match crud(url, &library()).call(call).await {
        Reply::Done(output) => output,
        Reply::Ask(_) | Reply::Task(_) => panic!("a CRUD tool never asks and never goes on"),
    }
}

pub(super) async fn call(server: &MockServer, name: &str, arguments: Value) -> Output {
    call_as("ann", &server.uri(), name, arguments).await
}

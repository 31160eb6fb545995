//! An OpenAPI 3.1 document as MCP tools: one tool per operation, one HTTP request per call.
//!
//! It works on any such document and knows no shop. It must never write a tool by hand, never invent an answer the
//! API did not give, and never pass on the token its caller came with: an [`Upstream`] turns the verified identity
//! into the headers the API wants.
//!
//! ```text
//! let crud = Crud::new(&openapi, upstream, &Options::default())?;
//! let door = mcp_host::Door::new(settings, Arc::new(crud))?;
//! ```
//!
//! | of the tool | comes from |
//! |---|---|
//! | name | `operationId` |
//! | description | summary and description |
//! | arguments | path, query and body fields, flat; `idempotency_key` and `if_match` for those headers |
//! | hints | the method and `x-class` (`R` reads, `W` writes, `D` hard to undo, `M` moves money), `x-reaches-gateway` |
//! | result | `{status, etag, body}`, the body as the API sent it |
//!
//! Start reading at [`operation`](Operation), then `request` (arguments to HTTP) and `upstream` (HTTP to result).

mod document;
mod error;
mod fields;
pub mod limits;
mod operation;
mod request;
mod schema;
mod upstream;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use mcp_host::{Call, Handler, Output, Problem, ProblemKind, Reply, Tool};
use serde_json::{Value, json};

pub use error::StartError;
pub use operation::Operation;
pub use upstream::{Upstream, UpstreamError};

/// What a model should know before it uses tools made of operations.
pub const INSTRUCTIONS: &str = "Every tool is one request to the API and answers {status, etag, body}. \
    A status of 400 or more is a failure; its body says why and what to do. \
    Give a fresh idempotency_key to every intended change and the same key when you repeat that change. \
    Give if_match the etag you last read; when it no longer fits, read again before you decide.";

/// Which operations become tools.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Only these, in this order; all, in the document's order, when absent.
    pub toolset: Option<Vec<String>>,
}

/// The door's handler.
pub struct Crud {
    operations: Vec<Arc<Operation>>,
    by_name: HashMap<String, Arc<Operation>>,
    upstream: Arc<dyn Upstream>,
    client: reqwest::Client,
}

impl Crud {
    /// # Errors
    /// Names the operation that cannot be a tool, and why.
    pub fn new(document: &Value, upstream: Arc<dyn Upstream>, options: &Options) -> Result<Self, StartError> {
        let operations = document::operations(document, options.toolset.as_deref())?;
        let operations: Vec<Arc<Operation>> = operations.into_iter().map(Arc::new).collect();
        let mut by_name = HashMap::new();
        for operation in &operations {
            let known = by_name.insert(operation.tool.name.clone(), Arc::clone(operation));
            if known.is_some() {
                return Err(StartError::OperationTwice(operation.tool.name.clone()));
            }
        }
        let client = mcp_host::http_client(limits::TIMEOUT).map_err(StartError::Client)?;
        Ok(Self { operations, by_name, upstream, client })
    }

    /// The operations behind the tools, in their order.
    #[must_use]
    pub fn operations(&self) -> &[Arc<Operation>] {
        &self.operations
    }
}

#[async_trait]
impl Handler for Crud {
    fn tools(&self) -> Vec<Tool> {
        self.operations.iter().map(|operation| operation.tool.clone()).collect()
    }

    async fn call(&self, call: Call) -> Reply {
        let Some(operation) = self.by_name.get(&call.name) else {
            return self.refuse(Problem::new(ProblemKind::Internal, "the tool has no operation"));
        };
        match upstream::send(&self.client, self.upstream.as_ref(), operation, &call).await {
            Ok(answer) => Reply::Done(Output {
                is_error: answer.status >= 400,
                structured: json!({ "status": answer.status, "etag": answer.etag, "body": answer.body }),
                ..Output::default()
            }),
            Err(problem) => self.refuse(problem),
        }
    }

    /// A refusal looks like the answer the API would have given.
    fn refusal(&self, problem: Problem) -> Value {
        json!({ "status": problem.kind.status(), "etag": null, "body": Value::from(problem) })
    }
}

impl Crud {
    fn refuse(&self, problem: Problem) -> Reply {
        Reply::error(self.refusal(problem))
    }
}

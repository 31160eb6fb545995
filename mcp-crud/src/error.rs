//! Why a document cannot be served.

/// Every variant names what to change in the document or the options.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("the document is no OpenAPI 3.1 document: {0}")]
    Document(String),
    #[error("two operations are called `{0}`")]
    OperationTwice(String),
    #[error("the toolset names `{0}`, which is no operation of the document")]
    UnknownTool(String),
    #[error("operation `{operation}`: `{field}` comes from the {first} and from the {second}; rename one")]
    NameClash { operation: String, field: String, first: &'static str, second: &'static str },
    #[error("operation `{operation}`: {reason}")]
    Operation { operation: String, reason: String },
    #[error("the HTTP client could not be set up")]
    Client(#[source] reqwest::Error),
}

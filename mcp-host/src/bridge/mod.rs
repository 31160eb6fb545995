//! A stdio server that is a remote HTTP door: JSON-RPC lines go to the endpoint as they are, and its replies come
//! back as lines, in both protocol generations.

mod remote;
mod sse;

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

use crate::limits;
use remote::Remote;

/// Where a bridge leads.
#[derive(Clone, Debug)]
pub struct Bridge {
    /// The endpoint, such as `http://127.0.0.1:8080/mcp`.
    pub url: String,
    pub bearer: Option<String>,
    pub world: Option<String>,
}

/// Why a bridge fell.
#[derive(Debug, thiserror::Error)]
pub enum BridgeError {
    #[error("`{0}` is no address of an MCP server; write http://host:port/mcp")]
    Url(String),
    #[error("the bearer token or the world cannot be sent in a header")]
    Header,
    #[error("the HTTP client could not be set up")]
    Client(#[source] reqwest::Error),
    #[error("the pipe to the client broke")]
    Pipe(#[source] std::io::Error),
}

/// Bridges stdin and stdout until the client hangs up and every call is answered.
///
/// # Errors
/// When the settings cannot be used or the pipe breaks.
pub async fn bridge_stdio(settings: Bridge) -> Result<(), BridgeError> {
    let (reader, writer) = rmcp::transport::io::stdio_pipes();
    bridge(settings, reader, writer).await
}

/// Bridges any pair of streams until the client hangs up and every call is answered.
///
/// # Errors
/// When the settings cannot be used or the pipe breaks.
pub async fn bridge<R, W>(settings: Bridge, reader: R, writer: W) -> Result<(), BridgeError>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let remote = Arc::new(Remote::new(&settings)?);
    let (replies, lines) = mpsc::channel(limits::BRIDGE_CALLS_MAX);
    let writing = tokio::spawn(write_lines(writer, lines));
    let read = read_lines(BufReader::new(reader), &remote, replies).await;
    let written = writing.await.map_err(|error| BridgeError::Pipe(std::io::Error::other(error)))?;
    remote.end_session().await;
    read.and(written)
}

async fn read_lines<R: AsyncRead + Send + Unpin>(
    mut reader: BufReader<R>,
    remote: &Arc<Remote>,
    replies: mpsc::Sender<String>,
) -> Result<(), BridgeError> {
    let room = Arc::new(Semaphore::new(limits::BRIDGE_CALLS_MAX));
    let mut calls = JoinSet::new();
    let bound = u64::try_from(limits::BRIDGE_MESSAGE_BYTES_MAX).unwrap_or(u64::MAX);
    loop {
        let mut line = Vec::new();
        let read = (&mut reader).take(bound).read_until(b'\n', &mut line).await.map_err(BridgeError::Pipe)?;
        if read == 0 {
            break;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let Ok(message) = serde_json::from_slice::<Value>(&line) else {
            let error = json!({ "code": -32700, "message": "the line is not JSON, or too long" });
            forward(&replies, &json!({ "jsonrpc": "2.0", "id": null, "error": error })).await;
            continue;
        };
        if is_concurrent(&message) {
            let Ok(permit) = Arc::clone(&room).acquire_owned().await else { break };
            let (remote, replies) = (Arc::clone(remote), replies.clone());
            calls.spawn(async move {
                remote.exchange(&message, &replies).await;
                drop(permit);
            });
        } else {
            remote.exchange(&message, &replies).await;
        }
        while calls.try_join_next().is_some() {}
    }
    while calls.join_next().await.is_some() {}
    Ok(())
}

/// Calls run side by side. `initialize` comes before all others, since it opens the session; notifications and
/// answers are taken at once by the server, and keep their order.
fn is_concurrent(message: &Value) -> bool {
    message.get("id").is_some() && message.get("method").is_some_and(|method| method != "initialize")
}

/// One message, one line. A closed channel means that the client is gone; there is nobody left to tell.
async fn forward(replies: &mpsc::Sender<String>, message: &Value) {
    if replies.send(message.to_string()).await.is_err() {
        tracing::debug!("a reply came after the client had left");
    }
}

async fn write_lines<W: AsyncWrite + Send + Unpin>(
    mut writer: W,
    mut lines: mpsc::Receiver<String>,
) -> Result<(), BridgeError> {
    while let Some(mut line) = lines.recv().await {
        line.push('\n');
        writer.write_all(line.as_bytes()).await.map_err(BridgeError::Pipe)?;
        writer.flush().await.map_err(BridgeError::Pipe)?;
    }
    Ok(())
}

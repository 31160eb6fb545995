//! One client on a pair of streams: one JSON-RPC message a line.

use rmcp::service::{QuitReason, ServerInitializeError};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::door::Door;
use crate::identity::Identity;
use crate::server::Server;

/// Why serving a pipe ended badly.
#[derive(Debug, thiserror::Error)]
pub enum StdioError {
    #[error("the client did not begin as the protocol demands")]
    Handshake(#[source] Box<ServerInitializeError>),
    #[error("the serving task died")]
    Died(#[source] tokio::task::JoinError),
}

pub(crate) async fn serve<R, W>(
    door: &Door,
    reader: R,
    writer: W,
    identity: Identity,
) -> Result<(), StdioError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let server = Server { door: door.inner.clone(), fixed: Some(identity) };
    let running = match rmcp::serve_server(server, (reader, writer)).await {
        Ok(running) => running,
        // A client that leaves before it said anything is no failure of ours.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(StdioError::Handshake(Box::new(error))),
    };
    match running.waiting().await.map_err(StdioError::Died)? {
        QuitReason::JoinError(error) => Err(StdioError::Died(error)),
        QuitReason::Cancelled | QuitReason::Closed => Ok(()),
        // The enum may grow; an end we do not know is still an end.
        _ => Ok(()),
    }
}

//! Who is calling. Opaque here: the door carries it, the composition root gives it meaning.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

/// A verified caller in one world.
#[derive(Clone)]
pub struct Identity {
    subject: Arc<str>,
    world: Arc<str>,
    extension: Arc<dyn Any + Send + Sync>,
}

impl Identity {
    /// `subject` and `world` together own sessions and sealed questions; `extension` is whatever the owner of the
    /// door wants back in its handler.
    pub fn new(
        subject: impl Into<Arc<str>>,
        world: impl Into<Arc<str>>,
        extension: impl Any + Send + Sync,
    ) -> Self {
        Self { subject: subject.into(), world: world.into(), extension: Arc::new(extension) }
    }

    #[must_use]
    pub fn subject(&self) -> &str {
        &self.subject
    }

    #[must_use]
    pub fn world(&self) -> &str {
        &self.world
    }

    /// The extension, if it is of this type.
    #[must_use]
    pub fn extension<T: Any>(&self) -> Option<&T> {
        self.extension.downcast_ref()
    }

    /// Whether both are the same caller in the same world.
    #[must_use]
    pub fn is_same_caller(&self, other: &Self) -> bool {
        self.subject == other.subject && self.world == other.world
    }
}

/// The extension may hold secrets, so it is never printed.
impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity")
            .field("subject", &self.subject)
            .field("world", &self.world)
            .finish_non_exhaustive()
    }
}

/// What a request shows to be let in.
#[derive(Clone, Copy)]
pub struct Credentials<'a> {
    /// The token of `Authorization: Bearer`.
    pub bearer: Option<&'a str>,
    /// The request came from this machine. A proxy on this machine makes every request look so.
    pub peer_is_loopback: bool,
    /// The world named in the path or in `X-Twinshop-World`.
    pub world: Option<&'a str>,
}

/// Turns credentials into an identity; asked once per HTTP request, before anything else happens.
#[async_trait]
pub trait Authenticate: Send + Sync + 'static {
    async fn authenticate(&self, credentials: Credentials<'_>) -> Result<Identity, AuthError>;
}

/// Why a request is not let in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuthError {
    #[error("a bearer token is needed")]
    Missing,
    #[error("the bearer token is not valid or has expired")]
    Invalid,
    #[error("the token lacks the scope `{0}`")]
    Scope(String),
    #[error("there is no world `{0}`")]
    UnknownWorld(String),
    #[error("authentication is not available at the moment")]
    Unavailable,
}

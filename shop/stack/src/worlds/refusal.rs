//! Why a world is not made, changed or ended.

use shop_store::StoreError;

use super::change::{NAME_MAX, WORLDS_MAX};

#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("`{0}` is no name for a world; use up to {NAME_MAX} letters, digits, `-` and `_`")]
    Name(String),
    #[error("{0}")]
    Profile(String),
    #[error("there is no world {0}")]
    Unknown(String),
    #[error("there is a world {0} already; reset it, delete it or choose another name")]
    Exists(String),
    #[error("{WORLDS_MAX} worlds are open, which is the most; delete one")]
    TooMany,
    #[error("the main world is never deleted; reset it")]
    Main,
    #[error(
        "the rows of world {0} are in a file, which is not replaced under a running shop; fork it instead"
    )]
    InFile(String),
    #[error(
        "the gateway of this shop is another server, whose books cannot be copied or rolled back with it"
    )]
    GatewayElsewhere,
    #[error("this is no snapshot of a world: {0}")]
    Snapshot(String),
    #[error(transparent)]
    Failed(#[from] anyhow::Error),
}

impl Refusal {
    /// HTTP status and code of the catalogue.
    pub(crate) const fn status(&self) -> (u16, &'static str) {
        match self {
            Self::Name(_) | Self::Profile(_) | Self::Snapshot(_) => (400, "validation_failed"),
            Self::Unknown(_) => (404, "not_found"),
            Self::Exists(_) | Self::Main | Self::InFile(_) | Self::GatewayElsewhere => (409, "conflict"),
            Self::TooMany => (429, "rate_limited"),
            Self::Failed(_) => (500, "internal"),
        }
    }
}

impl From<StoreError> for Refusal {
    fn from(cause: StoreError) -> Self {
        Self::Failed(cause.into())
    }
}

//! Stateful actions as rows: each goes through one kind of write, [`commit`], and is worked on by one process at a
//! time under a [`claim`].
//!
//! What an action means is for the engine that drives it; here it is a body with an id, a version and an owner. An
//! action belongs to the person behind the call, so an agent and its person see the same ones, and nobody else's.

mod commit;
mod keys;
mod lease;
mod read;
#[cfg(test)]
mod tests;

pub use commit::{Change, Committed, ConsentChange, commit};
pub use keys::{KeyChange, KeyRow, key};
pub use lease::{claim, unclaim};
pub use read::{Due, due, journal, load, person_of};

use chrono::{DateTime, Utc};
use sea_orm::JsonValue;
use shop_domain::ids::ActionId;

/// One action as it is kept.
#[derive(Clone, Debug)]
pub struct Action {
    pub id: ActionId,
    /// Which flow drives it: `checkout`.
    pub capability: String,
    /// What it is about, as `kind/id`, once that is known.
    pub entity: Option<String>,
    pub node: String,
    pub status: String,
    pub version: i64,
    /// Everything the engine knows of it.
    pub body: JsonValue,
    /// When it is to be taken on without its caller.
    pub resume_at: Option<DateTime<Utc>>,
    /// When it is given up.
    pub expires_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

impl Action {
    /// The first moment at which somebody has to look at it.
    fn due_at(&self) -> Option<DateTime<Utc>> {
        [self.resume_at, self.expires_at].into_iter().flatten().min()
    }
}

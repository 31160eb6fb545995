//! Who works here, which roles they hold where, and the roles the tenant makes for itself.
//!
//! A member has a home with the role they came with, and was given others since; all lie on one way from a store to
//! the tenant, so that for each capability there is one widest scope. [`grants_of`] is read at every authentication.

mod input;
mod place;
mod read;
mod risk;
mod roles;
mod standing;
#[cfg(test)]
mod tests;
mod view;
mod write;

pub use input::{CreateRole, Deactivate, Filter, Grant, Invite};
pub(crate) use place::owner_of;
pub use read::list;
pub(crate) use read::{find, owner};
pub use roles::{create_role, list_roles};
pub(crate) use standing::grants_of;
pub use view::{GivenRole, RoleView, View};
pub(crate) use write::place_of_grant;
pub use write::{deactivate, grant, invite};

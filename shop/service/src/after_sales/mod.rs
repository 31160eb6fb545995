//! Which after-sales operation is legal now, and whether somebody else must agree first.
//!
//! [`permit`] is the one gate: it reads the facts inside the transaction, asks the legality table and the risk
//! rules, and spends the approval where one is needed.

mod case;
mod eligibility;
mod facts;
mod permit;

pub use case::{Case, case};
pub use eligibility::{DoorView, eligibility};
pub use facts::line_facts;
pub(crate) use facts::{facts, policy_of};
pub(crate) use permit::{Ask, permit, weigh};

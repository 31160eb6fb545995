//! What adds up: ledger balances, reconciliation with the gateway, the event log, the audit log, and the checker.

mod check;
mod logs;
mod money;
mod sight;
mod view;

pub use check::{check, reconcile_rows};
pub use logs::{audit, events};
pub use money::{ledger, reconciliation};
pub use view::{
    AccountBalance, AuditEntry, AuditFilter, Difference, Event, EventFilter, LedgerReport, Reconciliation,
};

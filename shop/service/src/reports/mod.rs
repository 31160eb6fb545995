//! What adds up: sales, refunds and stock, ledger balances, reconciliation with the gateway, the event log, the audit
//! log, and the checker.

mod check;
mod group;
mod input;
mod logs;
mod money;
mod refunds;
mod sales;
mod sight;
mod stock;
mod sums;
#[cfg(test)]
mod tests;
mod view;

pub use check::{check, reconcile_rows};
pub use group::Key;
pub use input::{Period, StockFilter};
pub use logs::{audit, events};
pub use money::{ledger, reconciliation};
pub use refunds::{RefundReport, RefundRow, refunds};
pub use sales::{SalesReport, SalesRow, sales};
pub use stock::{InventoryReport, LowStock, StockRow, inventory};
pub use view::{
    AccountBalance, AuditEntry, AuditFilter, Difference, Event, EventFilter, LedgerReport, Reconciliation,
};

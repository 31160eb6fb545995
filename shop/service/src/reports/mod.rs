//! What adds up: ledger, reconciliation, events and audit.

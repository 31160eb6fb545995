//! Store credit.

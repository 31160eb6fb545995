//! For tests, here and in crates that write flows: a store in memory, a store that dies on command, checks every
//! flow has to pass, and a small business of its own (expense claims) that shows how a flow is written.

pub mod canned;
pub mod crash;
pub mod expense;
pub mod memory;

pub use crash::Crashing;
pub use memory::MemoryStore;

//! What a shop's agent can do: each business intent as one flow over the service.
//!
//! A flow turns words into an entity, reads facts, judges inputs and, after the person's yes, calls the same service
//! functions as REST. It must never name a table, talk to the gateway or know a protocol.
//!
//! Start at [`Engines`], then read `checkout`, the flow all others are written like: `mod.rs` says what it is, asks
//! for and begins with, `facts.rs` judges purely, `effects.rs` acts and looks back. `steps` is how effects call the
//! service, `store` how actions become rows, `entities` how words become things and things become views.
//!
//! Flows that are not checkout do single writes: `deeds` rehearses, carries out, looks back at and undoes them. `due`
//! settles what a change made an order cost more or less; `book` and `wallet` know addresses and ways to pay by words.

mod after_sales;
mod book;
mod caller;
mod cancel_order;
mod change_delivery_address;
mod checkout;
mod deeds;
mod due;
mod engines;
mod entities;
mod exchange;
mod failure;
mod refund_only;
mod return_refund;
mod steps;
mod store;
#[cfg(test)]
mod testing;
mod track_order;
mod update_profile;
mod wallet;
mod wire;

pub use caller::Caller;
pub use engines::Engines;
pub use mcp_actions_engine::ConsentLevel;
/// What an identity of the Actions door carries: who calls, in which world.
pub use shop_service::Ctx;

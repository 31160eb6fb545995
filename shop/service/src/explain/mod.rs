//! Why a call would be let through or not: every layer of the pipeline in its order, and the one that decides.
//!
//! It asks the very functions that judge calls, and changes nothing. It is no operation of the shop: it stands beside
//! the OpenAPI document, for people who wonder about a refusal.

mod input;
mod layers;
mod read;
#[cfg(test)]
mod tests;
mod view;

pub use input::Ask;
pub use read::explain;
pub use view::{Explanation, LayerVerdict, Who};

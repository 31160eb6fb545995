//! Pages over a small shop in memory: two worlds, four people, one of them software.

mod approving;
mod consenting;
mod fixture;
mod paying;
mod signing_in;

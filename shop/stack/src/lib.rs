//! The composition root: worlds, servers, ports, start, ready line and shutdown.
//!
//! Everything below is a library that knows nothing of its neighbours; here they are put together. Nothing here
//! decides anything about a shop.
//!
//! Start at [`Settings`] and [`Stack::start`], then [`worlds`].

mod admin;
mod doors;
mod run;
mod scheduler;
mod settings;
pub mod worlds;

pub use doors::{actions_door, crud_door, identity};
pub use run::{Ready, Stack};
pub use settings::{Ports, Settings};
pub use worlds::{OpenWorld, Worlds};

// What a caller needs to name when it sets up, steers and judges worlds.
pub use mcp_actions_flows::ConsentLevel;
pub use shop_domain::after_sales::RulesMode;
pub use shop_gateway_sim::{ChargeTruth, Truth};
pub use shop_store::Rows;
pub use shop_world::{Clock, FaultRule};
pub use twinshop_seed as seed;

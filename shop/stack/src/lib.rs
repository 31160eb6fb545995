//! The composition root: worlds, servers, ports, start, ready line and shutdown.
//!
//! Everything below is a library that knows nothing of its neighbours; here they are put together. Nothing here
//! decides anything about a shop.
//!
//! Start at [`Settings`] and [`Stack::start`], then [`worlds`].

mod admin;
mod doors;
mod remote;
#[cfg(test)]
mod rest_door;
mod run;
mod scheduler;
#[cfg(test)]
mod sets;
mod settings;
mod tools;
#[cfg(test)]
mod walk;
pub mod worlds;

pub use mcp_actions_flows::ConsentLevel;
pub use remote::CrudDoor;
pub use run::{Ready, Stack};
pub use settings::{Ports, Settings};
pub use shop_domain::after_sales::RulesMode;
pub use shop_gateway::wire::PaymentStatus;
pub use shop_gateway_sim::{ChargeTruth, Truth};
pub use shop_service::Profile as KeyProfile;
pub use shop_store::Rows;
pub use shop_world::{Clock, CrashPlan, FaultRule};
pub use tools::{
    GatewayOnly, GatewaySettings, check, check_world, export_tau2, gateway_only, openapi, parse_faults,
    store_place,
};
pub use twinshop_seed::{EPOCH, Template, export_tau2 as export_tau2_db, tau2_template};
pub use worlds::{OpenWorld, Worlds};

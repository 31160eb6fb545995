//! What is sold. The catalogue is public: shoppers see what is published, staff also drafts and what was archived.

mod input;
mod read;
mod search;
mod variants;
mod view;

pub use input::{Filter, Search};
pub(crate) use read::{find, is_on_sale};
pub use read::{get, list, list_categories};
pub use search::search;
pub(crate) use variants::find_variant;
pub use variants::{list_prices, list_variants, variant};
pub use view::{Category, CategoryCount, Facets, Price, PriceRange, SearchResults, Variant, View};

#[cfg(test)]
mod tests;

//! What is sold. The catalogue is public: shoppers see what is published, a brand's staff also its drafts and what it
//! archived.

mod categories;
mod input;
mod read;
mod search;
mod variant_write;
mod variants;
mod view;
mod write;

pub use categories::{create_category, list_categories};
pub use input::{
    AddMedia, Create, CreateCategory, CreateVariant, Filter, Publish, Search, Update, UpdateVariant,
};
pub(crate) use read::{find, in_sight, is_on_sale};
pub use read::{get, list};
pub use search::search;
pub(crate) use variant_write::find_own_variant;
pub use variant_write::{create_variant, update_variant};
pub(crate) use variants::find_variant;
pub use variants::{list_variants, variant};
pub use view::{Category, CategoryCount, Facets, Media, PriceRange, SearchResults, Variant, View};
pub use write::{add_media, archive, create, publish, update};

#[cfg(test)]
mod tests;

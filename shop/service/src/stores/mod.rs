//! Brands and stores.

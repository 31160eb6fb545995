//! shop-store

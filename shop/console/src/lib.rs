//! shop-console

//! shop-domain

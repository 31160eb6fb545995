//! shop-api

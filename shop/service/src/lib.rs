//! shop-service

//! shop-gateway

//! shop-stack

//! shop-gateway-sim

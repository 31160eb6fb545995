//! twinshop-testkit

//! twinshop-seed

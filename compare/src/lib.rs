//! twinshop-compare

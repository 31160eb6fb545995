//! What somebody means to buy.

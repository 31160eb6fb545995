//! Products, variants and what they cost.

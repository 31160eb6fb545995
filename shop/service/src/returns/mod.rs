//! Goods on their way back.

//! Gift cards.

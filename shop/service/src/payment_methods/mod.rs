//! Saved instruments, masked.

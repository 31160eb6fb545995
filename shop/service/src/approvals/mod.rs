//! A second person's sign-off on one exact operation.

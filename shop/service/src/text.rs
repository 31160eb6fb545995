//! Texts that callers send.

use crate::error::{Error, Result};

/// Refuses a text that is empty or too long.
pub(crate) fn must_fit(text: &str, max: usize, pointer: impl Into<String>) -> Result<()> {
    if text.trim().is_empty() || text.len() > max {
        return Err(Error::invalid(pointer, format!("send 1 to {max} characters")));
    }
    Ok(())
}

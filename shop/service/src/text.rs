//! Texts that callers send, and codes they are given.

use crate::Ctx;
use crate::error::{Error, Result};

/// Characters of one group of a code.
pub(crate) const GROUP: usize = 4;

/// Refuses a text that is empty or too long.
pub(crate) fn must_fit(text: &str, max: usize, pointer: impl Into<String>) -> Result<()> {
    if text.trim().is_empty() || text.len() > max {
        return Err(Error::invalid(pointer, format!("send 1 to {max} characters")));
    }
    Ok(())
}

/// A code that nobody can guess: the chance in an id of a stream of its own, in groups that begin at these places.
pub(crate) fn unguessable(ctx: &Ctx, stream: &str, groups: &[usize]) -> String {
    let chance = ctx.shop.world.ids.next(stream).to_string();
    let group = |at: &usize| chance.chars().skip(*at).take(GROUP).collect::<String>();
    groups.iter().map(group).collect::<Vec<_>>().join("-").to_uppercase()
}

//! People who buy.

mod read;

pub(crate) use read::find;

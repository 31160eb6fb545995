//! Lists: a limit, an opaque cursor, and whether there is more.

use serde::{Deserialize, Serialize};
use shop_domain::limits;

use crate::error::{Error, Result};

/// Where a list begins and how long it is.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// At most this many entries, 1 to 100; 20 when absent.
    #[param(minimum = 1, maximum = 100, example = 20)]
    pub limit: Option<i64>,
    /// `next_cursor` of the page before; absent for the first page.
    pub cursor: Option<String>,
}

/// One page of a list.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Page<T> {
    /// The entries, in the order the list is documented in.
    pub items: Vec<T>,
    /// Whether another page follows.
    pub has_more: bool,
    /// What to send as `cursor` for it.
    pub next_cursor: Option<String>,
}

impl PageQuery {
    /// The limit, checked.
    ///
    /// # Errors
    /// When it is out of bounds.
    pub fn limit(&self) -> Result<u64> {
        let limit = self.limit.unwrap_or(i64::from(limits::PAGE_DEFAULT));
        match u64::try_from(limit) {
            Ok(n) if (1..=i64::from(limits::PAGE_MAX)).contains(&limit) => Ok(n),
            Ok(_) | Err(_) => Err(Error::invalid(
                "/limit",
                format!(
                    "limit is 1 to {}; send one in that range, or none for the default",
                    limits::PAGE_MAX
                ),
            )),
        }
    }

    /// The cursor as the id or number it was made from.
    ///
    /// # Errors
    /// When it is not one this list gave out.
    pub fn after<T: std::str::FromStr>(&self) -> Result<Option<T>> {
        let Some(cursor) = &self.cursor else { return Ok(None) };
        cursor.parse().map(Some).map_err(|_| Self::not_a_cursor())
    }

    pub(crate) fn not_a_cursor() -> Error {
        Error::invalid(
            "/cursor",
            "this is no cursor of this list; send next_cursor of the page before, or none",
        )
    }
}

impl<T> Page<T> {
    /// Cuts `limit + 1` fetched rows to a page; the cursor is made from the last entry kept.
    pub fn cut(mut items: Vec<T>, limit: u64, cursor: impl FnOnce(&T) -> String) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let has_more = items.len() > limit;
        items.truncate(limit);
        let next_cursor = if has_more { items.last().map(cursor) } else { None };
        Self { items, has_more, next_cursor }
    }

    pub fn map<U>(self, each: impl FnMut(T) -> U) -> Page<U> {
        Page {
            items: self.items.into_iter().map(each).collect(),
            has_more: self.has_more,
            next_cursor: self.next_cursor,
        }
    }
}

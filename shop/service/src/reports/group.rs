//! What the rows of a report have in common: a day, a store or a brand.

use chrono::{DateTime, NaiveDate, Utc};
use sea_orm::sea_query::{Expr, ExprTrait as _, Func, IntoColumnRef, SimpleExpr};
use sea_orm::{ColumnTrait, Condition};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{BrandId, StoreId};
use shop_domain::limits;
use shop_domain::reports::ReportGroup;
use shop_store::entities::orders;

use super::input::Span;
use crate::error::{Error, Result};
use crate::{Ctx, orders as order_service};

/// What a row stands for; the others are null.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema,
)]
#[schema(as = ReportKey)]
pub struct Key {
    /// The day in UTC.
    #[schema(example = "2026-01-15")]
    pub day: Option<NaiveDate>,
    pub store_id: Option<StoreId>,
    pub brand_id: Option<BrandId>,
}

impl Key {
    /// A key as [`column`] gives it.
    pub(super) fn read(group: ReportGroup, text: &str) -> Result<Self> {
        let bad = || Error::internal(format!("`{text}` is no {group}"));
        let none = Self::default();
        Ok(match group {
            ReportGroup::Day => Self { day: Some(text.parse().map_err(|_| bad())?), ..none },
            ReportGroup::Store => Self { store_id: Some(text.parse().map_err(|_| bad())?), ..none },
            ReportGroup::Brand => Self { brand_id: Some(text.parse().map_err(|_| bad())?), ..none },
        })
    }
}

/// The column that rows of orders and their money are grouped by. `at` is when a row happened.
pub(super) fn column(group: ReportGroup, at: impl IntoColumnRef) -> SimpleExpr {
    match group {
        // Times are written in UTC, on both databases with the date first.
        ReportGroup::Day => {
            let date = Func::cust("substr").arg(Expr::col(at).cast_as("text")).arg(1).arg(10);
            date.into()
        }
        ReportGroup::Store => Expr::col((orders::Entity, orders::Column::StoreId)),
        ReportGroup::Brand => Expr::col((orders::Entity, orders::Column::BrandId)),
    }
}

/// Rows within the period, of orders in sight. `at` is when a row happened.
pub(super) fn within(ctx: &Ctx, span: &Span, at: impl ColumnTrait) -> Condition {
    let (from, to): (DateTime<Utc>, DateTime<Utc>) = (span.from, span.to);
    let mut all =
        Condition::all().add(at.gte(from)).add(at.lt(to)).add(order_service::in_sight(&ctx.principal.scope));
    if let Some(store) = span.store {
        all = all.add(orders::Column::StoreId.eq(store));
    }
    all
}

/// The rows of a report, if anybody could read so many.
pub(super) fn bounded<R>(rows: impl IntoIterator<Item = R>) -> Result<Vec<R>> {
    let rows: Vec<R> = rows.into_iter().collect();
    if rows.len() > limits::REPORT_ROWS_MAX {
        let max = limits::REPORT_ROWS_MAX;
        let message = format!("this would be more than {max} rows; name a shorter period, or group by store");
        return Err(Error::invalid("/from", message));
    }
    Ok(rows)
}

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use sea_orm::sea_query::ExprTrait as _;
use sea_orm::{ColumnTrait, EntityTrait, FromQueryResult, JoinType, QueryFilter, QuerySelect};
use serde::{Deserialize, Serialize};
use shop_domain::money::Currency;
use shop_domain::operations::operation;
use shop_domain::reports::ReportGroup;
use shop_domain::status::{RefundKind, RefundStatus};
use shop_store::entities::{orders, refunds};

use super::group::{Key, bounded, column, within};
use super::input::{Period, Span};
use crate::Ctx;
use crate::error::Result;

/// What was given back, by the refunds themselves. Amounts are in minor units, with tax.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RefundReport {
    pub from: DateTime<Utc>,
    pub to: DateTime<Utc>,
    pub group_by: ReportGroup,
    /// In order of what they stand for, one a kind, reason and currency.
    pub rows: Vec<RefundRow>,
    /// The sum of all rows, one a kind, reason and currency.
    pub totals: Vec<RefundRow>,
}

/// Refunds of one kind and reason, of a day, store or brand, in one currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RefundRow {
    pub key: Key,
    pub kind: RefundKind,
    #[schema(example = "wrong_size")]
    pub reason: String,
    pub currency: Currency,
    /// How many there are, whatever became of them.
    #[schema(example = 3)]
    pub count: i64,
    /// Paid.
    #[schema(example = 5970)]
    pub paid_minor: i64,
    /// Decided and not paid yet, those without an answer included.
    pub waiting_minor: i64,
    /// Refused by the gateway and still owed.
    pub failed_minor: i64,
    /// Given up before they were paid.
    pub cancelled_minor: i64,
}

#[derive(FromQueryResult)]
struct Sum {
    key: String,
    kind: RefundKind,
    reason: String,
    currency: Currency,
    status: RefundStatus,
    count: i64,
    minor: i64,
}

/// Refunds by kind and reason, added up from their rows.
///
/// # Errors
/// When the caller may not, or the period is bad.
pub async fn refunds(ctx: &Ctx, period: Period) -> Result<RefundReport> {
    ctx.may(operation("get_refund_report"))?;
    let span = Span::of(ctx, &period)?;
    let to_order =
        refunds::Entity::belongs_to(orders::Entity).from(refunds::Column::OrderId).to(orders::Column::Id);
    let key = column(span.group, (refunds::Entity, refunds::Column::CreatedAt));
    let sums = refunds::Entity::find()
        .join(JoinType::InnerJoin, to_order.into())
        .filter(within(ctx, &span, refunds::Column::CreatedAt))
        .select_only()
        .expr_as(key.clone(), "key")
        .column(refunds::Column::Kind)
        .column(refunds::Column::Reason)
        .column(refunds::Column::Currency)
        .column(refunds::Column::Status)
        .column_as(refunds::Column::Id.count(), "count")
        .column_as(refunds::Column::AmountMinor.sum().cast_as("bigint"), "minor")
        .group_by(key)
        .group_by(refunds::Column::Kind)
        .group_by(refunds::Column::Reason)
        .group_by(refunds::Column::Currency)
        .group_by(refunds::Column::Status)
        .into_model::<Sum>()
        .all(ctx.read()?)
        .await?;
    let (mut rows, mut totals) = (BTreeMap::new(), BTreeMap::new());
    for sum in &sums {
        add(&mut rows, Key::read(span.group, &sum.key)?, sum);
        add(&mut totals, Key::default(), sum);
    }
    Ok(RefundReport {
        from: span.from,
        to: span.to,
        group_by: span.group,
        rows: bounded(rows.into_values())?,
        totals: bounded(totals.into_values())?,
    })
}

type Rows = BTreeMap<(Key, RefundKind, String, Currency), RefundRow>;

fn add(rows: &mut Rows, key: Key, sum: &Sum) {
    let row = rows.entry((key, sum.kind, sum.reason.clone(), sum.currency)).or_insert_with(|| RefundRow {
        key,
        kind: sum.kind,
        reason: sum.reason.clone(),
        currency: sum.currency,
        count: 0,
        paid_minor: 0,
        waiting_minor: 0,
        failed_minor: 0,
        cancelled_minor: 0,
    });
    row.count += sum.count;
    match sum.status {
        RefundStatus::Succeeded => row.paid_minor += sum.minor,
        RefundStatus::Pending | RefundStatus::Submitted | RefundStatus::Unknown => {
            row.waiting_minor += sum.minor;
        }
        RefundStatus::Failed => row.failed_minor += sum.minor,
        RefundStatus::Cancelled => row.cancelled_minor += sum.minor,
    }
}

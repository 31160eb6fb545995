use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait as _};
use sea_orm::{ColumnTrait, EntityTrait, FromQueryResult, JoinType, QueryFilter, QuerySelect};
use serde::{Deserialize, Serialize};
use shop_domain::ledger::Account;
use shop_domain::money::Currency;
use shop_domain::operations::operation;
use shop_domain::reports::ReportGroup;
use shop_store::entities::{ledger_entries as entries, orders};

use super::group::{Key, bounded, column, within};
use super::input::{Period, Span};
use crate::Ctx;
use crate::error::Result;

/// What was sold, by the shop's books. Amounts are in minor units, without tax unless it says so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SalesReport {
    pub from: DateTime<Utc>,
    pub to: DateTime<Utc>,
    pub group_by: ReportGroup,
    /// In order of what they stand for, one a currency.
    pub rows: Vec<SalesRow>,
    /// The sum of all rows, one a currency.
    pub totals: Vec<SalesRow>,
}

/// Sales of a day, store or brand in one currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SalesRow {
    pub key: Key,
    pub currency: Currency,
    /// Goods before discounts, less what was cancelled.
    #[schema(example = 8480)]
    pub gross_minor: i64,
    /// Discounts on goods.
    #[schema(example = 848)]
    pub discount_minor: i64,
    /// Shipping, after its own discounts.
    #[schema(example = 490)]
    pub shipping_minor: i64,
    /// Of goods and shipping, what refunds gave back; what never left is cancelled and in no sale.
    #[schema(example = 1990)]
    pub refund_minor: i64,
    /// Gross and shipping, less discounts and refunds.
    #[schema(example = 6132)]
    pub net_minor: i64,
    /// Tax on what is left of the sale.
    #[schema(example = 1165)]
    pub tax_minor: i64,
}

#[derive(FromQueryResult)]
struct Sum {
    key: String,
    currency: Currency,
    account: Account,
    is_refund: bool,
    minor: i64,
}

/// Gross, discounts, refunds and net, added up from the ledger.
///
/// # Errors
/// When the caller may not, or the period is bad.
pub async fn sales(ctx: &Ctx, period: Period) -> Result<SalesReport> {
    ctx.may(operation("get_sales_report"))?;
    let span = Span::of(ctx, &period)?;
    let accounts = [Account::Revenue, Account::ShippingRevenue, Account::Discounts, Account::TaxPayable];
    let to_order = entries::Entity::belongs_to(orders::Entity)
        .from(entries::Column::OrderId)
        .to(orders::Column::Id)
        .into();
    let key = column(span.group, (entries::Entity, entries::Column::CreatedAt));
    let is_refund = Expr::col((entries::Entity, entries::Column::RefundId)).is_not_null();
    let sums = entries::Entity::find()
        .join(JoinType::InnerJoin, to_order)
        .filter(within(ctx, &span, entries::Column::CreatedAt))
        .filter(entries::Column::Account.is_in(accounts))
        .select_only()
        .expr_as(key.clone(), "key")
        .column(entries::Column::Currency)
        .column(entries::Column::Account)
        .expr_as(is_refund.clone(), "is_refund")
        .column_as(entries::Column::AmountMinor.sum().cast_as("bigint"), "minor")
        .group_by(key)
        .group_by(entries::Column::Currency)
        .group_by(entries::Column::Account)
        .group_by(is_refund)
        .into_model::<Sum>()
        .all(ctx.read()?)
        .await?;
    let (mut rows, mut totals) = (BTreeMap::new(), BTreeMap::new());
    for sum in &sums {
        add(&mut rows, Key::read(span.group, &sum.key)?, sum);
        add(&mut totals, Key::default(), sum);
    }
    Ok(SalesReport {
        from: span.from,
        to: span.to,
        group_by: span.group,
        rows: bounded(rows.into_values())?,
        totals: bounded(totals.into_values())?,
    })
}

/// Revenue is on the credit side of the books, where amounts are negative.
fn add(rows: &mut BTreeMap<(Key, Currency), SalesRow>, key: Key, sum: &Sum) {
    let row = rows.entry((key, sum.currency)).or_insert(SalesRow {
        key,
        currency: sum.currency,
        gross_minor: 0,
        discount_minor: 0,
        shipping_minor: 0,
        refund_minor: 0,
        net_minor: 0,
        tax_minor: 0,
    });
    match (sum.account, sum.is_refund) {
        (Account::Revenue | Account::ShippingRevenue, true) => row.refund_minor += sum.minor,
        (Account::Revenue, false) => row.gross_minor -= sum.minor,
        (Account::ShippingRevenue, false) => row.shipping_minor -= sum.minor,
        (Account::Discounts, _) => row.discount_minor += sum.minor,
        (Account::TaxPayable, _) => row.tax_minor -= sum.minor,
        // The query asks for no others.
        (
            Account::CashAtGateway
            | Account::Receivable
            | Account::StoreCredit
            | Account::GiftCards
            | Account::RefundsPayable
            | Account::Goodwill
            | Account::Postage
            | Account::OfflineCash
            | Account::Disputes,
            _,
        ) => {}
    }
    row.net_minor = row.gross_minor + row.shipping_minor - row.discount_minor - row.refund_minor;
}

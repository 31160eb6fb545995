use std::sync::Arc;

use chrono::TimeDelta;
use sea_orm::EntityTrait;
use shop_domain::governance::{Principal, Role, Scope};
use shop_domain::ids::{PrincipalId, StoreId};
use shop_domain::ledger::Account;
use shop_domain::reports::{ReportGroup, StockGroup};
use shop_domain::status::{RefundKind, RefundStatus};
use shop_store::entities::{inventory_levels, refunds as refund_rows};

use super::*;
use crate::refunds::{ShippingFee, Unshipped, shipping_fee, unshipped};
use crate::testing::TestShop;

/// Two days of business: one order kept, one refunded in part and for its shipping, one cancelled.
async fn business() -> TestShop {
    let t = TestShop::open().await;
    t.paid(&[(t.goods.blue_mug, 2), (t.goods.small_shirt, 1)]).await;
    t.shop.world.clock.advance(TimeDelta::days(1));
    let order = t.paid(&[(t.goods.blue_mug, 1), (t.goods.large_shirt, 1)]).await;
    let mug = crate::LineUnits { line_id: order.lines[0].id, quantity: 1 };
    let input = Unshipped { lines: Some(vec![mug]), ..Unshipped::default() };
    unshipped(&t.at(&t.lead, order.version), order.id, input).await.unwrap();
    let order = t.order(order.id).await;
    shipping_fee(&t.at(&t.lead, order.version), order.id, ShippingFee::default()).await.unwrap();
    let order = t.placed(&[(t.goods.red_mug, 1)]).await;
    let reason = shop_domain::reasons::CancelReason::TooSlow;
    let cancel = crate::orders::Cancel { reason, approval_id: None };
    crate::orders::cancel(&t.at(&t.ada.principal, order.version), order.id, cancel).await.unwrap();
    t.shop.world.clock.advance(TimeDelta::hours(1));
    t
}

fn by(group: ReportGroup) -> Period {
    Period { group_by: Some(group), ..Period::default() }
}

#[tokio::test]
async fn sales_are_the_sum_of_the_ledgers_accounts() {
    let t = business().await;
    let admin = t.ctx(&t.admin);
    let books = ledger(&admin).await.unwrap();
    let on = |account: Account| {
        let own = books.accounts.iter().filter(|line| line.account == account);
        own.map(|line| line.balance_minor).sum::<i64>()
    };
    for group in [ReportGroup::Day, ReportGroup::Store, ReportGroup::Brand] {
        let report = sales(&admin, by(group)).await.unwrap();
        let total = report.totals[0];
        assert_eq!(total.discount_minor, on(Account::Discounts));
        assert_eq!(
            total.net_minor,
            -on(Account::Revenue) - on(Account::ShippingRevenue) - on(Account::Discounts),
            "{group}"
        );
        assert_eq!(total.tax_minor, -on(Account::TaxPayable), "{group}");
        let sum = |of: fn(&SalesRow) -> i64| report.rows.iter().map(of).sum::<i64>();
        assert_eq!(sum(|row| row.net_minor), total.net_minor, "{group}");
        assert_eq!(sum(|row| row.gross_minor), total.gross_minor, "{group}");
        assert_eq!(report.rows.len(), if group == ReportGroup::Day { 2 } else { 1 }, "{group}");
    }
    let days = sales(&admin, by(ReportGroup::Day)).await.unwrap().rows;
    // 2 × 19.90 + 25.00; then 27.00, since the mug and the other order never left, and the shipping went back.
    assert_eq!((days[0].gross_minor, days[0].shipping_minor, days[0].refund_minor), (6_480, 490, 0));
    assert_eq!((days[1].gross_minor, days[1].shipping_minor, days[1].refund_minor), (2_700, 490, 490));
    assert_eq!(days[0].net_minor, 6_480 + 490);
}

#[tokio::test]
async fn refunds_are_the_sum_of_their_rows() {
    let t = business().await;
    let report = refunds(&t.ctx(&t.admin), by(ReportGroup::Store)).await.unwrap();
    let rows = refund_rows::Entity::find().all(t.shop.db.reader()).await.unwrap();
    let paid = rows.iter().filter(|row| row.status == RefundStatus::Succeeded);
    assert_eq!(report.rows.iter().map(|row| row.count).sum::<i64>(), i64::try_from(rows.len()).unwrap());
    let paid = paid.map(|row| row.amount_minor).sum::<i64>();
    assert_eq!(report.rows.iter().map(|row| row.paid_minor).sum::<i64>(), paid);
    let found: Vec<_> = report.rows.iter().map(|row| (row.kind, row.key.store_id, row.paid_minor)).collect();
    let expected = [(RefundKind::Unshipped, 1_990 + 378), (RefundKind::ShippingFee, 490 + 93)];
    assert_eq!(found, expected.map(|(kind, minor)| (kind, Some(t.store), minor)));
    for row in &report.totals {
        assert_eq!((row.waiting_minor, row.failed_minor, row.cancelled_minor), (0, 0, 0), "{}", row.kind);
    }
}

#[tokio::test]
async fn stock_is_the_sum_of_its_levels() {
    let t = business().await;
    let report = inventory(&t.ctx(&t.admin), StockFilter::default()).await.unwrap();
    let rows = inventory_levels::Entity::find().all(t.shop.db.reader()).await.unwrap();
    let row = report.rows[0];
    assert_eq!((row.levels, row.store_id), (5, Some(t.store)));
    assert_eq!(row.on_hand, rows.iter().map(|row| row.on_hand).sum::<i64>());
    assert_eq!(row.reserved, rows.iter().map(|row| row.reserved).sum::<i64>());
    assert_eq!(row.available, row.on_hand - row.reserved);
    // Ten of each for 19.90, 19.90, 25.00 and 27.00, and five lamps for 89.00.
    assert_eq!(row.value_minor, 10 * (1_990 + 1_990 + 2_500 + 2_700) + 5 * 8_900);
    let low: Vec<_> = report.low.iter().map(|level| (level.variant_id, level.available)).collect();
    assert_eq!(low, [(t.goods.desk_lamp, 5)]);
    assert_eq!((row.low, row.out), (1, 0));
    assert_eq!((row.fresh_units, row.slow_units, row.old_units), (row.on_hand, 0, 0));

    t.shop.world.clock.advance(TimeDelta::days(60));
    t.placed(&[(t.goods.desk_lamp, 5)]).await;
    let brand = StockFilter { group_by: Some(StockGroup::Brand), ..StockFilter::default() };
    let later = inventory(&t.ctx(&t.admin), brand).await.unwrap();
    assert_eq!(later.rows[0].brand_id, Some(t.brand));
    assert_eq!((later.rows[0].fresh_units, later.rows[0].slow_units), (5, 40));
    assert_eq!((later.rows[0].low, later.rows[0].out), (0, 1));
}

#[tokio::test]
async fn a_report_covers_its_period_and_what_is_in_sight() {
    let t = business().await;
    let now = t.ctx(&t.admin).now();
    let today = Period { from: Some(now - TimeDelta::hours(2)), ..Period::default() };
    assert_eq!(sales(&t.ctx(&t.admin), today.clone()).await.unwrap().rows.len(), 1);
    let before = Period { to: Some(now - TimeDelta::hours(2)), ..Period::default() };
    assert_eq!(refunds(&t.ctx(&t.admin), before).await.unwrap().rows, []);
    for bad in [
        Period { from: Some(now), to: Some(now), ..Period::default() },
        Period { from: Some(now - TimeDelta::days(800)), ..Period::default() },
    ] {
        assert_eq!(sales(&t.ctx(&t.admin), bad).await.unwrap_err().fields[0].pointer, "/from");
    }
    let by_ada = sales(&t.ctx(&t.ada.principal), Period::default()).await.unwrap_err();
    assert_eq!(by_ada.code.as_str(), "forbidden");

    let elsewhere = Scope::Store(StoreId::new(ulid::Ulid(7)));
    let other = Principal::human(PrincipalId::new(ulid::Ulid(8)), "kim", Role::StoreManager, elsewhere);
    let other = t.ctx(&Arc::new(other));
    assert_eq!(sales(&other, Period::default()).await.unwrap().totals, []);
    assert_eq!(refunds(&other, Period::default()).await.unwrap().totals, []);
    assert_eq!(inventory(&other, StockFilter::default()).await.unwrap().rows, []);
    let here =
        Principal::human(PrincipalId::new(ulid::Ulid(8)), "kim", Role::StoreManager, Scope::Store(t.store));
    assert_eq!(sales(&t.ctx(&Arc::new(here)), today).await.unwrap().rows.len(), 1);
}

//! What must be true of every seeded shop.

use std::collections::{BTreeMap, BTreeSet};

use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use shop_domain::ledger::Account;
use shop_domain::orders::{
    OrderGoods, OrderMoney, PaymentMoney, order_fulfillment_status, order_payment_status,
};
use shop_domain::status::*;
use shop_gateway::wire::ledger::{Effect, Line};
use shop_store::entities::*;

use super::*;
use crate::history::is_lost;
use crate::workshop::combinations::COMBINATIONS;

/// A workshop shop in memory, with the lines of its gateway.
async fn workshop() -> (Db, Seeded, Vec<Line>) {
    let db = Db::open(&Place::Memory).await.unwrap();
    let seeded = seed(&db, Profile::Workshop, 7, EPOCH).await.unwrap();
    let lines = seeded.gateway_ledger.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let lines = lines.map(|line| serde_json::from_slice(line).unwrap()).collect();
    (db, seeded, lines)
}

#[tokio::test]
async fn the_same_number_gives_the_same_bytes_and_another_one_others() {
    let first = template(Profile::Workshop, 7).await.unwrap();
    let again = template(Profile::Workshop, 7).await.unwrap();
    assert!(first.database == again.database, "two databases of one number differ");
    assert!(first.gateway_ledger == again.gateway_ledger);
    let other = template(Profile::Workshop, 8).await.unwrap();
    assert!(first.database != other.database && first.gateway_ledger != other.gateway_ledger);
    let db = Db::from_snapshot(&first.database).await.unwrap();
    assert_eq!(orders::Entity::find().count(db.reader()).await.unwrap(), 120);
}

#[tokio::test]
async fn an_empty_shop_has_its_administrator_and_nothing_to_sell() {
    let db = Db::open(&Place::Memory).await.unwrap();
    let seeded = seed(&db, "empty".parse().unwrap(), 7, EPOCH).await.unwrap();
    assert_eq!(seeded.demo.tokens, [("admin".to_owned(), "tok_demo_admin".to_owned())]);
    assert!(seeded.gateway_ledger.is_empty());
    assert_eq!(products::Entity::find().count(db.reader()).await.unwrap(), 0);
    assert!("huge".parse::<Profile>().unwrap_err().to_string().contains("use empty or workshop"));
}

#[tokio::test]
async fn the_workshop_has_what_it_promises() {
    let (db, seeded, _) = workshop().await;
    let conn = db.reader();
    assert_eq!(brands::Entity::find().count(conn).await.unwrap(), 2);
    assert_eq!(stores::Entity::find().count(conn).await.unwrap(), 3);
    assert_eq!(products::Entity::find().count(conn).await.unwrap(), 60);
    assert_eq!(customers::Entity::find().count(conn).await.unwrap(), 40);
    assert_eq!(orders::Entity::find().count(conn).await.unwrap(), 120);
    let names: BTreeSet<&str> = seeded.demo.tokens.iter().map(|(name, _)| name.as_str()).collect();
    let wanted = [
        "ada", "bob", "agent", "support", "lead", "manager", "brand", "finance", "auditor", "admin", "nobody",
    ];
    assert_eq!(names, wanted.into_iter().collect());
    let lines =
        cart_lines::Entity::find().filter(cart_lines::Column::CartId.eq(seeded.demo.cart_id.unwrap()));
    assert_eq!(lines.count(conn).await.unwrap(), 2);
    let own = addresses::Column::CustomerId.eq(seeded.demo.customer_id.unwrap());
    let mut labels: Vec<String> = addresses::Entity::find()
        .filter(own)
        .all(conn)
        .await
        .unwrap()
        .into_iter()
        .map(|row| row.label)
        .collect();
    labels.sort();
    assert_eq!(labels, ["Home", "Office"]);
    for coupon in coupons::Entity::find().all(conn).await.unwrap() {
        let is_used_up = coupon.usage_limit == Some(coupon.used);
        assert_eq!(is_used_up, ["ONCE20", "FIRST100"].contains(&coupon.code.as_str()), "{}", coupon.code);
    }
    let gone = variants::Entity::find()
        .filter(variants::Column::Title.eq("Red mug"))
        .one(conn)
        .await
        .unwrap()
        .unwrap();
    let level = inventory_levels::Entity::find()
        .filter(inventory_levels::Column::VariantId.eq(gone.id))
        .one(conn)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(level.on_hand, 0);
}

#[tokio::test]
async fn the_tutorials_find_adas_orders_as_they_name_them() {
    use {OrderFulfillmentStatus as Goods, OrderPaymentStatus as Money, OrderStatus as Status};
    let (db, seeded, _) = workshop().await;
    let expected = [
        ("#1001", Status::Confirmed, Money::Paid, Goods::Unfulfilled),
        ("#1002", Status::Confirmed, Money::Paid, Goods::Shipped),
        ("#1003", Status::Completed, Money::Paid, Goods::Delivered),
        ("#1004", Status::Completed, Money::Paid, Goods::Delivered),
        ("#1005", Status::Confirmed, Money::Authorized, Goods::Unfulfilled),
        ("#1006", Status::Cancelled, Money::Voided, Goods::Unfulfilled),
        ("#1007", Status::Confirmed, Money::Paid, Goods::Exception),
        ("#1008", Status::Completed, Money::Paid, Goods::Delivered),
        ("#1009", Status::Confirmed, Money::Unknown, Goods::Unfulfilled),
        ("#1010", Status::Pending, Money::Unknown, Goods::Unfulfilled),
    ];
    let numbers: Vec<&str> = seeded.demo.orders.iter().map(|(number, _)| number.as_str()).collect();
    assert_eq!(numbers, expected.map(|(number, ..)| number));
    for ((number, status, money, goods), (_, id)) in expected.into_iter().zip(&seeded.demo.orders) {
        let order = orders::Entity::find_by_id(*id).one(db.reader()).await.unwrap().unwrap();
        assert_eq!(format!("#{}", order.number), number);
        assert_eq!(
            (order.status, order.payment_status, order.fulfillment_status),
            (status, money, goods),
            "{number}"
        );
        assert_eq!(order.customer_id, seeded.demo.customer_id);
    }
    let window = |nth: usize| seeded.demo.orders[nth].1;
    let days = async |id| {
        let order = orders::Entity::find_by_id(id).one(db.reader()).await.unwrap().unwrap();
        (EPOCH - order.delivered_at.unwrap()).num_days()
    };
    assert!(days(window(2)).await < 30 && days(window(3)).await > 30);
    let back = returns::Entity::find()
        .filter(returns::Column::OrderId.eq(window(7)))
        .one(db.reader())
        .await
        .unwrap();
    assert_eq!(back.unwrap().status, ReturnStatus::Received);
    let others = orders::Entity::find().filter(orders::Column::CustomerId.eq(seeded.demo.customer_id));
    assert_eq!(others.count(db.reader()).await.unwrap(), 10);
}

#[tokio::test]
async fn every_combination_and_every_status_of_every_noun_occurs() {
    let (db, ..) = workshop().await;
    let conn = db.reader();
    let possible: BTreeSet<_> = COMBINATIONS
        .iter()
        .flat_map(|(status, money, goods)| {
            money.iter().flat_map(move |money| goods.iter().map(move |goods| (*status, *money, *goods)))
        })
        .collect();
    let rows = orders::Entity::find().all(conn).await.unwrap();
    let seen: BTreeSet<_> =
        rows.iter().map(|row| (row.status, row.payment_status, row.fulfillment_status)).collect();
    assert_eq!(seen, possible);
    let payments = payments::Entity::find().all(conn).await.unwrap();
    assert_eq!(
        words(payments.iter().map(|row| row.status.as_str())),
        words(PaymentState::WORDS.iter().copied())
    );
    let refunds = refunds::Entity::find().all(conn).await.unwrap();
    assert_eq!(
        words(refunds.iter().map(|row| row.status.as_str())),
        words(RefundStatus::WORDS.iter().copied())
    );
    let parcels = fulfillments::Entity::find().all(conn).await.unwrap();
    assert_eq!(
        words(parcels.iter().map(|row| row.status.as_str())),
        words(FulfillmentStatus::WORDS.iter().copied())
    );
    let returns = returns::Entity::find().all(conn).await.unwrap();
    assert_eq!(
        words(returns.iter().map(|row| row.status.as_str())),
        words(ReturnStatus::WORDS.iter().copied())
    );
    let exchanges = exchanges::Entity::find().all(conn).await.unwrap();
    assert_eq!(
        words(exchanges.iter().map(|row| row.status.as_str())),
        words(ExchangeStatus::WORDS.iter().copied())
    );
    let approvals = approvals::Entity::find().all(conn).await.unwrap();
    assert_eq!(
        words(approvals.iter().map(|row| row.status.as_str())),
        words(ApprovalStatus::WORDS.iter().copied())
    );
}

fn words<'a>(words: impl Iterator<Item = &'a str>) -> BTreeSet<&'a str> {
    words.collect()
}

#[tokio::test]
async fn every_orders_statuses_are_what_the_domain_derives_from_its_rows() {
    let (db, ..) = workshop().await;
    let conn = db.reader();
    let payments = payments::Entity::find().all(conn).await.unwrap();
    let refunds = refunds::Entity::find().all(conn).await.unwrap();
    let parcels = fulfillments::Entity::find().all(conn).await.unwrap();
    let lines = order_lines::Entity::find().all(conn).await.unwrap();
    for order in orders::Entity::find().all(conn).await.unwrap() {
        let own = refunds.iter().filter(|row| row.order_id == order.id);
        let money = OrderMoney {
            total_minor: order.total_minor,
            payments: payments
                .iter()
                .filter(|row| row.order_id == order.id)
                .map(|row| PaymentMoney { state: row.status, captured_minor: row.captured_minor })
                .collect(),
            refunded_minor: own
                .clone()
                .filter(|row| row.status == RefundStatus::Succeeded)
                .map(|row| row.amount_minor)
                .sum(),
            has_unknown_refund: own.clone().any(|row| row.status == RefundStatus::Unknown),
        };
        assert_eq!(order_payment_status(&money), order.payment_status, "#{}", order.number);
        let sum = |units: fn(&order_lines::Model) -> i64| {
            u32::try_from(lines.iter().filter(|row| row.order_id == order.id).map(units).sum::<i64>())
                .unwrap()
        };
        let goods = OrderGoods {
            units: sum(|line| line.quantity - line.cancelled_quantity),
            shipped: sum(|line| line.shipped_quantity),
            delivered: sum(|line| line.delivered_quantity),
            returned: sum(|line| line.received_quantity),
            has_open_exception: lines.iter().any(|line| line.order_id == order.id && is_lost(&parcels, line)),
        };
        assert_eq!(order_fulfillment_status(&goods), order.fulfillment_status, "#{}", order.number);
        let own = lines.iter().filter(|row| row.order_id == order.id);
        let total: i64 = own.map(|row| row.total_minor).sum();
        assert_eq!(total + order.shipping_minor + order.shipping_tax_minor, order.total_minor);
    }
}

#[tokio::test]
async fn the_ledger_sums_to_zero_and_is_what_the_rows_say() {
    let (db, ..) = workshop().await;
    let conn = db.reader();
    let entries = ledger_entries::Entity::find().all(conn).await.unwrap();
    let mut transactions: BTreeMap<_, i64> = BTreeMap::new();
    for entry in &entries {
        *transactions.entry((entry.transaction_id, entry.currency)).or_default() += entry.amount_minor;
    }
    assert!(transactions.len() > 300 && transactions.values().all(|sum| *sum == 0));
    assert!(entries.is_sorted_by_key(|entry| entry.created_at));
    let balance = |account, currency| -> i64 {
        let own = entries.iter().filter(|row| row.account == account && row.currency == currency);
        own.map(|row| row.amount_minor).sum()
    };
    for store in stores::Entity::find().all(conn).await.unwrap() {
        let currency = store.currency;
        let cards = gift_cards::Entity::find()
            .filter(gift_cards::Column::Currency.eq(currency))
            .all(conn)
            .await
            .unwrap();
        assert_eq!(
            balance(Account::GiftCards, currency),
            -cards.iter().map(|row| row.balance_minor).sum::<i64>()
        );
        let credit = credit_accounts::Entity::find()
            .filter(credit_accounts::Column::Currency.eq(currency))
            .all(conn)
            .await
            .unwrap();
        assert_eq!(
            balance(Account::StoreCredit, currency),
            -credit.iter().map(|row| row.balance_minor).sum::<i64>()
        );
        let refunds =
            refunds::Entity::find().filter(refunds::Column::Currency.eq(currency)).all(conn).await.unwrap();
        let owed = refunds
            .iter()
            .filter(|row| !matches!(row.status, RefundStatus::Succeeded | RefundStatus::Cancelled));
        assert_eq!(
            balance(Account::RefundsPayable, currency),
            -owed.map(|row| row.amount_minor).sum::<i64>()
        );
    }
    for payment in payments::Entity::find().all(conn).await.unwrap() {
        let own = entries
            .iter()
            .filter(|row| row.payment_id == Some(payment.id) && row.account == Account::Receivable);
        let received = own.filter(|row| row.refund_id.is_none()).map(|row| -row.amount_minor).sum::<i64>();
        assert_eq!(received, payment.captured_minor, "{}", payment.id);
    }
}

/// What the gateway's lines say it holds, by the merchant's own name for the payment.
fn cash(lines: &[Line]) -> BTreeMap<String, i64> {
    let (mut reference, mut cash) = (BTreeMap::new(), BTreeMap::new());
    for line in lines {
        let (payment, minor) = match &line.effect {
            Effect::Authorized { payment, reference: name, .. } => {
                reference.insert(payment.clone(), name.clone());
                (payment, 0)
            }
            Effect::Captured { payment, amount_minor } => (payment, *amount_minor),
            Effect::Refunded { payment, amount_minor, .. } => (payment, -amount_minor),
            Effect::Voided { payment, .. } => (payment, 0),
            Effect::Refused(_) => continue,
            Effect::RefundSettled { .. } | Effect::Disputed { .. } | Effect::Fenced => panic!("{line:?}"),
        };
        *cash.entry(reference[payment].clone()).or_insert(0) += minor;
    }
    cash
}

#[tokio::test]
async fn the_gateways_books_equal_the_shops_but_for_what_is_unknown() {
    let (db, _, lines) = workshop().await;
    let conn = db.reader();
    assert!((1..).zip(&lines).all(|(seq, line)| line.seq == seq), "numbers grow by one");
    assert!(lines.is_sorted_by_key(|line| line.at));
    let attempts = attempts::Entity::find().all(conn).await.unwrap();
    let keys: BTreeMap<_, _> = lines.iter().map(|line| (line.key.clone().unwrap(), line)).collect();
    assert_eq!(keys.len(), lines.len(), "one line a key");
    for attempt in &attempts {
        let is_there = keys.contains_key(&attempt.gateway_key);
        match attempt.outcome {
            AttemptOutcome::Done | AttemptOutcome::Refused => assert!(is_there, "{attempt:?}"),
            AttemptOutcome::Pending => assert!(!is_there, "{attempt:?}"),
            AttemptOutcome::Unknown => {}
            AttemptOutcome::NotSent | AttemptOutcome::Fenced => panic!("{attempt:?}"),
        }
    }
    let unknown = |landed: bool| {
        attempts
            .iter()
            .filter(move |row| row.outcome == AttemptOutcome::Unknown)
            .filter(|row| keys.contains_key(&row.gateway_key) == landed)
            .count()
    };
    assert!(unknown(true) > 2 && unknown(false) > 2, "lost answers hide both truths");
    let entries = ledger_entries::Entity::find()
        .filter(ledger_entries::Column::Account.eq(Account::CashAtGateway))
        .all(conn)
        .await
        .unwrap();
    let gateway = cash(&lines);
    for payment in payments::Entity::find().all(conn).await.unwrap() {
        let is_unknown = attempts
            .iter()
            .any(|row| row.payment_id == Some(payment.id) && row.outcome == AttemptOutcome::Unknown);
        if !is_unknown {
            let own = entries.iter().filter(|row| row.payment_id == Some(payment.id));
            let shop: i64 = own.map(|row| row.amount_minor).sum();
            assert_eq!(gateway.get(&payment.id.to_string()).copied().unwrap_or(0), shop, "{}", payment.id);
        }
    }
}

#[tokio::test]
async fn stock_is_held_for_exactly_what_has_not_left() {
    let (db, ..) = workshop().await;
    let conn = db.reader();
    let held = reservations::Entity::find()
        .filter(reservations::Column::Status.eq(ReservationStatus::Active))
        .all(conn)
        .await
        .unwrap();
    for level in inventory_levels::Entity::find().all(conn).await.unwrap() {
        let own = held.iter().filter(|row| row.variant_id == level.variant_id);
        assert_eq!(own.map(|row| row.quantity).sum::<i64>(), level.reserved);
    }
    for line in order_lines::Entity::find().all(conn).await.unwrap() {
        let order = orders::Entity::find_by_id(line.order_id).one(conn).await.unwrap().unwrap();
        let own =
            held.iter().filter(|row| row.holder == order.id.to_string() && row.variant_id == line.variant_id);
        let waiting = line.quantity - line.cancelled_quantity - line.shipped_quantity;
        let expected = if order.status == OrderStatus::Draft { 0 } else { waiting };
        assert_eq!(own.map(|row| row.quantity).sum::<i64>(), expected, "#{} {}", order.number, line.title);
    }
}

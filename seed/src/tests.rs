//! What must be true of every seeded shop.

mod books;
mod deals;
mod medium;
mod rest;
mod statuses;

use std::collections::BTreeSet;

use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use shop_domain::orders::{
    OrderGoods, OrderMoney, PaymentMoney, order_fulfillment_status, order_payment_status,
};
use shop_domain::status::*;
use shop_gateway::wire::ledger::Line;
use shop_store::entities::*;

use super::*;
use crate::history::is_lost;
use crate::workshop::combinations::{COMBINATIONS, OF_EXCHANGES};

/// A workshop shop in memory, with the lines of its gateway.
async fn shop() -> (Db, Seeded, Vec<Line>) {
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
    assert!(orders::Entity::find().count(db.reader()).await.unwrap() >= 120);
}

#[tokio::test]
async fn an_empty_shop_has_its_administrator_and_nothing_to_sell() {
    let db = Db::open(&Place::Memory).await.unwrap();
    let seeded = seed(&db, "empty".parse().unwrap(), 7, EPOCH).await.unwrap();
    assert_eq!(seeded.demo.tokens, [("admin".to_owned(), "tok_demo_admin".to_owned())]);
    assert!(seeded.gateway_ledger.is_empty());
    assert_eq!(products::Entity::find().count(db.reader()).await.unwrap(), 0);
    assert!(
        "huge".parse::<Profile>().unwrap_err().to_string().contains("use empty, workshop, medium or large")
    );
}

#[tokio::test]
async fn the_workshop_has_what_it_promises() {
    let (db, seeded, _) = shop().await;
    let conn = db.reader();
    assert_eq!(brands::Entity::find().count(conn).await.unwrap(), 2);
    assert_eq!(stores::Entity::find().count(conn).await.unwrap(), 3);
    assert!(products::Entity::find().count(conn).await.unwrap() >= 60);
    assert!(customers::Entity::find().count(conn).await.unwrap() >= 40);
    assert!(orders::Entity::find().count(conn).await.unwrap() >= 120);
    let names: BTreeSet<&str> = seeded.demo.tokens.iter().map(|(name, _)| name.as_str()).collect();
    let wanted = [
        "ada", "bob", "agent", "support", "lead", "manager", "brand", "finance", "auditor", "admin",
        "director", "nobody", "desk",
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
async fn support_reviews_and_roles_have_something_to_show() {
    let (db, seeded, _) = shop().await;
    let conn = db.reader();
    let cases = tickets::Entity::find().all(conn).await.unwrap();
    let seen = words(cases.iter().map(|row| row.status.as_str()));
    assert_eq!(seen, words(TicketStatus::WORDS.iter().copied()));
    let of_ada = cases.iter().filter(|row| Some(row.customer_id) == seeded.demo.customer_id);
    assert_eq!(of_ada.count(), 3);
    let notes = ticket_messages::Entity::find().filter(ticket_messages::Column::IsInternal.eq(true));
    assert!(notes.all(conn).await.unwrap().iter().all(|row| row.is_staff));
    let said = reviews::Entity::find().all(conn).await.unwrap();
    assert_eq!(words(said.iter().map(|row| row.status.as_str())), words(ReviewStatus::WORDS.iter().copied()));
    for review in &said {
        let bought = order_lines::Entity::find()
            .filter(order_lines::Column::OrderId.eq(review.order_id))
            .filter(order_lines::Column::ProductId.eq(review.product_id))
            .filter(order_lines::Column::DeliveredQuantity.gt(0));
        assert!(bought.count(conn).await.unwrap() > 0, "{} was never delivered", review.id);
        assert!(review.updated_at <= EPOCH, "{}", review.id);
    }
    let grant = role_grants::Entity::find().one(conn).await.unwrap().unwrap();
    let role = roles::Entity::find_by_id(grant.role_id.unwrap()).one(conn).await.unwrap().unwrap();
    assert_eq!(role.name, "returns desk");
    let people = principals::Entity::find().filter(principals::Column::CustomerId.is_null());
    let members = shop_store::entities::staff::Entity::find().count(conn).await.unwrap();
    assert_eq!(people.count(conn).await.unwrap(), members);
}

#[tokio::test]
async fn the_tutorials_find_adas_orders_as_they_name_them() {
    use {OrderFulfillmentStatus as Goods, OrderPaymentStatus as Money, OrderStatus as Status};
    let (db, seeded, _) = shop().await;
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
async fn every_combination_of_statuses_that_the_rules_allow_occurs_and_no_other() {
    let (db, ..) = shop().await;
    let conn = db.reader();
    let possible: BTreeSet<_> = COMBINATIONS
        .iter()
        .flat_map(|(status, money, goods)| {
            money.iter().flat_map(move |money| goods.iter().map(move |goods| (*status, *money, *goods)))
        })
        .chain([OF_EXCHANGES])
        .collect();
    let rows = orders::Entity::find().all(conn).await.unwrap();
    let seen: BTreeSet<_> =
        rows.iter().map(|row| (row.status, row.payment_status, row.fulfillment_status)).collect();
    let missing: Vec<_> = possible.difference(&seen).collect();
    let impossible: Vec<_> = seen.difference(&possible).collect();
    assert!(missing.is_empty() && impossible.is_empty(), "missing {missing:?}, impossible {impossible:?}");
}

fn words<'a>(words: impl Iterator<Item = &'a str>) -> BTreeSet<&'a str> {
    words.collect()
}

#[tokio::test]
async fn every_orders_statuses_are_what_the_domain_derives_from_its_rows() {
    let (db, ..) = shop().await;
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
async fn stock_is_held_for_exactly_what_has_not_left() {
    let (db, ..) = shop().await;
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

#[tokio::test]
async fn a_shop_is_seeded_once() {
    let (db, ..) = shop().await;
    let before = db.rows().await.unwrap();
    let refusal = seed(&db, Profile::Workshop, 8, EPOCH).await.unwrap_err();
    assert!(refusal.to_string().contains("is not empty"), "{refusal}");
    assert_eq!(db.rows().await.unwrap(), before);
}

#[test]
fn every_number_makes_a_shop_with_every_combination() {
    let possible: usize = COMBINATIONS.iter().map(|(_, money, goods)| money.len() * goods.len()).sum();
    for number in 0..60 {
        let mut ground = Ground::new(number, EPOCH);
        workshop::build(&mut ground).unwrap_or_else(|cause| panic!("seed {number}: {cause:#}"));
        let orders = ground.rows.orders.iter();
        let seen: BTreeSet<_> =
            orders.map(|row| (row.status, row.payment_status, row.fulfillment_status)).collect();
        assert!(ground.rows.orders.len() >= 120, "seed {number}");
        assert_eq!(seen.len(), possible + 1, "seed {number}");
    }
}

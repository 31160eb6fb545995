//! Promotions, price lists, collections and certificates of a seeded shop.

use shop_domain::promotions::PromotionKind;

use super::*;

/// What promotions count is what their orders say, and there is one of every kind.
#[tokio::test]
async fn promotions_count_the_orders_that_used_them() {
    let (db, ..) = shop().await;
    let conn = db.reader();
    let taken = order_promotions::Entity::find().all(conn).await.unwrap();
    let codes = coupons::Entity::find().all(conn).await.unwrap();
    let all = promotions::Entity::find().all(conn).await.unwrap();
    for promotion in &all {
        let own = taken.iter().filter(|row| row.promotion_id == promotion.id);
        let spent: i64 = own.clone().map(|row| row.discount_minor).sum();
        let used: i64 = codes.iter().filter(|row| row.promotion_id == promotion.id).map(|row| row.used).sum();
        assert_eq!((promotion.used, promotion.spent_minor), (used, spent), "{}", promotion.name);
    }
    let kinds: BTreeSet<_> = all.iter().map(|row| row.kind).collect();
    assert_eq!(kinds.len(), PromotionKind::ALL.len());
    let automatic: BTreeSet<_> = all.iter().filter(|row| row.is_automatic).map(|row| row.status).collect();
    assert_eq!(automatic, [PromotionStatus::Active, PromotionStatus::Disabled].into_iter().collect());
    for order in orders::Entity::find().all(conn).await.unwrap() {
        let own: i64 =
            taken.iter().filter(|row| row.order_id == order.id).map(|row| row.discount_minor).sum();
        assert!(own >= order.discount_minor, "#{} has a discount that nobody gave", order.number);
    }
}

/// What lowers prices without a code begins now or later: no order of the past could have had it.
#[tokio::test]
async fn deals_leave_the_past_alone() {
    let (db, ..) = shop().await;
    let conn = db.reader();
    let automatic = promotions::Column::IsAutomatic.eq(true);
    for row in promotions::Entity::find().filter(automatic).all(conn).await.unwrap() {
        assert!(row.starts_at.is_some_and(|start| start >= EPOCH), "{}", row.name);
    }
    let lists = price_lists::Entity::find().all(conn).await.unwrap();
    assert!(lists.len() == 2 && lists.iter().all(|row| row.starts_at.is_some_and(|start| start >= EPOCH)));
    for row in tax_exemptions::Entity::find().all(conn).await.unwrap() {
        assert!(row.created_at >= EPOCH);
        let own = addresses::Column::CustomerId.eq(row.customer_id);
        let home = addresses::Entity::find().filter(own).one(conn).await.unwrap().unwrap().address;
        assert_eq!((row.country, row.region), (home.country, Some(home.region)));
    }
}

/// Somebody has the tag of the trade list, whose prices are lower than the base ones.
#[tokio::test]
async fn trade_customers_pay_less() {
    let (db, ..) = shop().await;
    let conn = db.reader();
    let lists = price_lists::Entity::find().all(conn).await.unwrap();
    let tag = lists.iter().find_map(|list| list.customer_tag.clone()).unwrap();
    let people = customers::Entity::find().all(conn).await.unwrap();
    assert_eq!(people.iter().filter(|row| row.tags.0.contains(&tag)).count(), 1);
    for entry in price_list_entries::Entity::find().all(conn).await.unwrap() {
        let variant = variants::Entity::find_by_id(entry.variant_id).one(conn).await.unwrap().unwrap();
        assert!(entry.price_minor < variant.price_minor, "{}", variant.title);
    }
}

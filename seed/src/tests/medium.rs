//! A shop of ten thousand orders is as sound as one of a hundred.

use shop_service::reports;

use super::books::open;
use super::*;

#[tokio::test]
async fn a_medium_shop_is_sound_and_its_orders_are_numbered_without_a_gap() {
    let db = Db::open(&Place::Memory).await.unwrap();
    let seeded = seed(&db, Profile::Medium, 7, EPOCH).await.unwrap();
    let rows = orders::Entity::find().all(db.reader()).await.unwrap();
    let mut numbers: Vec<i64> = rows.iter().map(|row| row.number).collect();
    numbers.sort_unstable();
    assert!(numbers.len() > 10_120 && numbers[0] == 1_001);
    assert!(numbers.windows(2).all(|pair| pair[1] == pair[0] + 1), "a number is missing or twice there");
    let counted = counters::Entity::find_by_id("order_number".to_owned()).one(db.reader()).await;
    assert_eq!(counted.unwrap().unwrap().value, *numbers.last().unwrap());
    let (service, gateway) = open(seeded, db).await;
    assert_eq!(gateway.tick().unwrap(), 0, "nothing of the past is still to happen");
    let findings = reports::check(&service).await.unwrap();
    assert!(findings.is_empty(), "{findings:?}");
}

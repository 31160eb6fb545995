//! What is in a shop besides its everyday business hangs together.

use shop_service::customers::ERASED;

use super::*;

#[tokio::test]
async fn a_merged_customer_leads_to_the_one_who_has_everything() {
    let (db, ..) = shop().await;
    let conn = db.reader();
    let merged = customers::Column::Status.eq(CustomerStatus::Merged);
    let gone = customers::Entity::find().filter(merged).one(conn).await.unwrap().unwrap();
    let survivor = gone.merged_into.unwrap();
    let there = customers::Entity::find_by_id(survivor).one(conn).await.unwrap().unwrap();
    assert_eq!((there.status, there.brand_id), (CustomerStatus::Active, gone.brand_id));
    let of = |id| orders::Entity::find().filter(orders::Column::CustomerId.eq(id));
    assert!(of(survivor).count(conn).await.unwrap() > 0);
    assert_eq!(of(gone.id).count(conn).await.unwrap(), 0);
    let homes = addresses::Entity::find().filter(addresses::Column::CustomerId.eq(survivor));
    let homes = homes.all(conn).await.unwrap();
    assert_eq!((homes.len(), homes.iter().filter(|row| row.is_default).count()), (2, 1));
    let left = credit_accounts::Entity::find().filter(credit_accounts::Column::CustomerId.eq(gone.id));
    assert!(left.all(conn).await.unwrap().iter().all(|row| row.balance_minor == 0 && row.held_minor == 0));
}

/// Nowhere in the whole database is a word of who they were, and what they bought is still there.
#[tokio::test]
async fn an_anonymized_customer_is_nobody() {
    let (db, ..) = shop().await;
    let conn = db.reader();
    let erased = customers::Column::Status.eq(CustomerStatus::Anonymized);
    let gone = customers::Entity::find().filter(erased).one(conn).await.unwrap().unwrap();
    assert_eq!((gone.first_name.as_str(), gone.email), (ERASED, format!("{}@erased.invalid", gone.id)));
    let own = orders::Entity::find().filter(orders::Column::CustomerId.eq(gone.id));
    let own = own.one(conn).await.unwrap().unwrap();
    assert_eq!((own.status, own.shipping_address.country.as_str()), (OrderStatus::Completed, "GB"));
    let bytes = bytes(&db, EPOCH).await.unwrap();
    let text = String::from_utf8_lossy(&bytes).to_lowercase();
    assert!(text.contains("orchard close") && text.contains("grace.hill"), "others are found in the bytes");
    for word in ["arthur penn", "arthur.penn", "quay street"] {
        assert!(!text.contains(word), "`{word}` is still written down");
    }
}

#[tokio::test]
async fn disputes_have_a_deadline_a_line_at_the_gateway_and_entries_in_the_books() {
    use shop_domain::ledger::Account;
    let (db, _, lines) = shop().await;
    let conn = db.reader();
    for row in disputes::Entity::find().all(conn).await.unwrap() {
        let is_open = matches!(row.status, DisputeStatus::Open | DisputeStatus::EvidenceSent);
        assert_eq!(row.closed_at.is_none(), is_open, "{row:?}");
        assert!(row.due_at > row.opened_at && (!is_open || row.due_at > EPOCH), "{row:?}");
        let watch = jobs::Entity::find().filter(jobs::Column::Subject.eq(row.payment_id.to_string()));
        assert_eq!(watch.count(conn).await.unwrap() > 0, is_open, "{row:?}");
        let entries = ledger_entries::Entity::find()
            .filter(ledger_entries::Column::PaymentId.eq(row.payment_id))
            .all(conn)
            .await
            .unwrap();
        let sum = |account| -> i64 {
            entries.iter().filter(|entry| entry.account == account).map(|entry| entry.amount_minor).sum()
        };
        assert_eq!(sum(Account::Disputes), if is_open { row.amount_minor } else { 0 });
        let is_kept = row.status == DisputeStatus::Won;
        assert_eq!(sum(Account::CashAtGateway), if is_kept { row.amount_minor } else { 0 });
        let told = lines.iter().filter(|line| format!("{:?}", line.effect).contains(&row.gateway_ref));
        let steps = match row.status {
            DisputeStatus::Open => 1,
            DisputeStatus::EvidenceSent | DisputeStatus::Accepted => 2,
            // One was contested, the other one never answered.
            DisputeStatus::Lost if row.evidence.is_none() => 2,
            DisputeStatus::Won | DisputeStatus::Lost => 3,
        };
        assert_eq!(told.count(), steps, "{row:?}");
    }
}

/// What is on the shelves is what was there, less what went, and more what came.
#[tokio::test]
async fn counts_add_up_over_adjustments_and_transfers() {
    let (db, ..) = shop().await;
    let conn = db.reader();
    let sent = inventory_transfers::Entity::find().all(conn).await.unwrap();
    let variant = sent[0].lines.0[0].variant_id;
    let levels = inventory_levels::Entity::find().filter(inventory_levels::Column::VariantId.eq(variant));
    let here: i64 = levels.all(conn).await.unwrap().iter().map(|row| row.on_hand).sum();
    let changes = inventory_adjustments::Entity::find().all(conn).await.unwrap();
    let delta: i64 = changes.iter().map(|row| row.delta).sum();
    let first = &changes[0];
    let on_the_way: i64 =
        sent.iter().flat_map(|row| &row.lines.0).map(|line| line.quantity - line.received).sum();
    assert_eq!(here + on_the_way, first.on_hand - first.delta + delta);
    let product = variants::Entity::find_by_id(variant).one(conn).await.unwrap().unwrap().product_id;
    let product = products::Entity::find_by_id(product).one(conn).await.unwrap().unwrap();
    assert_eq!(product.status, ProductStatus::Archived, "nothing on sale was touched");
}

/// Deliveries say what their events say, and nothing is sent from a seeded shop.
#[tokio::test]
async fn deliveries_are_of_events_and_go_nowhere() {
    let (db, ..) = shop().await;
    let conn = db.reader();
    let endpoints = webhook_endpoints::Entity::find().all(conn).await.unwrap();
    assert!(endpoints.iter().all(|row| !row.is_active));
    let deliveries = webhook_deliveries::Entity::find().all(conn).await.unwrap();
    assert!(deliveries.is_sorted_by_key(|row| (row.created_at, row.seq)));
    for row in deliveries {
        let event = events::Entity::find().filter(events::Column::Id.eq(row.event_id)).one(conn).await;
        let event = event.unwrap().unwrap();
        assert_eq!((row.kind, &row.body["data"]), (event.kind, &event.data));
        let endpoint = endpoints.iter().find(|endpoint| endpoint.id == row.endpoint_id).unwrap();
        assert_eq!(row.status == DeliveryStatus::Cancelled, endpoint.deleted_at.is_some());
    }
}

//! Every word of every status is in some row.

use sea_orm::{ConnectionTrait, Statement};
use shop_domain::catalog::MediaKind;
use shop_domain::inventory::AdjustmentReason;

use super::books::open;
use super::*;

/// Where the words of a status are written down.
struct Column {
    of: &'static str,
    table: &'static str,
    column: &'static str,
    words: &'static [&'static str],
}

const fn column(
    of: &'static str,
    table: &'static str,
    column: &'static str,
    words: &'static [&'static str],
) -> Column {
    Column { of, table, column, words }
}

const COLUMNS: [Column; 28] = [
    column("OrderStatus", "orders", "status", OrderStatus::WORDS),
    column("OrderPaymentStatus", "orders", "payment_status", OrderPaymentStatus::WORDS),
    column("OrderFulfillmentStatus", "orders", "fulfillment_status", OrderFulfillmentStatus::WORDS),
    column("OrderEditStatus", "order_edits", "status", OrderEditStatus::WORDS),
    column("PaymentState", "payments", "status", PaymentState::WORDS),
    column("RefundStatus", "refunds", "status", RefundStatus::WORDS),
    column("FulfillmentStatus", "fulfillments", "status", FulfillmentStatus::WORDS),
    column("ReturnStatus", "returns", "status", ReturnStatus::WORDS),
    column("ExchangeStatus", "exchanges", "status", ExchangeStatus::WORDS),
    column("ApprovalStatus", "approvals", "status", ApprovalStatus::WORDS),
    column("DisputeStatus", "disputes", "status", DisputeStatus::WORDS),
    column("TicketStatus", "tickets", "status", TicketStatus::WORDS),
    column("ReviewStatus", "reviews", "status", ReviewStatus::WORDS),
    column("DeliveryStatus", "webhook_deliveries", "status", DeliveryStatus::WORDS),
    column("ProductStatus", "products", "status", ProductStatus::WORDS),
    column("CartStatus", "carts", "status", CartStatus::WORDS),
    column("ReservationStatus", "reservations", "status", ReservationStatus::WORDS),
    column("TransferStatus", "inventory_transfers", "status", TransferStatus::WORDS),
    column("GiftCardStatus", "gift_cards", "status", GiftCardStatus::WORDS),
    column("PromotionStatus", "promotions", "status", PromotionStatus::WORDS),
    column("CustomerStatus", "customers", "status", CustomerStatus::WORDS),
    column("AttemptOutcome", "attempts", "outcome", AttemptOutcome::WORDS),
    column("AttemptKind", "attempts", "kind", AttemptKind::WORDS),
    column("InstrumentKind", "payments", "instrument", InstrumentKind::WORDS),
    column("RefundKind", "refunds", "kind", RefundKind::WORDS),
    column("RefundDestination", "refunds", "destination", RefundDestination::WORDS),
    column("AdjustmentReason", "inventory_adjustments", "reason", AdjustmentReason::WORDS),
    column("MediaKind", "product_media", "kind", MediaKind::WORDS),
];

/// Not in a column: it follows from payment, order and clock.
const DERIVED: &str = "PaymentLinkStatus";

async fn distinct(db: &Db, column: &Column) -> BTreeSet<String> {
    let conn = db.reader();
    let sql = format!("SELECT DISTINCT {} AS word FROM {}", column.column, column.table);
    let rows = conn.query_all_raw(Statement::from_string(conn.get_database_backend(), sql)).await.unwrap();
    rows.iter().map(|row| row.try_get::<String>("", "word").unwrap()).collect()
}

#[tokio::test]
async fn every_word_of_every_status_is_in_some_row() {
    let (db, seeded, _) = shop().await;
    for column in &COLUMNS {
        let words: BTreeSet<String> = column.words.iter().map(ToString::to_string).collect();
        assert_eq!(distinct(&db, column).await, words, "{}", column.of);
    }
    let links = payment_links::Entity::find().all(db.reader()).await.unwrap();
    let (service, _) = open(seeded, db).await;
    let mut seen = BTreeSet::new();
    for link in links {
        let page = shop_service::payment_links::find_for_page(&service, link.id, &link.nonce).await.unwrap();
        seen.insert(page.status.as_str());
    }
    assert_eq!(seen, words(PaymentLinkStatus::WORDS.iter().copied()));
}

/// A new status is a new column above.
#[test]
fn every_status_of_the_domain_is_looked_for() {
    let source = include_str!("../../../shop/domain/src/status.rs");
    let declared = source.lines().filter_map(|line| line.trim().strip_prefix("pub enum "));
    let declared: BTreeSet<&str> = declared.map(|line| line.trim_end_matches(" {")).collect();
    let known = COLUMNS.iter().map(|column| column.of).chain([DERIVED]);
    let known: BTreeSet<&str> = known.collect();
    let missing: Vec<_> = declared.difference(&known).collect();
    assert!(missing.is_empty() && declared.len() > 20, "nobody looks for {missing:?}");
}

#[tokio::test]
async fn no_table_of_the_shop_itself_is_empty() {
    let (db, ..) = shop().await;
    // What only clients and agents leave behind.
    let of_callers = ["action_journal", "actions", "consents", "idempotency_keys"];
    for (table, rows) in db.rows().await.unwrap() {
        assert_eq!(rows.is_empty(), of_callers.contains(&table.as_str()), "{table} has {} rows", rows.len());
    }
}

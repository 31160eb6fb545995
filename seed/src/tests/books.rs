//! The shop's ledger, the gateway's, and how they agree.

use std::collections::BTreeMap;
use std::sync::Arc;

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use shop_domain::after_sales::RulesMode;
use shop_domain::ledger::Account;
use shop_domain::status::{AttemptOutcome, RefundStatus};
use shop_gateway::Client;
use shop_gateway::wire::ledger::{Effect, Line};
use shop_gateway_sim::LedgerFile;
use shop_service::{Settings, Shop, reports};
use shop_store::Db;
use shop_store::entities::*;
use shop_world::{Clock, CrashPlan, World};

use super::shop;
use crate::{EPOCH, Seeded};

#[tokio::test]
async fn the_ledger_sums_to_zero_and_is_what_the_rows_say() {
    let (db, ..) = shop().await;
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
            Effect::Voided { payment, .. } | Effect::Contested { payment, .. } => (payment, 0),
            Effect::Disputed { payment, amount_minor, .. } => (payment, -amount_minor),
            Effect::DisputeClosed { payment, amount_minor, won, .. } => {
                (payment, if *won { *amount_minor } else { 0 })
            }
            Effect::Refused(_) | Effect::Fenced => continue,
            Effect::RefundSettled { .. } => panic!("{line:?}"),
        };
        *cash.entry(reference[payment].clone()).or_insert(0) += minor;
    }
    cash
}

#[tokio::test]
async fn the_gateways_books_equal_the_shops_but_for_what_is_unknown() {
    let (db, _, lines) = shop().await;
    let conn = db.reader();
    assert!((1..).zip(&lines).all(|(seq, line)| line.seq == seq), "numbers grow by one");
    assert!(lines.is_sorted_by_key(|line| line.at));
    let attempts = attempts::Entity::find().all(conn).await.unwrap();
    // What banks do has no key.
    let asked = || lines.iter().filter_map(|line| Some((line.key.clone()?, line)));
    let keys: BTreeMap<_, _> = asked().collect();
    assert_eq!(keys.len(), asked().count(), "one line a key");
    for attempt in &attempts {
        let is_there = keys.contains_key(&attempt.gateway_key);
        match attempt.outcome {
            AttemptOutcome::Done | AttemptOutcome::Refused | AttemptOutcome::Fenced => {
                assert!(is_there, "{attempt:?}");
            }
            AttemptOutcome::Pending | AttemptOutcome::NotSent => assert!(!is_there, "{attempt:?}"),
            AttemptOutcome::Unknown => {}
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

/// The shop over seeded rows, with the gateway's account over seeded books; they never call each other.
pub(super) async fn open(seeded: Seeded, db: Db) -> (Arc<Shop>, Arc<shop_gateway_sim::Account>) {
    let world = World::open("main", 7, 1, Clock::frozen(EPOCH), CrashPlan::never());
    let gateway =
        shop_gateway_sim::Account::open(Arc::clone(&world), LedgerFile::from_bytes(seeded.gateway_ledger))
            .unwrap();
    let client = Client::new(&shop_gateway::Settings::new("http://127.0.0.1:9"), "main").unwrap();
    let settings = Settings {
        rules: RulesMode::Server,
        idempotency: shop_service::Profile::Acp,
        door_secret: "a secret of the doors".into(),
        console_url: "http://127.0.0.1:9".into(),
        webhook_secret: "a secret of the gateway".into(),
    };
    (Shop::new(world, db, client, settings), gateway)
}

#[tokio::test]
async fn the_gateway_takes_its_books_and_the_shop_finds_nothing_wrong_with_its_own() {
    let (db, seeded, lines) = shop().await;
    let (service, gateway) = open(seeded, db).await;
    assert_eq!(gateway.ledger_entries().unwrap(), lines);
    assert_eq!(gateway.tick().unwrap(), 0, "nothing of the past is still to happen");
    let findings = reports::check(&service).await.unwrap();
    assert!(findings.is_empty(), "{findings:?}");
    let charges = gateway.truth().unwrap().charges.into_iter().map(|charge| {
        let kept_minor = charge.captured_minor - charge.refunded_minor - charge.disputed_minor;
        (charge.payment, charge.reference, kept_minor)
    });
    let differences = reports::reconcile_rows(&service, charges.collect()).await.unwrap();
    assert!(differences.iter().all(|found| found.is_unknown), "{differences:?}");
    assert!(differences.len() > 2, "some lost answers hide money that moved");
}

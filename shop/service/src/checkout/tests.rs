//! A purchase that is taken back, at any point, under every fault of the gateway: nothing of it is left.

use sea_orm::EntityTrait;
use shop_domain::code::ErrorCode;
use shop_domain::ids::OrderId;
use shop_domain::ledger::Account;
use shop_domain::status::OrderStatus;
use shop_store::entities::{inventory_levels, ledger_entries};
use shop_world::FaultRule;

use super::*;
use crate::ctx::{Call, Ctx};
use crate::error::Result;
use crate::orders;
use crate::payments::{self, Authorize, Capture, Create};
use crate::testing::{TestShop, caller_key, strikes};

/// Tries after which everything has an end.
const TRIES: usize = 6;

/// The system's own call that takes an order back: the same one every time.
fn undoing(t: &TestShop) -> Ctx {
    let key = crate::ctx::CallerKey { is_system: true, ..caller_key("act_1/undo", "the order") };
    t.ctx(&t.ada.principal).with_call(Call { key: Some(key), ..Call::default() })
}

/// Ada buys by REST as far as the gateway lets her.
async fn buy(t: &TestShop, order: &orders::View) -> Result<()> {
    let ada = &t.ada.principal;
    let input = Create { payment_method_id: Some(t.ada.card), ..Create::default() };
    let opened = payments::create(&t.ctx(ada), order.id, input).await?.view;
    let held = payments::authorize(&t.at(ada, opened.version), opened.id, Authorize::default()).await?.view;
    payments::capture(&t.at(ada, held.version), held.id, Capture::default()).await?;
    Ok(())
}

async fn undo_until_done(t: &TestShop, order: OrderId, case: &str) {
    for _ in 0..TRIES {
        match undo(&undoing(t), order).await {
            Ok(_) => return,
            Err(error) => {
                let codes =
                    [ErrorCode::OutcomeUnknown, ErrorCode::UpstreamUnavailable, ErrorCode::PaymentDeclined];
                assert!(codes.contains(&error.code), "{case}: {error:?}");
            }
        }
    }
    panic!("{case}: it never ended");
}

async fn balance(t: &TestShop, account: Account) -> i64 {
    let all = ledger_entries::Entity::find().all(t.shop.db.reader()).await.unwrap();
    all.iter().filter(|entry| entry.account == account).map(|entry| entry.amount_minor).sum()
}

/// Nothing of the order is left: no money, no hold, no stock, nothing owed.
async fn nothing_is_left(t: &TestShop, order: OrderId, case: &str) {
    assert_eq!(t.order(order).await.status, OrderStatus::Cancelled, "{case}");
    let level = inventory_levels::Entity::find_by_id((t.goods.blue_mug, t.location));
    assert_eq!(level.one(t.shop.db.reader()).await.unwrap().unwrap().reserved, 0, "{case}");
    for account in [Account::CashAtGateway, Account::Receivable, Account::Revenue, Account::RefundsPayable] {
        assert_eq!(balance(t, account).await, 0, "{case}: {account}");
    }
    assert_eq!((t.held_at_gateway(), t.kept_by_gateway()), (0, 0), "{case}");
    assert_eq!(t.trouble().await, Vec::<String>::new(), "{case}");
}

fn once(rule: FaultRule) -> FaultRule {
    FaultRule { times: Some(1), ..rule }
}

#[tokio::test]
async fn whatever_the_gateway_does_to_a_purchase_it_can_be_taken_back() {
    let strikes = strikes(&["authorize", "capture", "lookup"]);
    futures::future::join_all(strikes.into_iter().map(once).map(async |rule| {
        let t = TestShop::open().await;
        let order = t.placed(&[(t.goods.blue_mug, 2)]).await;
        t.shop.world.faults.put(vec![rule.clone()]);
        let bought = buy(&t, &order).await;
        let case = format!("{rule:?} {bought:?}");
        undo_until_done(&t, order.id, &case).await;
        nothing_is_left(&t, order.id, &case).await;
    }))
    .await;
}

#[tokio::test]
async fn taking_a_purchase_back_ends_under_every_fault_too() {
    let mut strikes = strikes(&["void", "refund", "lookup", "fence"]);
    // These move money that nobody asked for, which only the reconciliation can show.
    let alone = ["duplicate_effect", "refund_fails_later"];
    strikes.retain(|rule| !alone.contains(&rule.fault.as_str()));
    futures::future::join_all(strikes.into_iter().map(once).map(async |rule| {
        let t = TestShop::open().await;
        let order = t.placed(&[(t.goods.blue_mug, 2)]).await;
        if rule.operation.as_deref() == Some("void") {
            t.script(&["decline@capture*1"]);
        }
        let bought = buy(&t, &order).await;
        t.shop.world.faults.put(vec![rule.clone()]);
        let case = format!("{rule:?} {bought:?}");
        undo_until_done(&t, order.id, &case).await;
        nothing_is_left(&t, order.id, &case).await;
    }))
    .await;
}

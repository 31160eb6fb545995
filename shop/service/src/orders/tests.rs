use chrono::TimeDelta;
use sea_orm::{EntityTrait, IntoActiveModel, Set};
use shop_domain::address::Address;
use shop_domain::reasons::CancelReason;
use shop_domain::status::OrderStatus;
use shop_store::entities::{coupons, ledger_entries};

use super::*;
use crate::testing::{TestShop, hamburg, oslo, reno};

fn cancel_for(reason: CancelReason) -> Cancel {
    Cancel { reason, approval_id: None }
}

#[tokio::test]
async fn a_cancelled_order_gives_stock_and_coupon_back_and_leaves_no_sale() {
    let t = TestShop::open().await;
    let order = t.placed(&[(t.goods.blue_mug, 3)]).await;
    let row = coupons::Entity::find_by_id(t.coupons.once10).one(t.shop.db.reader()).await.unwrap().unwrap();
    let mut used = row.into_active_model();
    used.used = Set(1);
    sea_orm::ActiveModelTrait::update(used, t.shop.db.reader()).await.unwrap();
    let with_coupon = shop_store::entities::orders::ActiveModel {
        id: Set(order.id),
        coupon_id: Set(Some(t.coupons.once10)),
        ..Default::default()
    };
    sea_orm::ActiveModelTrait::update(with_coupon, t.shop.db.reader()).await.unwrap();

    let shops_own = cancel_for(CancelReason::SuspectedFraud);
    let refused = cancel(&t.at(&t.ada.principal, order.version), order.id, shops_own).await.unwrap_err();
    assert_eq!(refused.fields[0].pointer, "/reason");
    let stale = cancel(&t.at(&t.ada.principal, 99), order.id, cancel_for(CancelReason::TooSlow)).await;
    assert_eq!(stale.unwrap_err().code.as_str(), "version_conflict");
    let ctx = t.at(&t.ada.principal, order.version);
    let cancelled = cancel(&ctx, order.id, cancel_for(CancelReason::TooSlow)).await.unwrap().view;
    assert_eq!((cancelled.status, cancelled.lines[0].cancelled_quantity), (OrderStatus::Cancelled, 3));
    let coupon =
        coupons::Entity::find_by_id(t.coupons.once10).one(t.shop.db.reader()).await.unwrap().unwrap();
    assert_eq!(coupon.used, 0);
    // Ten more can be ordered: all units are free again.
    t.placed(&[(t.goods.blue_mug, 10)]).await;
    let entries = ledger_entries::Entity::find().all(t.shop.db.reader()).await.unwrap();
    let of_order: Vec<_> = entries.iter().filter(|entry| entry.order_id == Some(order.id)).collect();
    for entry in &of_order {
        let same = of_order.iter().filter(|other| other.account == entry.account);
        assert_eq!(same.map(|entry| entry.amount_minor).sum::<i64>(), 0, "{}", entry.account);
    }
}

#[tokio::test]
async fn a_new_address_changes_tax_and_only_a_reachable_one_is_taken() {
    let t = TestShop::open().await;
    let order = t.placed(&[(t.goods.blue_mug, 1)]).await;
    let ctx = || t.ctx(&t.ada.principal);
    let to = |address| ChangeAddress { address, shipping_method_id: None, approval_id: None };
    let far = change_address(&ctx(), order.id, to(oslo("Ada Byron"))).await.unwrap_err();
    assert_eq!(far.code.as_str(), "address_undeliverable");
    let same = change_address(&ctx(), order.id, to(hamburg("Ada Lovelace"))).await.unwrap().view;
    assert_eq!((same.difference_minor, same.order.shipping_address.name.as_str()), (0, "Ada Lovelace"));
    let vienna = Address { country: "AT".into(), ..hamburg("Ada Byron") };
    let moved = change_address(&ctx(), order.id, to(vienna)).await.unwrap().view;
    assert_eq!((moved.order.tax_minor, moved.order.total_minor), (0, 1_990 + 490));
    assert_eq!(moved.before_minor + moved.difference_minor, moved.order.total_minor);
    assert_eq!(moved.order.lines[0].total_minor, 1_990);
    // What the book says is what the order says.
    let entries = ledger_entries::Entity::find().all(t.shop.db.reader()).await.unwrap();
    let owed = entries.iter().filter(|entry| {
        entry.order_id == Some(order.id) && entry.account == shop_domain::ledger::Account::Receivable
    });
    assert_eq!(owed.map(|entry| entry.amount_minor).sum::<i64>(), moved.order.total_minor);
}

#[tokio::test]
async fn an_order_leaves_its_zone_with_a_method_of_the_other_one() {
    let t = TestShop::open().await;
    let order = t.placed(&[(t.goods.blue_mug, 1)]).await;
    let ctx = || t.ctx(&t.ada.principal);
    let nordic = t.zone("NO", "Nordic", 1_990).await;
    let to = |shipping_method_id| ChangeAddress {
        address: oslo("Ada Byron"),
        shipping_method_id,
        approval_id: None,
    };
    let own = change_address(&ctx(), order.id, to(None)).await.unwrap_err();
    assert_eq!(own.code.as_str(), "address_undeliverable");
    assert!(own.detail.contains(&nordic.to_string()), "{own}");
    let express = change_address(&ctx(), order.id, to(Some(t.shipping.express))).await.unwrap_err();
    assert_eq!(express.code.as_str(), "address_undeliverable");
    let moved = change_address(&ctx(), order.id, to(Some(nordic))).await.unwrap().view.order;
    assert_eq!(moved.shipping_method_id, Some(nordic));
    assert_eq!((moved.shipping_minor, moved.total_minor), (1_990, 1_990 + 1_990));
}

#[tokio::test]
async fn an_order_without_shipping_and_tax_stays_without() {
    let t = TestShop::open().await;
    let order = t.imported("#W1", &[(t.goods.blue_mug, 1)]).await;
    assert_eq!((order.number.as_str(), order.total_minor), ("#W1", 1_990));
    let address = Address { line1: "2 Kite Way".into(), ..reno() };
    let to = ChangeAddress { address: address.clone(), shipping_method_id: None, approval_id: None };
    let moved = change_address(&t.ctx(&t.ada.principal), order.id, to).await.unwrap().view;
    assert_eq!((moved.difference_minor, moved.order.shipping_method_id), (0, None));
    assert_eq!(moved.order.shipping_address, address);
}

#[tokio::test]
async fn a_hold_pauses_and_a_release_confirms() {
    let t = TestShop::open().await;
    let order = t.placed(&[(t.goods.blue_mug, 1)]).await;
    let held = hold(&t.ctx(&t.lead), order.id, Hold { reason: Some("address check".into()) }).await.unwrap();
    assert_eq!(held.view.status, OrderStatus::OnHold);
    let confirmed = confirm(&t.ctx(&t.lead), order.id).await.unwrap_err();
    assert_eq!(confirmed.rule.as_deref(), Some("order_not_ready"));
    let released = release_hold(&t.ctx(&t.lead), order.id).await.unwrap().view;
    assert_eq!(released.status, OrderStatus::Confirmed);
    let page = timeline(&t.ctx(&t.ada.principal), order.id, Default::default()).await.unwrap();
    let kinds: Vec<_> = page.items.iter().map(|entry| entry.kind.as_str()).collect();
    assert_eq!(kinds, ["order.placed", "order.held", "order.released"]);
    let foreign = timeline(&t.ctx(&t.bob.principal), order.id, Default::default()).await.unwrap_err();
    assert_eq!(foreign.code.as_str(), "not_found");
}

#[tokio::test]
async fn contact_invoice_and_risk_tell_the_orders_own_facts() {
    let t = TestShop::open().await;
    let order = t.paid(&[(t.goods.desk_lamp, 5)]).await;
    let bad = UpdateContact { email: Some("not an address".into()), phone: None };
    let bad = update_contact(&t.ctx(&t.ada.principal), order.id, bad).await.unwrap_err();
    assert_eq!(bad.fields[0].pointer, "/email");
    let new = UpdateContact { email: Some("ada@new.example".into()), phone: None };
    let new = update_contact(&t.ctx(&t.ada.principal), order.id, new).await.unwrap().view;
    assert_eq!((new.contact_email.as_str(), new.version), ("ada@new.example", order.version + 1));

    let invoice = invoice(&t.ctx(&t.ada.principal), order.id).await.unwrap();
    assert_eq!((invoice.total_minor, invoice.due_minor), (order.total_minor, 0));
    assert_eq!(
        invoice.lines.iter().map(|line| line.total_minor).sum::<i64>() + invoice.shipping_minor,
        invoice.total_minor
    );
    assert_eq!(invoice.payments[0].captured_minor, order.total_minor);

    let report = risk(&t.ctx(&t.lead), order.id).await.unwrap();
    let reasons: Vec<_> = report.reasons.iter().map(|reason| reason.reason.as_str()).collect();
    assert_eq!((reasons, report.score), (vec!["first_order", "large_amount"], 35));
    t.shop.world.clock.advance(TimeDelta::hours(1));
    let second = t.placed(&[(t.goods.blue_mug, 1)]).await;
    assert_eq!(risk(&t.ctx(&t.lead), second.id).await.unwrap().score, 0);
}

#[tokio::test]
async fn notes_are_for_staff_and_no_event_of_the_order() {
    let t = TestShop::open().await;
    let order = t.placed(&[(t.goods.blue_mug, 1)]).await;
    let note = |text: &str| AddNote { text: text.into() };
    let empty = add_note(&t.ctx(&t.agent), order.id, note(" ")).await.unwrap_err();
    assert_eq!(empty.fields[0].pointer, "/text");
    add_note(&t.ctx(&t.agent), order.id, note("called about the colour")).await.unwrap();
    add_note(&t.ctx(&t.lead), order.id, note("sent a photo")).await.unwrap();
    let page = notes(&t.ctx(&t.lead), order.id, Default::default()).await.unwrap();
    let texts: Vec<_> = page.items.iter().map(|note| note.text.as_str()).collect();
    assert_eq!(texts, ["called about the colour", "sent a photo"]);
    let by_ada = notes(&t.ctx(&t.ada.principal), order.id, Default::default()).await.unwrap_err();
    assert_eq!(by_ada.code.as_str(), "forbidden");
    let events = timeline(&t.ctx(&t.ada.principal), order.id, Default::default()).await.unwrap();
    assert_eq!(events.items.len(), 1);
}

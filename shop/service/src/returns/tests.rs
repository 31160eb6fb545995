use chrono::TimeDelta;
use sea_orm::EntityTrait;
use shop_domain::after_sales::RulesMode;
use shop_domain::code::ErrorCode;
use shop_domain::ids::VariantId;
use shop_domain::ledger::Account;
use shop_domain::reasons::ReturnReason;
use shop_domain::returns::ReturnGrade;
use shop_domain::status::{OrderFulfillmentStatus, RefundDestination, ReturnStatus};
use shop_store::entities::{inventory_levels, ledger_entries};

use super::*;
use crate::approvals;
use crate::testing::TestShop;
use crate::units::LineUnits;

fn wish(reason: ReturnReason) -> Request {
    Request { lines: None, reason, note: None, refund_to: None, refund_method_id: None, approval_id: None }
}

async fn on_hand(t: &TestShop, variant: VariantId) -> i64 {
    let row = inventory_levels::Entity::find_by_id((variant, t.location)).one(t.shop.db.reader()).await;
    row.unwrap().unwrap().on_hand
}

async fn postage(t: &TestShop) -> i64 {
    let rows = ledger_entries::Entity::find().all(t.shop.db.reader()).await.unwrap();
    rows.iter().filter(|row| row.account == Account::Postage).map(|row| row.amount_minor).sum()
}

#[tokio::test]
async fn goods_come_back_and_are_sold_again() {
    let t = TestShop::open().await;
    let order = t.delivered(&[(t.goods.blue_mug, 3)]).await;
    let line_id = order.lines[0].id;
    let ctx = t.at(&t.ada.principal, order.version);
    let asked = request(&ctx, order.id, wish(ReturnReason::ChangedMind)).await.unwrap().view;
    assert_eq!(asked.status, ReturnStatus::Approved, "a routine reason is approved at once");
    assert!(asked.deadline_at.is_some());
    let sent = create_label(&t.at(&t.ada.principal, asked.version), asked.id).await.unwrap().view;
    assert_eq!((sent.status, sent.label_minor), (ReturnStatus::InTransit, Some(0)));
    let two = Receive { lines: Some(vec![LineUnits { line_id, quantity: 2 }]) };
    let first = receive(&t.ctx(&t.lead), asked.id, two).await.unwrap().view;
    assert_eq!((first.status, first.lines[0].received), (ReturnStatus::Received, 2));
    let all = receive(&t.ctx(&t.lead), asked.id, Receive::default()).await.unwrap().view;
    assert_eq!(all.lines[0].received, 3);
    assert_eq!(t.order(order.id).await.fulfillment_status, OrderFulfillmentStatus::Returned);
    assert_eq!(on_hand(&t, t.goods.blue_mug).await, 7, "nothing is on the shelf before it was looked at");
    let grade = |grade| Grade { line_id, quantity: 1, grade };
    let grades = [ReturnGrade::Restock, ReturnGrade::WriteOff, ReturnGrade::SendBack].map(grade).to_vec();
    let done = inspect(&t.ctx(&t.lead), asked.id, Inspect { grades, location_id: None }).await.unwrap().view;
    assert_eq!(done.status, ReturnStatus::Inspected);
    assert_eq!((done.lines[0].accepted, done.lines[0].restocked), (2, 1));
    assert_eq!(on_hand(&t, t.goods.blue_mug).await, 8);
    let order = t.order(order.id).await;
    assert_eq!(order.lines[0].return_quantity, 2, "what was sent back is the customer's again");
    assert_eq!(order.fulfillment_status, OrderFulfillmentStatus::Delivered);
}

#[tokio::test]
async fn every_unit_gets_one_grade() {
    let t = TestShop::open().await;
    let order = t.delivered(&[(t.goods.blue_mug, 2)]).await;
    let asked =
        request(&t.ctx(&t.ada.principal), order.id, wish(ReturnReason::WrongSize)).await.unwrap().view;
    let early = Inspect { grades: Vec::new(), location_id: None };
    let refusal = inspect(&t.ctx(&t.lead), asked.id, early).await.unwrap_err();
    assert_eq!(refusal.rule.as_deref(), Some("return_not_ready"));
    receive(&t.ctx(&t.lead), asked.id, Receive::default()).await.unwrap();
    // The last ones come to two when a number turns over.
    let turned_over = vec![i64::MAX, i64::MAX, 4];
    for quantities in [vec![1], vec![3], turned_over] {
        let grade = |quantity| Grade { line_id: order.lines[0].id, quantity, grade: ReturnGrade::Restock };
        let grades = quantities.into_iter().map(grade).collect();
        let refusal =
            inspect(&t.ctx(&t.lead), asked.id, Inspect { grades, location_id: None }).await.unwrap_err();
        assert_eq!(refusal.fields[0].pointer, "/grades");
    }
    assert_eq!(on_hand(&t, t.goods.blue_mug).await, 8);
}

#[tokio::test]
async fn the_shops_mistakes_are_looked_at_and_paid_by_the_shop() {
    let t = TestShop::open().await;
    let order = t.delivered(&[(t.goods.desk_lamp, 1)]).await;
    let asked = request(&t.ctx(&t.ada.principal), order.id, wish(ReturnReason::Faulty)).await.unwrap().view;
    assert_eq!(asked.status, ReturnStatus::Requested);
    let early = create_label(&t.at(&t.ada.principal, asked.version), asked.id).await.unwrap_err();
    assert_eq!(early.rule.as_deref(), Some("return_not_ready"));
    let shopper = approve(&t.ctx(&t.ada.principal), asked.id, Approve::default()).await.unwrap_err();
    assert_eq!(shopper.code, ErrorCode::Forbidden);
    let yes = approve(&t.ctx(&t.agent), asked.id, Approve { deadline_days: Some(7) }).await.unwrap().view;
    assert_eq!(yes.deadline_at, Some(t.shop.world.clock.now() + TimeDelta::days(7)));
    let label = create_label(&t.at(&t.ada.principal, yes.version), asked.id).await.unwrap().view;
    // 4.90 EUR, and 1.00 EUR for the second kilogram.
    assert_eq!(label.label_minor, Some(590));
    assert_eq!(postage(&t).await, 590);
}

#[tokio::test]
async fn a_closed_window_needs_a_second_person() {
    let t = TestShop::open().await;
    let order = t.delivered(&[(t.goods.blue_mug, 1)]).await;
    t.shop.world.clock.advance(TimeDelta::days(31));
    let ada = &t.ada.principal;
    let refusal = request(&t.ctx(ada), order.id, wish(ReturnReason::ChangedMind)).await.unwrap_err();
    assert_eq!(refusal.code, ErrorCode::ApprovalPending);
    assert_eq!(t.order(order.id).await.lines[0].return_quantity, 0);
    let serde_json::Value::Object(input) = serde_json::to_value(wish(ReturnReason::ChangedMind)).unwrap()
    else {
        panic!("an input is an object")
    };
    let asking = approvals::Request {
        operation: "request_return".into(),
        subject: order.id.to_string(),
        input,
        reason: "It was a present.".into(),
        action_id: None,
    };
    let asked = approvals::request(&t.ctx(ada), asking).await.unwrap().view;
    approvals::approve(&t.at(&t.lead, asked.version), asked.id, approvals::Decide::default()).await.unwrap();
    let approved = Request { approval_id: Some(asked.id), ..wish(ReturnReason::ChangedMind) };
    let opened = request(&t.ctx(ada), order.id, approved).await.unwrap().view;
    assert_eq!(opened.approval_id, Some(asked.id));
}

#[tokio::test]
async fn only_delivered_units_come_back_and_only_once() {
    let t = TestShop::open().await;
    let ada = &t.ada.principal;
    let (order, _) = t.shipped(&[(t.goods.blue_mug, 1)]).await;
    let refusal = request(&t.ctx(ada), order.id, wish(ReturnReason::ChangedMind)).await.unwrap_err();
    assert_eq!(refusal.rule.as_deref(), Some("order_not_delivered"));
    let order = t.delivered(&[(t.goods.blue_mug, 2)]).await;
    let one = Request {
        lines: Some(vec![LineUnits { line_id: order.lines[0].id, quantity: 1 }]),
        ..wish(ReturnReason::ChangedMind)
    };
    let first = request(&t.ctx(ada), order.id, one.clone()).await.unwrap().view;
    let two = Request {
        lines: Some(vec![LineUnits { line_id: order.lines[0].id, quantity: 2 }]),
        ..wish(ReturnReason::ChangedMind)
    };
    let refusal = request(&t.ctx(ada), order.id, two.clone()).await.unwrap_err();
    assert_eq!(refusal.fields[0].pointer, "/lines/0/quantity");
    cancel(&t.ctx(ada), first.id).await.unwrap();
    request(&t.ctx(ada), order.id, two).await.unwrap();
    let refusal = request(&t.ctx(ada), order.id, one).await.unwrap_err();
    assert_eq!(refusal.code, ErrorCode::NotEligible);
}

#[tokio::test]
async fn where_rules_live_in_the_page_the_shop_believes_its_caller_but_can_still_count() {
    let t = TestShop::with(RulesMode::Ui).await;
    let order = t.paid(&[(t.goods.blue_mug, 1)]).await;
    let ada = &t.ada.principal;
    request(&t.ctx(ada), order.id, wish(ReturnReason::ChangedMind)).await.unwrap();
    let refusal = request(&t.ctx(ada), order.id, wish(ReturnReason::ChangedMind)).await.unwrap_err();
    assert_eq!(refusal.rule.as_deref(), Some("nothing_left"));
}

#[tokio::test]
async fn a_rejected_return_says_why_and_frees_its_units() {
    let t = TestShop::open().await;
    let order = t.delivered(&[(t.goods.blue_mug, 1)]).await;
    let asked =
        request(&t.ctx(&t.ada.principal), order.id, wish(ReturnReason::WrongItem)).await.unwrap().view;
    let no = Reject { reason: "The photos show a red mug.".into() };
    let rejected = reject(&t.at(&t.lead, asked.version), asked.id, no).await.unwrap().view;
    assert_eq!(rejected.status, ReturnStatus::Rejected);
    assert_eq!(rejected.reject_reason.as_deref(), Some("The photos show a red mug."));
    assert_eq!(t.order(order.id).await.lines[0].return_quantity, 0);
}

#[tokio::test]
async fn money_goes_where_the_order_and_its_customer_allow() {
    let t = TestShop::open().await;
    let order = t.delivered(&[(t.goods.blue_mug, 1)]).await;
    let to = |refund_to, refund_method_id| Request {
        refund_to: Some(refund_to),
        refund_method_id,
        ..wish(ReturnReason::ChangedMind)
    };
    let ada = &t.ada.principal;
    use RefundDestination as To;
    for (bad, code) in [
        (to(To::OriginalMethod, Some(t.ada.paypal)), ErrorCode::ValidationFailed),
        (to(To::GiftCard, Some(t.ada.card)), ErrorCode::ValidationFailed),
        (to(To::StoreCredit, Some(t.ada.card)), ErrorCode::ValidationFailed),
        (to(To::GiftCard, Some(t.bob.gift_card_method)), ErrorCode::NotFound),
    ] {
        assert_eq!(request(&t.ctx(ada), order.id, bad).await.unwrap_err().code, code);
    }
    let good = to(To::GiftCard, Some(t.ada.gift_card_method));
    let asked = request(&t.ctx(ada), order.id, good).await.unwrap().view;
    assert_eq!(asked.refund_to, To::GiftCard);
}

#[tokio::test]
async fn a_foreign_return_looks_absent() {
    let t = TestShop::open().await;
    let order = t.delivered(&[(t.goods.blue_mug, 1)]).await;
    let asked =
        request(&t.ctx(&t.ada.principal), order.id, wish(ReturnReason::ChangedMind)).await.unwrap().view;
    let bob = t.ctx(&t.bob.principal);
    let refusals = [
        get(&bob, asked.id).await.unwrap_err(),
        cancel(&bob, asked.id).await.unwrap_err(),
        request(&bob, order.id, wish(ReturnReason::ChangedMind)).await.unwrap_err(),
    ];
    assert_eq!(refusals.map(|refusal| refusal.code), [ErrorCode::NotFound; 3]);
    assert!(list(&bob, Filter::default(), crate::PageQuery::default()).await.unwrap().items.is_empty());
}

#[tokio::test]
async fn the_same_key_opens_one_return() {
    let t = TestShop::open().await;
    let order = t.delivered(&[(t.goods.blue_mug, 2)]).await;
    let line = vec![LineUnits { line_id: order.lines[0].id, quantity: 1 }];
    let one = Request { lines: Some(line), ..wish(ReturnReason::ChangedMind) };
    let ctx = t.at(&t.ada.principal, order.version);
    let first = request(&ctx.clone(), order.id, one.clone()).await.unwrap();
    let again = request(&ctx, order.id, one).await.unwrap();
    assert!(again.is_replay);
    assert_eq!(first.view, again.view);
    assert_eq!(t.order(order.id).await.lines[0].return_quantity, 1);
}

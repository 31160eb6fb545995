//! Payments and refunds under a gateway that lies: whatever it says, the rows end up as its books are.

use sea_orm::EntityTrait;
use shop_domain::ids::{OrderId, PaymentId, RefundId};
use shop_domain::ledger::Account;
use shop_domain::status::{PaymentState, RefundStatus};
use shop_gateway::wire::PaymentStatus;
use shop_store::entities::ledger_entries;

use crate::error::Result;
use crate::payments::{self, Authorize, Capture, Create, View};
use crate::refunds::{self, Unshipped};
use crate::reports;
use crate::testing::TestShop;

async fn opened(t: &TestShop) -> (OrderId, View) {
    let order = t.placed(&[(t.goods.blue_mug, 2)]).await;
    let input = Create { payment_method_id: Some(t.ada.card), ..Create::default() };
    (order.id, payments::create(&t.ctx(&t.ada.principal), order.id, input).await.unwrap().view)
}

async fn now(t: &TestShop, id: PaymentId) -> View {
    payments::get(&t.ctx(&t.lead), id).await.unwrap()
}

async fn authorize(t: &TestShop, id: PaymentId) -> Result<View> {
    let ctx = t.at(&t.lead, now(t, id).await.version);
    Ok(payments::authorize(&ctx, id, Authorize::default()).await?.view)
}

async fn capture(t: &TestShop, id: PaymentId) -> Result<View> {
    let ctx = t.at(&t.lead, now(t, id).await.version);
    Ok(payments::capture(&ctx, id, Capture::default()).await?.view)
}

async fn void(t: &TestShop, id: PaymentId) -> Result<View> {
    let ctx = t.at(&t.lead, now(t, id).await.version);
    Ok(payments::void(&ctx, id).await?.view)
}

async fn sync(t: &TestShop, id: PaymentId) -> View {
    payments::sync(&t.ctx(&t.lead), id).await.unwrap().view
}

async fn cash(t: &TestShop) -> i64 {
    let all = ledger_entries::Entity::find().all(t.shop.db.reader()).await.unwrap();
    all.iter().filter(|entry| entry.account == Account::CashAtGateway).map(|entry| entry.amount_minor).sum()
}

#[tokio::test]
async fn a_yes_with_nothing_behind_it_is_not_believed() {
    for step in ["authorize", "capture", "void"] {
        let t = TestShop::open().await;
        let (_, payment) = opened(&t).await;
        if step != "authorize" {
            authorize(&t, payment.id).await.unwrap();
        }
        let before = now(&t, payment.id).await;
        let run = async || match step {
            "authorize" => authorize(&t, payment.id).await,
            "capture" => capture(&t, payment.id).await,
            _ => void(&t, payment.id).await,
        };
        t.script(&[&format!("silent_failure@{step}*1")]);
        assert_eq!(run().await.unwrap_err().code.as_str(), "outcome_unknown", "{step}");
        assert_eq!(now(&t, payment.id).await.status, PaymentState::Unknown, "{step}");
        assert_eq!((cash(&t).await, t.trouble().await), (0, Vec::new()), "{step}");

        // Nothing happened, which the fence makes final; then it can be done for good.
        let synced = sync(&t, payment.id).await;
        let nothing = if step == "authorize" { PaymentState::Failed } else { before.status };
        assert_eq!(synced.status, nothing, "{step}");
        assert_ne!(run().await.unwrap().status, PaymentState::Unknown, "{step}");
        let truth = t.gateway.truth().unwrap().charges;
        let expected = match step {
            "authorize" => PaymentStatus::Authorized,
            "capture" => PaymentStatus::Captured,
            _ => PaymentStatus::Voided,
        };
        assert!(truth.len() == 1 && truth[0].status == expected, "{step}: {truth:?}");
        assert_eq!(t.trouble().await, Vec::<String>::new(), "{step}");
    }
}

#[tokio::test]
async fn a_no_with_money_behind_it_is_not_believed_either() {
    for step in ["authorize", "capture"] {
        let t = TestShop::open().await;
        let (_, payment) = opened(&t).await;
        t.script(&[&format!("decline@{step}:after*1")]);
        let held = authorize(&t, payment.id).await.unwrap();
        assert_eq!(held.authorized_minor, payment.amount_minor, "{step}");
        assert_eq!(capture(&t, payment.id).await.unwrap().captured_minor, payment.amount_minor, "{step}");
        assert_eq!(t.gateway.truth().unwrap().charges.len(), 1, "{step}");
        assert_eq!(t.trouble().await, Vec::<String>::new(), "{step}");
    }
}

#[tokio::test]
async fn an_answer_that_nobody_can_confirm_is_no_answer_yet() {
    for lookup in ["stale_read", "http_500"] {
        let t = TestShop::open().await;
        let (_, payment) = opened(&t).await;
        authorize(&t, payment.id).await.unwrap();
        t.script(&[&format!("{lookup}@lookup*1")]);
        assert_eq!(capture(&t, payment.id).await.unwrap_err().code.as_str(), "outcome_unknown", "{lookup}");
        assert_eq!(sync(&t, payment.id).await.captured_minor, payment.amount_minor, "{lookup}");
        assert_eq!(t.trouble().await, Vec::<String>::new(), "{lookup}");
    }
}

#[tokio::test]
async fn the_amounts_that_really_moved_are_in_the_rows() {
    let t = TestShop::open().await;
    let (_, payment) = opened(&t).await;
    t.script(&["wrong_amount@authorize*1"]);
    let held = authorize(&t, payment.id).await.unwrap();
    assert_eq!(held.authorized_minor, payment.amount_minor * 10);
    // No more is taken than the payment is for, whatever is held.
    let taken = capture(&t, payment.id).await.unwrap();
    assert_eq!(taken.captured_minor, payment.amount_minor);
    assert_eq!(
        capture(&t, payment.id).await.unwrap_err().rule.as_deref(),
        Some("capture_exceeds_authorized")
    );
    assert_eq!(t.trouble().await, Vec::<String>::new());

    let (_, payment) = opened(&t).await;
    t.script(&["partial_capture@capture*1"]);
    authorize(&t, payment.id).await.unwrap();
    let half = capture(&t, payment.id).await.unwrap();
    assert_eq!((half.captured_minor, half.status), (payment.amount_minor / 2, PaymentState::Authorized));
    assert_eq!(capture(&t, payment.id).await.unwrap().captured_minor, payment.amount_minor);
    assert_eq!(t.trouble().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_late_success_is_found_before_the_fence_and_impossible_after_it() {
    for step in ["authorize", "capture", "void"] {
        for is_fenced_first in [true, false] {
            let t = TestShop::open().await;
            let (_, payment) = opened(&t).await;
            if step != "authorize" {
                authorize(&t, payment.id).await.unwrap();
            }
            let before = now(&t, payment.id).await;
            t.script(&[&format!("late_success@{step}*1")]);
            let lost = match step {
                "authorize" => authorize(&t, payment.id).await,
                "capture" => capture(&t, payment.id).await,
                _ => void(&t, payment.id).await,
            };
            assert_eq!(lost.unwrap_err().code.as_str(), "outcome_unknown");
            let synced = if is_fenced_first { Some(sync(&t, payment.id).await) } else { None };
            t.shop.world.clock.advance(chrono::TimeDelta::seconds(3));
            t.gateway.tick().unwrap();
            let after = sync(&t, payment.id).await;
            assert!(synced.is_none_or(|synced| synced == after), "{step}");
            let came = match step {
                "authorize" => after.authorized_minor == payment.amount_minor,
                "capture" => after.captured_minor == payment.amount_minor,
                _ => after.status == PaymentState::Voided,
            };
            assert_eq!(came, !is_fenced_first, "{step} {after:?}");
            if is_fenced_first && step != "authorize" {
                assert_eq!(after.status, before.status, "{step}");
            }
            assert_eq!(t.trouble().await, Vec::<String>::new(), "{step}");
        }
    }
}

async fn refund(t: &TestShop, order: OrderId) -> Result<refunds::Batch> {
    let order = t.order(order).await;
    Ok(refunds::unshipped(&t.at(&t.lead, order.version), order.id, Unshipped::default()).await?.view)
}

async fn only_refund(t: &TestShop) -> refunds::View {
    let all = refunds::list(&t.ctx(&t.lead), Default::default(), Default::default()).await.unwrap();
    all.items.into_iter().next().unwrap()
}

async fn retry(t: &TestShop, id: RefundId) -> Result<refunds::View> {
    let row = refunds::get(&t.ctx(&t.lead), id).await.unwrap();
    Ok(refunds::retry(&t.at(&t.lead, row.version), id).await?.view)
}

fn given_back(t: &TestShop) -> i64 {
    t.gateway.truth().unwrap().charges.iter().map(|charge| charge.refunded_minor).sum()
}

#[tokio::test]
async fn a_refund_that_was_only_promised_is_sent_again_and_goes_once() {
    let t = TestShop::open().await;
    let bought = t.paid(&[(t.goods.blue_mug, 1)]).await;
    t.script(&["silent_failure@refund*1"]);
    assert_eq!(refund(&t, bought.id).await.unwrap_err().code.as_str(), "outcome_unknown");
    let id = only_refund(&t).await.id;
    let fenced = refunds::sync(&t.ctx(&t.lead), id).await.unwrap().view;
    assert_eq!((fenced.status, given_back(&t)), (RefundStatus::Failed, 0));
    assert_eq!(retry(&t, id).await.unwrap().status, RefundStatus::Succeeded);
    assert_eq!((given_back(&t), t.trouble().await), (bought.total_minor, Vec::new()));
}

#[tokio::test]
async fn a_busy_gateway_says_nothing_about_what_was_sent_before() {
    let t = TestShop::open().await;
    let bought = t.paid(&[(t.goods.blue_mug, 1)]).await;
    t.script(&["late_success@refund*1", "http_429@refund*1"]);
    assert_eq!(refund(&t, bought.id).await.unwrap_err().code.as_str(), "outcome_unknown");
    let id = only_refund(&t).await.id;
    // The look-up finds nothing, the same key is sent again, and that is turned away: the first may still land.
    assert_eq!(retry(&t, id).await.unwrap_err().code.as_str(), "outcome_unknown");
    assert_eq!(only_refund(&t).await.status, RefundStatus::Unknown);
    t.shop.world.clock.advance(chrono::TimeDelta::seconds(3));
    let found = refunds::sync(&t.ctx(&t.lead), id).await.unwrap().view;
    assert_eq!((found.status, given_back(&t)), (RefundStatus::Succeeded, bought.total_minor));
    assert_eq!(t.trouble().await, Vec::<String>::new());
}

#[tokio::test]
async fn what_the_gateway_does_on_its_own_is_shown_by_the_reconciliation() {
    for (fault, lost) in [("wrong_amount", 9), ("duplicate_effect", 1)] {
        let t = TestShop::open().await;
        let bought = t.paid(&[(t.goods.blue_mug, 10)]).await;
        t.script(&[&format!("{fault}@refund*1")]);
        let one = crate::LineUnits { line_id: bought.lines[0].id, quantity: 1 };
        let input = Unshipped { lines: Some(vec![one]), ..Unshipped::default() };
        let ctx = t.at(&t.lead, bought.version);
        let back = refunds::unshipped(&ctx, bought.id, input).await.unwrap().view;
        let extra = (back.total_minor * lost).min(bought.total_minor - back.total_minor);
        assert_eq!(given_back(&t), back.total_minor + extra, "{fault}");
        let report = reports::reconciliation(&t.ctx(&t.admin)).await.unwrap();
        let shown: Vec<i64> =
            report.differences.iter().map(|found| found.shop_minor - found.gateway_minor).collect();
        assert_eq!(shown, [extra], "{fault}");
    }
}

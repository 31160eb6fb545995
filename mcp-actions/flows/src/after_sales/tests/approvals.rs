//! A second person: asked for exactly what is about to be done, and it goes on by itself when they agree.

use mcp_actions_engine::parts::Tool;
use mcp_actions_engine::record::StaffApprovalStatus;
use mcp_actions_engine::{Outcome, Reason, Status};
use shop_domain::code::ErrorCode;
use shop_domain::fulfillments::FulfillmentPurpose;
use shop_domain::policy::Policy;
use shop_domain::status::ApprovalStatus;
use shop_service::approvals::{self, Decide};
use shop_service::fulfillments;

use super::*;
use crate::testing::{id, offers, tools};

/// The approval an action waits for.
async fn asked(desk: &Desk, view: &View) -> approvals::View {
    let staff = view.staff_approval.as_ref().unwrap();
    assert_eq!((staff.required, staff.status), (true, StaffApprovalStatus::Pending));
    let id = staff.id.as_ref().unwrap().parse().unwrap();
    approvals::get(&desk.shop.ctx(&desk.shop.lead), id).await.unwrap()
}

/// Confirms what needs a second person; it waits.
async fn wait(desk: &Desk, ready: &View) -> approvals::View {
    assert_eq!(summary(ready, "staff_approval"), &json!(true), "{ready:?}");
    let waits = desk.confirm(ready, &id(ready)).await;
    assert_eq!(
        (waits.outcome, waits.reason, waits.status),
        (Outcome::RetryableFailure, Some(Reason::ApprovalPending), Some(Status::AwaitingApproval)),
        "{waits:?}"
    );
    assert!(!offers(&waits, Tool::ConfirmAction), "{waits:?}");
    asked(desk, &waits).await
}

async fn agree(desk: &Desk, approval: &approvals::View) {
    let ctx = desk.shop.at(&desk.shop.lead, approval.version);
    approvals::approve(&ctx, approval.id, Decide::default()).await.unwrap();
    desk.drain().await;
}

#[tokio::test]
async fn a_refund_above_the_limit_goes_on_by_itself_once_a_lead_agrees() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.paid(&[(t.goods.desk_lamp, 3)]).await;
    let ready = desk.ready("after_sales", &order.number, json!({ "problem": "changed_mind" })).await;
    assert!(
        ready.risk.as_ref().unwrap().factors.iter().any(|it| it.contains("above the limit")),
        "{ready:?}"
    );
    let approval = wait(&desk, &ready).await;
    assert_eq!(
        (approval.operation.as_str(), &approval.subject),
        ("refund_unshipped_items", &order.id.to_string())
    );
    assert!(approval.reason.contains(&order.number), "{}", approval.reason);
    assert_eq!(desk.given_back(), 0, "nothing before they agree");

    // Neither its agent nor the person who asks may decide it.
    for (ctx, why) in [(desk.ada.ctx(), "an agent"), (t.ctx(&t.ada.principal), "the requester")] {
        let mut ctx = ctx;
        ctx.call = t.at(&t.lead, approval.version).call;
        let refused = approvals::approve(&ctx, approval.id, Decide::default()).await.unwrap_err();
        assert!(matches!(refused.code, ErrorCode::Forbidden | ErrorCode::NotFound), "{why}: {refused}");
    }
    agree(&desk, &approval).await;
    let view = desk.get(&ready).await;
    assert_eq!((view.status, desk.given_back()), (Some(Status::Submitted), order.total_minor), "{view:?}");
    assert_eq!(view.staff_approval.as_ref().unwrap().status, StaffApprovalStatus::Approved);
    assert_eq!(desk.verify(&ready).await.status, Some(Status::Completed));
    let used = approvals::get(&t.ctx(&t.lead), approval.id).await.unwrap();
    assert_eq!(used.status, ApprovalStatus::Used);
    assert_eq!(t.flaws().await, Vec::<String>::new());
    let replayed = desk.confirm(&ready, &id(&ready)).await;
    assert_eq!((replayed.outcome, replayed.replayed), (Outcome::Success, true), "{replayed:?}");
    assert_eq!(desk.given_back(), order.total_minor);
}

#[tokio::test]
async fn a_no_ends_it_and_gives_nothing_back() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.paid(&[(t.goods.desk_lamp, 3)]).await;
    let ready = desk.ready("after_sales", &order.number, json!({ "problem": "changed_mind" })).await;
    let approval = wait(&desk, &ready).await;
    let note = Decide { note: Some("They are being packed.".into()) };
    approvals::reject(&t.at(&t.lead, approval.version), approval.id, note).await.unwrap();
    desk.drain().await;
    let view = desk.get(&ready).await;
    assert_eq!(view.status, Some(Status::Failed), "{view:?}");
    assert_eq!(view.staff_approval.as_ref().unwrap().status, StaffApprovalStatus::Rejected);
    assert_eq!(view.recoverable_errors[0].code, Reason::ApprovalRejected);
    assert!(view.recoverable_errors[0].message.contains("They are being packed."));
    assert_eq!(desk.confirm(&ready, &id(&ready)).await.reason, Some(Reason::ApprovalRejected));
    assert_eq!((desk.given_back(), desk.held(&order.id.to_string()).await), (0, 3));
}

#[tokio::test]
async fn halves_below_the_limit_add_up() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.paid(&[(t.goods.desk_lamp, 3)]).await;
    let patch = json!({ "problem": "changed_mind", "items": items("lamp", 1) });
    let first = desk.ready("after_sales", &order.number, patch.clone()).await;
    assert_eq!(summary(&first, "staff_approval"), &json!(false));
    desk.carry_out(&first).await;
    let second = desk.ready("after_sales", &order.number, patch).await;
    let approval = wait(&desk, &second).await;
    agree(&desk, &approval).await;
    assert_eq!(desk.verify(&second).await.status, Some(Status::Completed));
    assert_eq!(desk.given_back(), 2 * order.lines[0].total_minor / 3);
}

#[tokio::test]
async fn what_was_delivered_is_sent_again_or_kept_when_staff_agree() {
    for (wants, gives_back) in [("replacement", false), ("refund_and_keep", true)] {
        let desk = Desk::open().await;
        let t = &desk.shop;
        let order = t.delivered(&[(t.goods.blue_mug, 1)]).await;
        let patch = json!({ "problem": "faulty", "wants": wants, "details": "The handle came off." });
        let ready = desk.ready("after_sales", &order.number, patch).await;
        let approval = wait(&desk, &ready).await;
        assert!(approval.reason.contains("The handle came off."), "{}", approval.reason);
        agree(&desk, &approval).await;
        let done = desk.verify(&ready).await;
        assert_eq!(done.status, Some(Status::Completed), "{done:?}");
        let paid = if gives_back { order.lines[0].total_minor } else { 0 };
        assert_eq!(desk.given_back(), paid, "{wants}");
        let filter = fulfillments::Filter { order_id: Some(order.id), ..fulfillments::Filter::default() };
        let parcels = fulfillments::list(&t.ctx(&t.admin), filter, whole_page()).await.unwrap().items;
        let again = parcels.iter().filter(|parcel| parcel.purpose == FulfillmentPurpose::Replacement).count();
        assert_eq!(again, usize::from(!gives_back), "{wants}");
        assert_eq!(t.flaws().await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_late_return_waits_for_staff_and_can_be_withdrawn() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = t.delivered(&[(t.goods.blue_mug, 1)]).await;
    t.shop.world.clock.advance(chrono::TimeDelta::days(31));
    let patch = json!({ "items": items("mug", 1), "reason": "not as described" });
    let ready = desk.ready("return_refund", &order.number, patch.clone()).await;
    let approval = wait(&desk, &ready).await;
    let view = desk.get(&ready).await;
    assert_eq!(tools(&view), ["get_context", "advance_action"], "{view:?}");
    let cancel = mcp_actions_engine::AdvanceCall {
        action_id: id(&view),
        version: view.version.unwrap(),
        cancel: true,
        ..Default::default()
    };
    let gone = desk.engine().advance(&desk.ada, cancel).await;
    assert_eq!(gone.status, Some(Status::Canceled), "{gone:?}");
    let row = approvals::get(&t.ctx(&t.lead), approval.id).await.unwrap();
    assert_eq!(row.status, ApprovalStatus::Withdrawn);
    assert_eq!(returns_of(&desk, order.id).await.len(), 0);

    let again = desk.ready("return_refund", &order.number, patch).await;
    let approval = wait(&desk, &again).await;
    agree(&desk, &approval).await;
    assert_eq!(desk.verify(&again).await.status, Some(Status::Completed));
    assert_eq!(returns_of(&desk, order.id).await.len(), 1);
}

#[tokio::test]
async fn an_approval_nobody_gives_ends_with_its_action() {
    // Whichever of the two runs out first takes the other along.
    for (approval_hours, ended) in [(12, ApprovalStatus::Expired), (48, ApprovalStatus::Withdrawn)] {
        let desk = Desk::open().await;
        let t = &desk.shop;
        t.decide_by(Policy { approval_hours, ..Policy::default() }).await;
        let order = t.paid(&[(t.goods.desk_lamp, 3)]).await;
        let ready = desk.ready("after_sales", &order.number, json!({ "problem": "changed_mind" })).await;
        let approval = wait(&desk, &ready).await;
        for _ in 0..2 {
            t.shop.world.clock.advance(chrono::TimeDelta::hours(13));
            desk.drain().await;
        }
        let view = desk.get(&ready).await;
        let is_over = matches!(view.status, Some(Status::Expired | Status::Failed));
        assert!(is_over, "{approval_hours}: {view:?}");
        let row = approvals::get(&t.ctx(&t.lead), approval.id).await.unwrap();
        assert_eq!(row.status, ended, "{approval_hours}");
        assert_eq!((desk.given_back(), desk.held(&order.id.to_string()).await), (0, 3));
    }
}

use std::sync::Arc;

use serde_json::json;
use shop_domain::code::ErrorCode;
use shop_domain::reasons::RefundReason;
use shop_domain::status::RefundStatus;
use tokio::task::JoinHandle;

use super::*;
use crate::{Ctx, Reply, approvals};

/// Four clients at once, each of which reads again whenever somebody was faster: only the limit stops them.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_parallel_halves_above_the_limit_cannot_both_pass() {
    let t = Arc::new(TestShop::open().await);
    // Two lamps are 211.82: each is below the limit of 200.00 a day, any two are above it.
    let bought = t.paid(&[(t.goods.desk_lamp, 4)]).await;
    let line = bought.lines[0].id;
    let clients: Vec<_> = (0..4)
        .map(|_| {
            let (t, id) = (Arc::clone(&t), bought.id);
            tokio::spawn(persist(t, id, move |ctx| async move {
                let lines = Some(vec![LineUnits { line_id: line, quantity: 1 }]);
                unshipped(&ctx, id, Unshipped { lines, ..Unshipped::default() }).await
            }))
        })
        .collect();
    let (passed, refused) = ends(clients).await;
    assert_eq!((passed, refused), (1, vec!["approval_required".to_owned(); 3]));
    assert_eq!(given_back(&t), 10_591);
    must_reconcile(&t).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_parallel_spends_of_one_approval_cannot_both_pass() {
    let t = Arc::new(TestShop::open().await);
    let bought = t.delivered(&[(t.goods.blue_mug, 3)]).await;
    let line = bought.lines[0].id;
    let body = json!({ "lines": [{ "line_id": line, "quantity": 1 }], "reason": "damaged" });
    let request = approvals::Request {
        operation: "refund_without_return".into(),
        subject: bought.id.to_string(),
        input: body.as_object().unwrap().clone(),
        reason: "the handle is off".into(),
        action_id: None,
    };
    let asked = approvals::request(&t.ctx(&t.lead), request).await.unwrap().view;
    approvals::approve(&t.at(&t.admin, asked.version), asked.id, Default::default()).await.unwrap();
    let clients: Vec<_> = (0..3)
        .map(|_| {
            let (t, id) = (Arc::clone(&t), bought.id);
            tokio::spawn(persist(t, id, move |ctx| async move {
                let input = WithoutReturn {
                    lines: Some(vec![LineUnits { line_id: line, quantity: 1 }]),
                    reason: RefundReason::Damaged,
                    destination: None,
                    gift_card_id: None,
                    approval_id: Some(asked.id),
                };
                without_return(&ctx, id, input).await
            }))
        })
        .collect();
    let (passed, refused) = ends(clients).await;
    assert_eq!((passed, refused), (1, vec!["approval_rejected".to_owned(); 2]));
    assert_eq!(given_back(&t), 2_368);
    must_reconcile(&t).await;
}

/// Refunds as the lead, and again at the order's new version whenever somebody else was faster.
async fn persist<F: Future<Output = Result<Reply<Batch>>>>(
    t: Arc<TestShop>,
    order: OrderId,
    refund: impl Fn(Ctx) -> F,
) -> Result<()> {
    loop {
        let ctx = t.at(&t.lead, t.order(order).await.version);
        match refund(ctx).await {
            Err(error) if error.code == ErrorCode::VersionConflict => {}
            Err(error) if error.code == ErrorCode::OutcomeUnknown => {}
            other => return other.map(|_| ()),
        }
    }
}

/// How many passed, and by which rules the others were refused.
async fn ends(clients: Vec<JoinHandle<Result<()>>>) -> (usize, Vec<String>) {
    let (mut passed, mut refused) = (0, Vec::new());
    for client in clients {
        match client.await.unwrap() {
            Ok(()) => passed += 1,
            Err(error) => refused.push(rule(&error).to_owned()),
        }
    }
    (passed, refused)
}

#[tokio::test]
async fn goodwill_for_delivered_goods_needs_an_approval_for_exactly_this() {
    let t = TestShop::open().await;
    let bought = t.delivered(&[(t.goods.blue_mug, 2)]).await;
    let line_id = bought.lines[0].id;
    let input = |quantity, approval_id| WithoutReturn {
        lines: Some(vec![LineUnits { line_id, quantity }]),
        reason: RefundReason::Damaged,
        destination: None,
        gift_card_id: None,
        approval_id,
    };
    let ask = |input| async {
        let version = t.order(bought.id).await.version;
        without_return(&t.at(&t.agent, version), bought.id, input).await
    };
    assert_eq!(ask(input(1, None)).await.unwrap_err().code.as_str(), "approval_pending");

    let body = json!({ "lines": [{ "line_id": line_id, "quantity": 1 }], "reason": "damaged" });
    let request = approvals::Request {
        operation: "refund_without_return".into(),
        subject: bought.id.to_string(),
        input: body.as_object().unwrap().clone(),
        reason: "the handle is off".into(),
        action_id: None,
    };
    let asked = approvals::request(&t.ctx(&t.agent), request).await.unwrap().view;
    assert_eq!(ask(input(1, Some(asked.id))).await.unwrap_err().code.as_str(), "approval_pending");
    let yes = approvals::approve(&t.at(&t.lead, asked.version), asked.id, Default::default()).await.unwrap();
    assert_eq!(rule(&ask(input(2, Some(asked.id))).await.unwrap_err()), "approval_mismatch");
    let paid = ask(input(1, Some(yes.view.id))).await.unwrap().view;
    assert_eq!(
        (paid.refunds[0].approval_id, paid.refunds[0].status),
        (Some(asked.id), RefundStatus::Succeeded)
    );
    assert_eq!(ask(input(1, Some(asked.id))).await.unwrap_err().code.as_str(), "approval_rejected");
    must_reconcile(&t).await;
}

#[tokio::test]
async fn a_calculation_says_what_is_left_and_moves_nothing() {
    let t = TestShop::open().await;
    let bought = t.paid(&[(t.goods.blue_mug, 2)]).await;
    let asked = Calculate { lines: Some(vec![LineUnits { line_id: bought.lines[0].id, quantity: 1 }]) };
    let all = calculate(&t.ctx(&t.ada.principal), bought.id, asked.clone()).await.unwrap();
    assert_eq!(
        (all.total_minor, all.shipping_minor, all.asked_minor),
        (bought.total_minor, 583, Some(2_368))
    );
    assert_eq!((all.lines[0].unshipped, all.lines[0].with_customer, all.lines[0].tax_minor), (2, 0, 756));
    refund(&t, &bought, units(&bought.lines[0], 1)).await.unwrap();
    let rest = calculate(&t.ctx(&t.ada.principal), bought.id, asked).await.unwrap();
    assert_eq!(rest.total_minor, bought.total_minor - 2_368);
    assert_eq!((rest.lines[0].unshipped, rest.payments[0].left_minor), (1, bought.total_minor - 2_368));

    let foreign = calculate(&t.ctx(&t.bob.principal), bought.id, Calculate::default()).await.unwrap_err();
    assert_eq!(foreign.code.as_str(), "not_found");
    let unpaid = t.placed(&[(t.goods.blue_mug, 1)]).await;
    let nothing = refund(&t, &unpaid, Unshipped::default()).await.unwrap_err();
    assert_eq!(rule(&nothing), "nothing_captured");
}

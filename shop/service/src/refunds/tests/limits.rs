use serde_json::json;
use shop_domain::reasons::RefundReason;
use shop_domain::status::RefundStatus;

use super::*;
use crate::approvals;

#[tokio::test]
async fn two_parallel_halves_above_the_limit_cannot_both_pass() {
    let t = TestShop::open().await;
    // Two lamps are 211.82: each half is below the limit of 200.00 a day, both are above it.
    let bought = t.paid(&[(t.goods.desk_lamp, 2)]).await;
    let half = || units(&bought.lines[0], 1);
    let (a, b) = tokio::join!(refund(&t, &bought, half()), refund(&t, &bought, half()));
    let (passed, refused): (Vec<_>, Vec<_>) = [a, b].into_iter().partition(Result::is_ok);
    assert_eq!((passed.len(), refused.len()), (1, 1));
    assert_eq!(given_back(&t), 10_591);
    // Who reads again and knows the version is stopped by the limit.
    let rest = refund(&t, &t.order(bought.id).await, half()).await.unwrap_err();
    assert_eq!((rest.code.as_str(), rule(&rest)), ("approval_pending", "approval_required"));
    assert_eq!(given_back(&t), 10_591);
    must_reconcile(&t).await;
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

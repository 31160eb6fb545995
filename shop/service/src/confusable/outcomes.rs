//! Sets 11 and 12: the gateway did not answer.

use shop_domain::after_sales::RulesMode;
use shop_domain::status::{PaymentState, RefundStatus};

use super::{Scene, one_mug, said};
use crate::{payments, refunds};

/// An order whose authorisation landed, and whose answer was lost.
async fn silent(mode: RulesMode) -> Scene {
    let t = crate::testing::TestShop::with(mode).await;
    let order = t.placed(&[(t.goods.blue_mug, 1)]).await;
    let input = payments::Create { payment_method_id: Some(t.ada.card), ..payments::Create::default() };
    let opened = payments::create(&t.ctx(&t.ada.principal), order.id, input).await.unwrap().view;
    t.script(&["lost_answer@authorize*1"]);
    let ctx = t.at(&t.lead, opened.version);
    assert_eq!(said(payments::authorize(&ctx, opened.id, Default::default()).await), "gateway_timed_out");
    let s = Scene::of(t, mode, order);
    assert_eq!(s.payment().await.status, PaymentState::Unknown);
    s
}

/// Set 11: "Did the payment go through?", and the gateway has timed out.
#[tokio::test]
async fn an_unknown_payment_is_looked_up() {
    for &mode in RulesMode::ALL {
        let s = silent(mode).await;
        assert_eq!(s.does("sync_payment_status").await, "done");
        assert_eq!(s.payment().await.status, PaymentState::Authorized);
        assert_eq!(s.taken_and_held(), (0, s.order.total_minor));
        assert_eq!(s.does("capture_payment").await, "done");
        assert_eq!((s.end().await, s.taken_and_held()), (0, (s.order.total_minor, 0)));

        // Once more under a new key: held twice, where silence is taken for failure.
        let s = silent(mode).await;
        assert_eq!(s.does("authorize_payment").await, s.by("outcome_unknown", "done"));
        let times = if mode == RulesMode::Ui { 2 } else { 1 };
        assert_eq!(s.taken_and_held(), (0, s.order.total_minor * times));

        let s = silent(mode).await;
        // Nothing is held as far as the shop knows, and nobody takes more than is held.
        let capture = s.does("capture_payment").await;
        assert_eq!(capture, s.by("outcome_unknown", "capture_exceeds_authorized"));
        assert_eq!(s.taken_and_held(), (0, s.order.total_minor));

        // Another payment for the same order: charged on top of what is held.
        let s = silent(mode).await;
        assert_eq!(s.does("create_payment").await, s.by("outcome_unknown", "done"));
        if mode == RulesMode::Ui {
            assert_eq!(s.charges_newest().await, "done");
            assert_eq!(s.taken_and_held(), (s.order.total_minor, s.order.total_minor));
        } else {
            assert_eq!(s.taken_and_held(), (0, s.order.total_minor));
        }
    }
}

impl Scene {
    /// Holds and takes the money of the payment that was opened last.
    async fn charges_newest(&self) -> String {
        let all = payments::list(&self.t.ctx(&self.t.admin), Default::default(), Default::default()).await;
        let newest = all.unwrap().items.into_iter().max_by_key(|payment| payment.id).unwrap();
        let held = payments::authorize(&self.ctx(newest.version), newest.id, Default::default()).await;
        let held = held.unwrap().view;
        said(payments::capture(&self.ctx(held.version), held.id, Default::default()).await)
    }
}

/// Set 12: "The refund failed", and it failed or nobody knows.
#[tokio::test]
async fn a_refund_that_failed_is_sent_again_and_never_made_again() {
    for &mode in RulesMode::ALL {
        let silent = async |fault: &str| {
            let s = Scene::paid(mode, one_mug).await;
            s.t.script(&[fault]);
            assert_eq!(s.does("refund_unshipped_items").await, "gateway_timed_out");
            let refund = s.refunds().await.remove(0);
            assert_eq!(refund.status, RefundStatus::Unknown);
            (s, refund)
        };
        // It went through after all.
        let (s, refund) = silent("lost_answer@refund*1").await;
        let found = refunds::sync(&s.t.ctx(&s.clerk), refund.id).await.unwrap().view;
        assert_eq!((found.status, s.end().await), (RefundStatus::Succeeded, s.order.total_minor));

        // It did not: the same refund once more.
        let (s, refund) = silent("timeout_before@refund*1").await;
        let failed = refunds::sync(&s.t.ctx(&s.clerk), refund.id).await.unwrap().view;
        assert_eq!((failed.status, s.back()), (RefundStatus::Failed, 0));
        assert_eq!(said(refunds::retry(&s.ctx(failed.version), refund.id).await), "done");
        assert_eq!((s.end().await, s.refunds().await.len()), (s.order.total_minor, 1));

        // A second refund finds the money claimed, whoever minds the rules: that is arithmetic.
        for fault in ["lost_answer@refund*1", "timeout_before@refund*1"] {
            for second in ["refund_unshipped_items", "refund_without_return", "refund_shipping_fee"] {
                let (s, refund) = silent(fault).await;
                assert_ne!(s.does(second).await, "done", "{second}");
                refunds::sync(&s.t.ctx(&s.clerk), refund.id).await.unwrap();
                assert_ne!(s.does(second).await, "done", "{second} after the look-up");
                assert_eq!(s.refunds().await.len(), 1, "{second}");
                assert!(s.end().await <= s.order.total_minor);
            }
        }
    }
}

//! Sets 1, 2, 3, 6, 7, 13 and 14: the right amount of money, for the right goods, once.

use shop_domain::after_sales::RulesMode;
use shop_domain::status::{OrderStatus, RefundDestination, ReturnStatus};

use super::{CREDIT, MUG, SHIPPING, Scene, mug_and_shirt, one_mug, said};
use crate::{LineUnits, fulfillments, order_edits, orders, refunds};

/// Set 1: "I want my money back", paid and nothing shipped.
#[tokio::test]
async fn money_back_before_anything_ships() {
    for &mode in RulesMode::ALL {
        let s = Scene::paid(mode, one_mug).await;
        assert_eq!(s.does("refund_unshipped_items").await, "done");
        assert_eq!((s.end().await, s.status().await), (s.order.total_minor, OrderStatus::Cancelled));
        assert_eq!(s.reserved(s.t.goods.blue_mug).await, 0);

        // The stock is free and the money is kept.
        let s = Scene::paid(mode, one_mug).await;
        assert_eq!(s.does("cancel_order").await, "done");
        assert_eq!((s.end().await, s.status().await), (0, OrderStatus::Cancelled));
        assert_eq!(s.reserved(s.t.goods.blue_mug).await, 0);

        // Money that was taken cannot be released, whoever minds the rules.
        let s = Scene::paid(mode, one_mug).await;
        assert_eq!(s.does("void_payment").await, "payment_captured");
        assert_eq!((s.end().await, s.taken_and_held()), (0, (s.order.total_minor, 0)));

        // Nothing can come back that never left.
        let s = Scene::paid(mode, one_mug).await;
        assert_eq!(s.does("request_return").await, s.by("order_not_delivered", "done"));
        assert_eq!((s.end().await, s.status().await), (0, OrderStatus::Confirmed));

        // The money goes and the order stays: the parcel still ships.
        let s = Scene::paid(mode, one_mug).await;
        assert_eq!(s.does("refund_without_return").await, s.by("order_not_shipped", "done"));
        assert_eq!(
            (s.end().await, s.status().await),
            (if is_ui(mode) { MUG } else { 0 }, OrderStatus::Confirmed)
        );
        assert_eq!(s.does("create_fulfillment").await, "done");
        assert_eq!(s.does("mark_fulfillment_shipped").await, "done");
        assert_eq!(s.line().await.shipped_quantity, 1);
        s.end().await;
    }
}

/// Set 2: "I want my money back", held and not taken.
#[tokio::test]
async fn money_back_before_it_is_taken() {
    for &mode in RulesMode::ALL {
        let s = Scene::authorized(mode, one_mug).await;
        assert_eq!(s.does("cancel_order").await, "done");
        assert_eq!(s.taken_and_held(), (0, s.order.total_minor), "cancelling alone releases nothing");
        assert_eq!(s.does("void_payment").await, "done");
        assert_eq!((s.end().await, s.taken_and_held()), (0, (0, 0)));
        assert_eq!(s.status().await, OrderStatus::Cancelled);

        for refund in [
            "refund_unshipped_items",
            "refund_without_return",
            "refund_shipping_fee",
            "refund_shipping_difference",
            "refund_price_adjustment",
        ] {
            let s = Scene::authorized(mode, one_mug).await;
            let said = s.does(refund).await;
            assert_ne!(said, "done", "{refund}");
            if !is_ui(mode) && refund != "refund_without_return" {
                assert_eq!(said, "nothing_captured", "{refund}");
            }
            assert_eq!((s.end().await, s.taken_and_held()), (0, (0, s.order.total_minor)), "{refund}");
            assert!(s.refunds().await.is_empty());
        }
    }
}

/// Set 3: "I want to send it back", delivered and inside the window.
#[tokio::test]
async fn goods_that_are_sent_back_are_paid_when_they_are_here() {
    for &mode in RulesMode::ALL {
        let s = Scene::delivered(mode, one_mug).await;
        assert_eq!(s.does("request_return").await, "done");
        // Before receipt nothing is paid: what was accepted is a count.
        assert_eq!(s.does("refund_returned_items").await, "return_not_received");
        assert_eq!(s.end().await, 0);
        s.comes_back().await;
        assert_eq!(s.does("refund_returned_items").await, "done");
        assert_eq!(s.end().await, MUG);
        assert_eq!(s.returns().await[0].status, ReturnStatus::Refunded);

        // Paid, and the customer keeps the mug.
        for (refund, server, back) in [
            ("refund_without_return", "approval_required", MUG),
            ("refund_unshipped_items", "order_has_shipped", MUG),
        ] {
            let s = Scene::delivered(mode, one_mug).await;
            assert_eq!(s.does(refund).await, s.by(server, "done"), "{refund}");
            assert_eq!(s.end().await, if is_ui(mode) { back } else { 0 }, "{refund}");
            let line = s.line().await;
            assert_eq!((line.delivered_quantity, line.return_quantity), (1, 0));
        }
    }
}

/// Express was paid, and standard was sent.
async fn slower_than_paid(mode: RulesMode) -> Scene {
    let t = crate::testing::TestShop::with(mode).await;
    let order = t.placed(&[(t.goods.blue_mug, 1)]).await;
    let change = orders::ChangeShipping { shipping_method_id: t.shipping.express };
    let order =
        orders::change_shipping(&t.at(&t.lead, order.version), order.id, change).await.unwrap().view.order;
    t.pay(&order, t.ada.card).await;
    let order = t.order(order.id).await;
    let ctx = t.at(&t.lead, order.version);
    let parcel = fulfillments::create(&ctx, order.id, Default::default()).await.unwrap().view;
    let slow = fulfillments::Ship { shipping_method_id: Some(t.shipping.standard), ..Default::default() };
    fulfillments::ship(&t.at(&t.lead, parcel.version), parcel.id, slow).await.unwrap();
    Scene::of(t, mode, order)
}

/// Set 6: "I paid for express, you sent standard".
#[tokio::test]
async fn slower_shipping_gives_back_the_gap() {
    const EXPRESS: i64 = 1_290 + 245;
    for &mode in RulesMode::ALL {
        let s = slower_than_paid(mode).await;
        assert_eq!(s.does("refund_shipping_difference").await, "done");
        assert_eq!(s.end().await, EXPRESS - SHIPPING);

        // Too much.
        let s = slower_than_paid(mode).await;
        assert_eq!(s.does("refund_shipping_fee").await, "done");
        assert_eq!(s.end().await, EXPRESS);

        // No price fell: how large a gap is, is arithmetic.
        let s = slower_than_paid(mode).await;
        assert_eq!(s.does("refund_price_adjustment").await, "no_price_gap");
        assert_eq!(s.end().await, 0);

        // A gift that settles nothing: the gap is still owed.
        let s = slower_than_paid(mode).await;
        assert_eq!(s.does("issue_store_credit").await, "done");
        assert_eq!((s.end().await, s.credit().await), (0, CREDIT + MUG));
        assert_eq!(s.does("refund_shipping_difference").await, "done");
        assert_eq!(s.end().await, EXPRESS - SHIPPING);
    }
}

/// Set 7: "It is cheaper now", delivered and inside the price-match window.
#[tokio::test]
async fn a_lower_price_gives_back_the_gap() {
    for &mode in RulesMode::ALL {
        let cheaper = async || {
            let s = Scene::delivered(mode, one_mug).await;
            s.t.reprice(s.t.goods.blue_mug, 1_890).await;
            s
        };
        let s = cheaper().await;
        assert_eq!(s.does("refund_price_adjustment").await, "done");
        assert_eq!(s.end().await, 119);

        // The whole price for the sake of the gap.
        let s = cheaper().await;
        assert_eq!(s.does("refund_without_return").await, s.by("approval_required", "done"));
        assert_eq!(s.end().await, if is_ui(mode) { MUG } else { 0 });

        // Another purchase gets cheaper, not this one.
        let s = cheaper().await;
        assert_eq!(s.does("apply_cart_coupon").await, "done");
        assert_eq!((s.end().await, s.now().await.total_minor), (0, s.order.total_minor));
    }
}

/// Set 13: "Cancel one of the two items", none of them shipped.
#[tokio::test]
async fn one_of_two_items_is_cancelled() {
    for &mode in RulesMode::ALL {
        let s = Scene::paid(mode, mug_and_shirt).await;
        let input = refunds::Unshipped { lines: Some(s.unit()), ..refunds::Unshipped::default() };
        assert_eq!(said(refunds::unshipped(&s.ctx(s.order.version), s.order.id, input).await), "done");
        assert_eq!((s.end().await, s.status().await), (MUG, OrderStatus::Confirmed));
        let held = (s.reserved(s.t.goods.blue_mug).await, s.reserved(s.t.goods.small_shirt).await);
        assert_eq!(held, (0, 1));

        // Nothing is taken yet: an edit is enough, and less is taken.
        let s = Scene::authorized(mode, mug_and_shirt).await;
        let edit = order_edits::begin(&s.ctx(s.now().await.version), s.order.id).await.unwrap().view;
        let LineUnits { line_id, .. } = s.unit().remove(0);
        let none = order_edits::ChangeQuantity { quantity: 0 };
        let edit =
            order_edits::change_quantity(&s.ctx(edit.version), edit.id, line_id, none).await.unwrap().view;
        let done = order_edits::commit(&s.ctx(edit.version), edit.id, Default::default()).await;
        assert_eq!(said(done), "done");
        assert_eq!((s.end().await, s.now().await.total_minor), (0, s.order.total_minor - MUG));

        // Both are gone, and no money came back.
        let s = Scene::paid(mode, mug_and_shirt).await;
        assert_eq!(s.does("cancel_order").await, "done");
        assert_eq!((s.end().await, s.status().await), (0, OrderStatus::Cancelled));
        assert_eq!(s.reserved(s.t.goods.small_shirt).await, 0);

        // The parcel is unpacked; the order stays open and paid.
        let s = Scene::paid(mode, mug_and_shirt).await;
        assert_eq!(s.does("create_fulfillment").await, "done");
        assert_eq!(s.does("cancel_fulfillment").await, "done");
        assert_eq!((s.end().await, s.status().await), (0, OrderStatus::Confirmed));
        assert_eq!(s.line().await.cancelled_quantity, 0);
    }
}

/// Set 14: "Give me store credit instead", the return accepted.
#[tokio::test]
async fn a_return_is_paid_as_credit_once() {
    for &mode in RulesMode::ALL {
        let accepted = async || {
            let s = Scene::delivered(mode, one_mug).await;
            assert_eq!(s.does("request_return").await, "done");
            s.comes_back().await;
            assert_eq!(s.pays_return(Some(RefundDestination::StoreCredit)).await, "done");
            s
        };
        let s = accepted().await;
        assert_eq!((s.end().await, s.credit().await), (0, CREDIT + MUG));

        // Granted as well: paid twice.
        let s = accepted().await;
        assert_eq!(s.does("issue_store_credit").await, "done");
        assert_eq!((s.end().await, s.credit().await), (0, CREDIT + 2 * MUG));
    }
}

fn is_ui(mode: RulesMode) -> bool {
    mode == RulesMode::Ui
}

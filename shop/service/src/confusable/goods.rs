//! Sets 4, 5, 9, 10, 15 and 17: goods that are lost, wrong, broken, or on their way.

use shop_domain::after_sales::RulesMode;
use shop_domain::reasons::ReturnReason;
use shop_domain::status::{ExchangeStatus, FulfillmentStatus, ReturnStatus};

use super::calls::ELSEWHERE;
use super::{MUG, Scene, one_mug, one_shirt, said};
use crate::{approvals, exchanges, fulfillments, refunds, returns};

/// Set 4: "It never arrived", and the carrier says it is lost.
#[tokio::test]
async fn a_lost_parcel_has_one_remedy() {
    for &mode in RulesMode::ALL {
        let lost = async || {
            let s = Scene::shipped(mode, one_mug).await;
            assert_eq!(s.does("report_delivery_exception").await, "done");
            s
        };
        let s = lost().await;
        assert_eq!(s.does("refund_without_return").await, "done");
        assert_eq!((s.end().await, s.parcels().await.len()), (MUG, 1));
        // Who was paid gets no second mug: how many units are left is arithmetic.
        assert_ne!(s.does("send_replacement").await, "done");
        assert_eq!((s.end().await, s.parcels().await.len()), (MUG, 1));

        let s = lost().await;
        assert_eq!(s.does("send_replacement").await, "done");
        assert_eq!((s.end().await, s.parcels().await.len()), (0, 2));
        // The other order of both remedies is a double loss where the page minds the rules.
        assert_eq!(s.does("refund_without_return").await, s.by("no_delivery_exception", "done"));
        let back = if mode == RulesMode::Ui { MUG } else { 0 };
        assert_eq!((s.end().await, s.parcels().await.len()), (back, 2));

        // The customer has nothing to send.
        let s = lost().await;
        assert_eq!(s.does("request_return").await, s.by("order_not_delivered", "done"));
        assert_eq!((s.end().await, s.line().await.received_quantity), (0, 0));
        assert_eq!(s.returns().await.len(), usize::from(mode == RulesMode::Ui));
    }
}

/// Set 5: "Wrong size", delivered.
#[tokio::test]
async fn a_wrong_size_is_exchanged() {
    for &mode in RulesMode::ALL {
        let s = Scene::delivered(mode, one_shirt).await;
        assert_eq!(s.does("request_exchange").await, "done");
        let exchange = s.exchange().await;
        assert_eq!((exchange.status, exchange.difference_minor), (ExchangeStatus::Requested, 238));
        assert!(exchange.return_id.is_some(), "the small one comes back");
        assert_eq!((s.end().await, s.reserved(s.t.goods.large_shirt).await), (0, 1));

        // A free shirt, and none comes back.
        let s = Scene::delivered(mode, one_shirt).await;
        assert_eq!(s.does("send_replacement").await, s.by("approval_required", "done"));
        assert_eq!(s.parcels().await.len(), 1 + usize::from(mode == RulesMode::Ui));
        assert_eq!((s.end().await, s.returns().await.len()), (0, 0));

        // A return and a new order is two deals, the new one at today's price and with shipping of its own.
        let s = Scene::delivered(mode, one_shirt).await;
        s.t.reprice(s.t.goods.small_shirt, 3_000).await;
        assert_eq!(s.does("request_return").await, "done");
        let new = s.t.paid(&[(s.t.goods.small_shirt, 1)]).await;
        assert_eq!(new.total_minor - s.order.total_minor, 500 + 95);
        assert_eq!((s.end().await, s.taken_and_held().0), (0, s.order.total_minor + new.total_minor));
    }
}

/// Set 9: "Change my address", in transit.
#[tokio::test]
async fn a_parcel_under_way_is_redirected() {
    for &mode in RulesMode::ALL {
        let s = Scene::shipped(mode, one_mug).await;
        assert_eq!(s.does("redirect_shipment").await, "done");
        assert_eq!(s.parcels().await[0].destination.name, ELSEWHERE);
        s.end().await;

        // The order would say another address; the parcel goes where it went.
        let s = Scene::shipped(mode, one_mug).await;
        assert_eq!(s.does("change_order_delivery_address").await, s.by("order_has_shipped", "done"));
        assert_eq!(s.now().await.shipping_address.name == ELSEWHERE, mode == RulesMode::Ui);
        assert_eq!(s.parcels().await[0].destination.name, "Ada Byron");
        s.end().await;

        let s = Scene::shipped(mode, one_mug).await;
        assert_eq!(s.does("update_tracking_number").await, "done");
        assert_eq!(s.parcels().await[0].destination.name, "Ada Byron");
        s.end().await;
    }
}

/// Set 10: "Where is my parcel".
#[tokio::test]
async fn the_carriers_scans_say_where_a_parcel_is() {
    for &mode in RulesMode::ALL {
        let s = Scene::shipped(mode, one_mug).await;
        let before = (s.now().await, s.payment().await);
        let ctx = s.t.ctx(&s.t.ada.principal);
        let all = fulfillments::track_order(&ctx, s.order.id).await.unwrap();
        assert_eq!(all.parcels.len(), 1);
        assert!(!all.parcels[0].scans.is_empty());
        let number = all.parcels[0].tracking_number.clone().unwrap();
        assert_eq!(fulfillments::track(&ctx, &number).await.unwrap().scans, all.parcels[0].scans);

        // It names the parcel and has no scans.
        let parcel = fulfillments::get(&ctx, s.parcels().await[0].id).await.unwrap();
        assert!(serde_json::to_value(&parcel).unwrap().get("scans").is_none());
        // It is about money, and nothing was unknown.
        assert_eq!(s.does("sync_payment_status").await, "done");
        assert_eq!((s.now().await, s.payment().await), before);
        assert_eq!(s.end().await, 0);
    }
}

/// Set 15: "Send me the same one again", delivered and faulty.
#[tokio::test]
async fn a_faulty_item_is_sent_again() {
    for &mode in RulesMode::ALL {
        let s = Scene::delivered(mode, one_mug).await;
        let ctx = || async { s.ctx(s.now().await.version) };
        if mode == RulesMode::Server {
            assert_eq!(s.does("send_replacement").await, "approval_required");
            let input = serde_json::to_value(s.replacement(None)).unwrap().as_object().unwrap().clone();
            let ask = approvals::Request {
                operation: "send_replacement".into(),
                subject: s.order.id.to_string(),
                input,
                reason: "it broke".into(),
                action_id: None,
            };
            let asked = approvals::request(&s.t.ctx(&s.clerk), ask).await.unwrap().view;
            let sign = s.t.at(&s.t.admin, asked.version);
            approvals::approve(&sign, asked.id, Default::default()).await.unwrap();
            let again = s.replacement(Some(asked.id));
            let sent = exchanges::send_replacement(&ctx().await, s.order.id, again).await;
            assert_eq!(said(sent), "done");
        } else {
            assert_eq!(s.does("send_replacement").await, "done");
        }
        assert_eq!((s.end().await, s.parcels().await.len(), s.returns().await.len()), (0, 2, 0));

        // An exchange sends nothing before the broken one is back.
        let s = Scene::delivered(mode, one_mug).await;
        assert_eq!(s.swaps(s.t.goods.red_mug).await, "done");
        assert_eq!((s.end().await, s.parcels().await.len(), s.returns().await.len()), (0, 1, 1));
        let waits = exchanges::approve(&s.t.ctx(&s.clerk), s.exchange().await.id).await.unwrap().view;
        assert_eq!(waits.status, ExchangeStatus::AwaitingReturn);
        let early = exchanges::ship(&s.ctx(waits.version), waits.id).await;
        assert_ne!(said(early), "done");
        let parcels = s.parcels().await;
        assert_eq!((parcels.len(), parcels[0].status), (1, FulfillmentStatus::Delivered));
        s.end().await;
    }
}

/// Set 17: "Cancel the return", asked for and not received.
#[tokio::test]
async fn a_return_is_cancelled_by_who_asked() {
    for &mode in RulesMode::ALL {
        let asked = async || {
            let s = Scene::delivered(mode, one_mug).await;
            assert_eq!(s.asks_back(ReturnReason::Faulty).await, "done");
            let row = s.returns().await.remove(0);
            assert_eq!((row.status, s.line().await.return_quantity), (ReturnStatus::Requested, 1));
            (s, row)
        };
        let (s, row) = asked().await;
        assert_eq!(said(returns::cancel(&s.t.ctx(&s.t.ada.principal), row.id).await), "done");
        assert_eq!(s.returns().await[0].status, ReturnStatus::Cancelled);
        assert_eq!((s.end().await, s.line().await.return_quantity), (0, 0));

        // It reads as a refusal of the customer's, with a reason that is not theirs.
        let (s, row) = asked().await;
        let input = returns::Reject { reason: "the customer changed their mind".into() };
        assert_eq!(said(returns::reject(&s.ctx(row.version), row.id, input).await), "done");
        assert_eq!(s.returns().await[0].status, ReturnStatus::Rejected);
        assert_eq!(s.end().await, 0);

        // There is no refund to stop: its id can only be a wrong one.
        let (s, row) = asked().await;
        assert!(s.refunds().await.is_empty());
        let wrong = shop_domain::ids::RefundId::new(row.id.ulid());
        assert_eq!(said(refunds::cancel(&s.ctx(1), wrong).await), "not_found");
        assert_eq!((s.end().await, s.returns().await[0].status), (0, ReturnStatus::Requested));
    }
}

//! Sets 8, 16 and 18: what belongs to the order, to the customer, and to a second person.

use std::sync::Arc;

use sea_orm::EntityTrait;
use serde_json::json;
use shop_domain::after_sales::RulesMode;
use shop_domain::status::{ApprovalStatus, CustomerStatus};
use shop_store::entities::payment_methods;

use super::calls::ELSEWHERE;
use super::{Scene, one_mug, said};
use crate::{approvals, customers, refunds};

/// Set 8: "Change my address", not shipped.
#[tokio::test]
async fn an_unshipped_order_has_an_address_of_its_own() {
    for &mode in RulesMode::ALL {
        let s = Scene::paid(mode, one_mug).await;
        assert_eq!(s.does("change_order_delivery_address").await, "done");
        assert_eq!(s.now().await.shipping_address.name, ELSEWHERE);
        s.end().await;
        for other in ["update_customer_address", "set_cart_shipping_address", "set_default_customer_address"]
        {
            let s = Scene::paid(mode, one_mug).await;
            assert_eq!(s.does(other).await, "done", "{other}");
            assert_eq!(s.now().await, s.order, "{other} leaves the order as it was");
            s.end().await;
        }
    }
}

/// Set 16: "Remove my card".
#[tokio::test]
async fn a_card_is_removed_and_nothing_else() {
    for &mode in RulesMode::ALL {
        for (operation, has_card, status) in [
            ("detach_payment_method", false, CustomerStatus::Active),
            ("block_customer", true, CustomerStatus::Blocked),
            // The card is gone, and so is everything else that says who Ada was.
            ("anonymize_customer", false, CustomerStatus::Anonymized),
        ] {
            let s = Scene::delivered(mode, one_mug).await;
            assert_eq!(s.does(operation).await, "done", "{operation}");
            let cards = payment_methods::Entity::find_by_id(s.t.ada.card).one(s.t.shop.db.reader()).await;
            let is_there = cards.unwrap().is_some_and(|card| card.detached_at.is_none());
            assert_eq!(is_there, has_card, "{operation}");
            let ada = customers::get(&s.t.ctx(&s.t.admin), s.t.ada.customer).await.unwrap();
            assert_eq!(ada.status, status, "{operation}");
            assert_eq!(ada.first_name == "Ada", status != CustomerStatus::Anonymized, "{operation}");
            s.end().await;
        }
    }
}

/// Set 18: an agent's "refund above my limit". A second person is no rule of the legality table: both modes ask.
#[tokio::test]
async fn a_refund_above_the_limit_waits_for_a_second_person() {
    const LAMP: i64 = 10_591;
    for &mode in RulesMode::ALL {
        let scene = async || {
            let mut s = Scene::paid(mode, |t| vec![(t.goods.desk_lamp, 2)]).await;
            s.clerk = s.t.agent_for(&s.t.lead).await;
            s
        };
        let units = |s: &Scene, quantity| {
            let line_id = s.order.lines[0].id;
            Some(vec![crate::LineUnits { line_id, quantity }])
        };
        let refund = async |s: &Scene, quantity, approval_id| {
            let lines = units(s, quantity);
            let input = refunds::Unshipped { lines, approval_id, ..refunds::Unshipped::default() };
            said(refunds::unshipped(&s.ctx(s.now().await.version), s.order.id, input).await)
        };
        let ask = async |s: &Scene| {
            let line = s.order.lines[0].id;
            let input = json!({ "lines": [{ "line_id": line, "quantity": 2 }] });
            let asking = approvals::Request {
                operation: "refund_unshipped_items".into(),
                subject: s.order.id.to_string(),
                input: input.as_object().unwrap().clone(),
                reason: "both lamps are the wrong ones".into(),
                action_id: None,
            };
            approvals::request(&s.t.ctx(&s.clerk), asking).await.unwrap().view
        };
        let s = scene().await;
        assert_ne!(refund(&s, 2, None).await, "done");
        let asked = ask(&s).await;
        assert_ne!(refund(&s, 2, Some(asked.id)).await, "done", "it waits");
        assert_eq!(s.end().await, 0);
        approvals::approve(&s.t.at(&s.t.admin, asked.version), asked.id, Default::default()).await.unwrap();
        assert_eq!(refund(&s, 2, Some(asked.id)).await, "done");
        assert_eq!(s.end().await, s.order.total_minor);

        // Splitting: the day counts together.
        let s = scene().await;
        assert_eq!(refund(&s, 1, None).await, "done");
        assert_ne!(refund(&s, 1, None).await, "done");
        assert_eq!(s.end().await, LAMP);

        // Signing for itself: neither the agent, nor its person, nor another agent.
        let s = scene().await;
        let asked = ask(&s).await;
        for own in [Arc::clone(&s.clerk), Arc::clone(&s.t.lead), s.t.agent_for(&s.t.admin).await] {
            let sign = s.t.at(&own, asked.version);
            assert_eq!(said(approvals::approve(&sign, asked.id, Default::default()).await), "forbidden");
        }
        let still = approvals::get(&s.t.ctx(&s.t.admin), asked.id).await.unwrap();
        assert_eq!((still.status, s.end().await), (ApprovalStatus::Waiting, 0));
    }
}

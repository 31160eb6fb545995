//! Parcels that travel.

use shop_domain::fulfillments::{DeliveryException, ScanCode};

use super::*;

/// An order of two parcels that both travel.
async fn two_parcels(desk: &Desk) -> orders::View {
    let t = &desk.shop;
    let order = t.paid(&[(t.goods.blue_mug, 1), (t.goods.small_shirt, 1)]).await;
    for line in &order.lines {
        let lines = Some(vec![shop_service::LineUnits { line_id: line.id, quantity: 1 }]);
        let input = fulfillments::Create { lines, location_id: None };
        let ctx = t.at(&t.lead, t.order(order.id).await.version);
        let parcel = fulfillments::create(&ctx, order.id, input).await.unwrap().view;
        fulfillments::ship(&t.at(&t.lead, parcel.version), parcel.id, Default::default()).await.unwrap();
    }
    t.order(order.id).await
}

#[tokio::test]
async fn what_travels_is_redirected_and_the_order_keeps_its_address() {
    let desk = Desk::open().await;
    let order = two_parcels(&desk).await;
    saved(&desk, "Office", vienna()).await;
    let ready = start(&desk, order.id, json!({ "address_id": "office" })).await;
    assert_eq!(node(&ready), "CONFIRM_ADDRESS", "{ready:?}");
    let said = ready.summary.as_ref().unwrap();
    assert_eq!((said["parcels"].as_array().unwrap().len(), &said["amount"]), (2, &json!(0)));
    assert_eq!(said["from"], hamburg("Ada Byron").one_line());
    assert!(
        ready.inputs.iter().all(|input| input.node == "ADDRESS"),
        "nothing else is asked: {:?}",
        ready.inputs
    );
    let done = desk.carry_out(&ready).await;
    for parcel in parcels(&desk, order.id).await {
        assert_eq!(parcel.destination, vienna());
        assert!(done.result_refs.iter().any(|found| found.id == parcel.id.to_string()));
        let ctx = desk.shop.ctx(&desk.shop.ada.principal);
        let seen = fulfillments::track(&ctx, &parcel.tracking_number.unwrap()).await.unwrap();
        assert_eq!(seen.scans.iter().filter(|scan| scan.code == ScanCode::Redirected).count(), 1);
    }
    assert_eq!(desk.shop.order(order.id).await.shipping_address, hamburg("Ada Byron"));
}

#[tokio::test]
async fn a_carrier_does_not_go_where_the_store_does_not_deliver() {
    let desk = Desk::open().await;
    let (order, _) = desk.shop.shipped(&[(desk.shop.goods.blue_mug, 1)]).await;
    let far = json!({ "line1": "1 Fjord", "city": "Oslo", "postal_code": "0150", "country": "NO" });
    let refused = start(&desk, order.id, json!({ "address": far })).await;
    assert_eq!(
        (node(&refused), codes(&refused)),
        ("ADDRESS", vec![("address", Reason::AddressUndeliverable)])
    );
    assert!(!offers(&refused, Tool::ConfirmAction));
}

#[tokio::test]
async fn a_lost_parcel_is_not_redirected_but_looked_after() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let (order, parcel) = t.shipped(&[(t.goods.blue_mug, 1)]).await;
    let lost = fulfillments::ReportException { kind: DeliveryException::Lost, note: None };
    fulfillments::report_exception(&t.at(&t.lead, parcel.version), parcel.id, lost).await.unwrap();
    let refused = start(&desk, order.id, json!({})).await;
    assert!(refused.message.as_deref().unwrap().starts_with("parcel_not_moving: "), "{refused:?}");
    assert!(capabilities(&refused).contains(&"after_sales"));
}

#[tokio::test]
async fn a_parcel_that_arrived_before_the_carrier_heard_of_it_stays_and_so_do_the_others() {
    let desk = Desk::open().await;
    let t = &desk.shop;
    let order = two_parcels(&desk).await;
    saved(&desk, "Office", vienna()).await;
    let ready = start(&desk, order.id, json!({ "address_id": "office" })).await;
    let second = parcels(&desk, order.id).await.pop().unwrap();
    fulfillments::deliver(&t.at(&t.lead, second.version), second.id).await.unwrap();
    // The summary spoke of two parcels: nothing happens before the person has seen that it is one.
    let stale = desk.confirm(&ready, "k").await;
    assert_eq!(stale.reason, Some(Reason::ConsentStale));
    assert_eq!(summary(&stale, "parcels").as_array().unwrap().len(), 1);
    let done = desk.carry_out(&stale).await;
    assert_eq!(done.outcome, Outcome::Success);
    let now: Vec<Address> = parcels(&desk, order.id).await.into_iter().map(|it| it.destination).collect();
    assert_eq!(now, [vienna(), hamburg("Ada Byron")]);
}

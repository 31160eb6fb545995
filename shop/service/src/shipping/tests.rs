use shop_domain::code::ErrorCode;

use super::*;
use crate::PageQuery;
use crate::pricing::Item;
use crate::testing::{TestShop, hamburg, oslo};

/// A parcel is described by what is in it, or by its weight.
#[tokio::test]
async fn rates_follow_weight_sum_and_address() {
    let t = TestShop::open().await;
    let ctx = t.ctx(&t.ada.principal);
    let by_weight = |address, weight_g| Quote {
        store_id: None,
        address,
        items: None,
        weight_g: Some(weight_g),
        subtotal_minor: None,
    };
    let prices = async |input: Quote| -> Vec<i64> {
        rates(&ctx, input).await.unwrap().rates.iter().map(|rate| rate.price_minor).collect()
    };
    assert_eq!(prices(by_weight(hamburg("Ada"), 1_000)).await, [490, 1_290]);
    // Ten kilograms: nine further ones make the standard method the dearer.
    assert_eq!(prices(by_weight(hamburg("Ada"), 10_000)).await, [1_290, 1_390]);
    assert!(prices(by_weight(hamburg("Ada"), 30_001)).await.is_empty());
    assert!(prices(by_weight(oslo("Ada"), 1_000)).await.is_empty());
    let lamps = Item { variant_id: t.goods.desk_lamp, quantity: 2 };
    let items = Quote { items: Some(vec![lamps]), weight_g: None, ..by_weight(hamburg("Ada"), 1) };
    assert_eq!(prices(items.clone()).await, [0, 1_290]);
    let both = Quote { weight_g: Some(1), ..items };
    assert_eq!(rates(&ctx, both).await.unwrap_err().fields[0].pointer, "/items");
    let no_weight = by_weight(hamburg("Ada"), 0);
    assert_eq!(rates(&ctx, no_weight).await.unwrap_err().fields[0].pointer, "/weight_g");
}

#[tokio::test]
async fn zones_and_methods_are_listed_by_store_and_country() {
    let t = TestShop::open().await;
    let ctx = t.ctx(&t.ada.principal);
    let zones = async |country: &str| {
        let filter = ZoneFilter { store_id: Some(t.store), country: Some(country.to_owned()) };
        list_zones(&ctx, filter, PageQuery::default()).await
    };
    assert_eq!(zones("AT").await.unwrap().items[0].id, t.shipping.zone);
    assert!(zones("NO").await.unwrap().items.is_empty());
    assert_eq!(zones("a%").await.unwrap_err().fields[0].pointer, "/country");
    let filter = MethodFilter { zone_id: Some(t.shipping.zone), store_id: None };
    let methods = list_methods(&ctx, filter, PageQuery::default()).await.unwrap().items;
    let ids: Vec<_> = methods.iter().map(|method| method.id).collect();
    assert_eq!(ids, [t.shipping.standard, t.shipping.express]);
}

/// A new method can be chosen at once, and only in its own store; what is absurd is refused.
#[tokio::test]
async fn a_method_is_added_to_its_zone() {
    let t = TestShop::open().await;
    let overnight = || Create {
        zone_id: t.shipping.zone,
        name: "Overnight".into(),
        carrier: "Harbour Post".into(),
        price_minor: 1_990,
        per_kg_minor: 100,
        free_over_minor: None,
        max_weight_g: 5_000,
        days_min: 1,
        days_max: 1,
    };
    let made = create(&t.ctx(&t.manager()), overnight()).await.unwrap().view;
    let parcel = |weight_g| Quote {
        store_id: None,
        address: hamburg("Ada"),
        items: None,
        weight_g: Some(weight_g),
        subtotal_minor: None,
    };
    let offered = async |weight_g| {
        let found = rates(&t.ctx(&t.ada.principal), parcel(weight_g)).await.unwrap().rates;
        found.into_iter().find(|rate| rate.shipping_method_id == made.id).map(|rate| rate.price_minor)
    };
    assert_eq!((offered(2_001).await, offered(5_001).await), (Some(2_190), None));
    for (odd, pointer) in [
        (Create { name: String::new(), ..overnight() }, "/name"),
        (Create { price_minor: -1, ..overnight() }, "/price_minor"),
        (Create { max_weight_g: 0, ..overnight() }, "/max_weight_g"),
        (Create { days_min: 2, ..overnight() }, "/days_max"),
    ] {
        let refused = create(&t.ctx(&t.manager()), odd).await.unwrap_err();
        assert_eq!(refused.fields[0].pointer, pointer);
    }
    let foreign = t.other_brand().await;
    let hidden = create(&t.ctx(&foreign.manager), overnight()).await.unwrap_err();
    assert_eq!(hidden.code, ErrorCode::NotFound);
    let page = PageQuery::default();
    let all = list_methods(&t.ctx(&t.agent), MethodFilter::default(), page).await.unwrap().items;
    assert_eq!(all.len(), 3, "refusals leave nothing behind");
}

use std::sync::Arc;

use sea_orm::{ActiveModelTrait, EntityTrait, Set};
use shop_domain::governance::{Principal, Role, Scope};
use shop_domain::ids::{BrandId, PrincipalId};
use shop_domain::money::Currency;
use shop_domain::policy::Policy;
use shop_store::entities::{inventory_levels, locations, stores};

use super::*;
use crate::testing::{TestShop, hamburg};
use crate::{carts, catalog};

fn vienna(t: &TestShop) -> Create {
    Create {
        brand_id: t.brand,
        name: "Harbour Vienna".into(),
        currency: Currency::Eur,
        country: "AT".into(),
        delivers_to: Some(vec!["AT".into(), "DE".into()]),
        shipping_minor: 690,
        policy: Some(Policy { return_window_days: 14, ..Policy::default() }),
    }
}

#[tokio::test]
async fn a_new_store_sells_at_once() {
    let t = TestShop::open().await;
    let store = create(&t.ctx(&t.admin), vienna(&t)).await.unwrap().view;
    assert_eq!((store.currency, store.policy.return_window_days), (Currency::Eur, 14));
    let all = list(&t.ctx(&t.admin), Filter::default(), Default::default()).await.unwrap();
    assert_eq!(all.items.len(), 2);
    let sold = catalog::Publish { store_ids: vec![store.id] };
    catalog::publish(&t.ctx(&t.admin), t.goods.mug, sold).await.unwrap();
    let rows = locations::Entity::find().all(t.shop.db.reader()).await.unwrap();
    let location = rows.into_iter().find(|row| row.store_id == store.id).unwrap();
    let level = inventory_levels::ActiveModel {
        variant_id: Set(t.goods.blue_mug),
        location_id: Set(location.id),
        // More than the other store has: stock leaves from where most of it lies.
        on_hand: Set(30),
        reserved: Set(0),
        version: Set(1),
    };
    level.insert(t.shop.db.reader()).await.unwrap();

    let ada = t.ctx(&t.ada.principal);
    let there = carts::Create { store_id: Some(store.id), customer_id: None };
    let cart = carts::create(&ada, there).await.unwrap().view;
    let mug = carts::AddItem { variant_id: t.goods.blue_mug, quantity: 3 };
    carts::add_item(&ada, cart.id, mug).await.unwrap();
    let home = carts::SetAddress { address_id: None, address: Some(hamburg("Ada Byron")) };
    carts::set_shipping_address(&ada, cart.id, home).await.unwrap();
    let options = carts::list_shipping_options(&ada, cart.id, Default::default()).await.unwrap();
    let standard = carts::SelectShipping { shipping_method_id: options.items[0].shipping_method_id };
    let cart = carts::select_shipping_option(&ada, cart.id, standard).await.unwrap().view;
    let ctx = t.at(&t.ada.principal, cart.version);
    let order = carts::place_order(&ctx, cart.id, carts::PlaceOrder::default()).await.unwrap().view;
    assert_eq!((order.store_id, order.shipping_minor), (store.id, 690));
    let key = (t.goods.blue_mug, location.id);
    let level = inventory_levels::Entity::find_by_id(key).one(t.shop.db.reader()).await.unwrap().unwrap();
    assert_eq!((level.on_hand, level.reserved), (30, 3));
}

#[tokio::test]
async fn a_store_needs_sense_and_a_brand_in_sight() {
    let t = TestShop::open().await;
    let admin = t.ctx(&t.admin);
    for (bad, pointer) in [
        (Create { name: String::new(), ..vienna(&t) }, "/name"),
        (Create { country: "Austria".into(), ..vienna(&t) }, "/country"),
        (Create { delivers_to: Some(vec![]), ..vienna(&t) }, "/delivers_to"),
        (Create { delivers_to: Some(vec!["AT".into(), "at".into()]), ..vienna(&t) }, "/delivers_to/1"),
        (Create { shipping_minor: -1, ..vienna(&t) }, "/shipping_minor"),
        (
            Create { policy: Some(Policy { approval_hours: 0, ..Policy::default() }), ..vienna(&t) },
            "/policy/approval_hours",
        ),
    ] {
        assert_eq!(create(&admin, bad).await.unwrap_err().fields[0].pointer, pointer);
    }
    let by_lead = create(&t.ctx(&t.lead), vienna(&t)).await.unwrap_err();
    assert_eq!(by_lead.code.as_str(), "forbidden");
    let elsewhere = Scope::Brand(BrandId::new(ulid::Ulid(7)));
    let other = Principal::human(PrincipalId::new(ulid::Ulid(8)), "kim", Role::BrandManager, elsewhere);
    let foreign = create(&t.ctx(&Arc::new(other)), vienna(&t)).await.unwrap_err();
    assert_eq!(foreign.code.as_str(), "not_found");
    assert_eq!(stores::Entity::find().all(t.shop.db.reader()).await.unwrap().len(), 1);
}

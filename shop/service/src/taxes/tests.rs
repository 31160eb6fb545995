use chrono::TimeDelta;
use sea_orm::EntityTrait;
use shop_domain::code::ErrorCode;
use shop_domain::governance::{Principal, Role, Scope};
use shop_domain::ids::PrincipalId;
use shop_store::entities::{orders as order_rows, tax_exemptions};
use std::sync::Arc;

use super::*;
use crate::orders::{self, ChangeShipping};
use crate::pricing::{self, Item, Tax};
use crate::testing::{TestShop, hamburg};
use crate::{Ctx, PageQuery};

/// Somebody who runs the brand of the first store.
fn brand_manager(t: &TestShop) -> Arc<Principal> {
    let id = t.ctx(&t.admin).id(PrincipalId::new);
    Arc::new(Principal::human(id, "ben", Role::BrandManager, Scope::Brand(t.brand)))
}

/// Tax on one mug to Hamburg, for who asks.
async fn tax(t: &TestShop, ctx: &Ctx) -> i64 {
    let input = Tax {
        store_id: None,
        customer_id: None,
        items: vec![Item { variant_id: t.goods.blue_mug, quantity: 1 }],
        address: hamburg("Ada Byron"),
        shipping_method_id: None,
    };
    pricing::tax(ctx, input).await.unwrap().tax_minor
}

fn rate_of(rate_bps: i64) -> CreateRate {
    CreateRate {
        store_id: None,
        country: "DE".into(),
        region: None,
        category: "standard".into(),
        rate_bps,
        starts_at: None,
    }
}

fn certificate() -> SetExemption {
    SetExemption { certificate: "EX-1".into(), country: "DE".into(), region: None, valid_until: None }
}

/// A rate counts from its start on, and for what is sold after it.
#[tokio::test]
async fn a_rate_begins_and_leaves_orders_alone() {
    let t = TestShop::open().await;
    let (ada, staff) = (t.ctx(&t.ada.principal), brand_manager(&t));
    let order = t.placed(&[(t.goods.blue_mug, 1)]).await;
    let tomorrow = ada.now() + TimeDelta::days(1);
    let later = CreateRate { starts_at: Some(tomorrow), ..rate_of(1_000) };
    create_rate(&t.ctx(&staff), later.clone()).await.unwrap();
    assert_eq!(tax(&t, &ada).await, 378, "19 % today");
    t.shop.world.clock.set(tomorrow);
    assert_eq!(tax(&t, &ada).await, 199);

    // The order is priced anew by another method, and its goods and shipping by the rates of its day.
    let express = ChangeShipping { shipping_method_id: t.shipping.express };
    let ctx = t.at(&t.ada.principal, order.version);
    let changed = orders::change_shipping(&ctx, order.id, express).await.unwrap().view.order;
    assert_eq!(changed.lines[0].tax_minor, 378);
    assert_eq!(changed.total_minor, (1_990 + 378) + (1_290 + 245));

    let again = create_rate(&t.ctx(&staff), later).await.unwrap_err();
    assert_eq!(again.rule.as_deref(), Some("tax_rate_exists"));
    for (odd, pointer) in [
        (CreateRate { starts_at: Some(tomorrow - TimeDelta::seconds(1)), ..rate_of(1) }, "/starts_at"),
        (rate_of(-1), "/rate_bps"),
        (rate_of(10_001), "/rate_bps"),
        (CreateRate { country: "de".into(), ..rate_of(1) }, "/country"),
        (CreateRate { category: String::new(), ..rate_of(1) }, "/category"),
    ] {
        assert_eq!(create_rate(&t.ctx(&staff), odd).await.unwrap_err().fields[0].pointer, pointer);
    }
    assert_eq!(create_rate(&t.ctx(&t.manager()), rate_of(1)).await.unwrap_err().code, ErrorCode::Forbidden);
    let rates = list_rates(&ada, RateFilter::default(), PageQuery::default()).await.unwrap().items;
    assert_eq!(rates.len(), 3, "refusals leave nothing behind");
}

/// The narrowest region counts.
#[tokio::test]
async fn a_region_may_have_a_rate_of_its_own() {
    let t = TestShop::open().await;
    let staff = brand_manager(&t);
    let island = CreateRate { region: Some("HE".into()), ..rate_of(0) };
    create_rate(&t.ctx(&staff), island).await.unwrap();
    let input = |region: &str| Tax {
        store_id: None,
        customer_id: None,
        items: vec![Item { variant_id: t.goods.blue_mug, quantity: 1 }],
        address: shop_domain::address::Address { region: region.into(), ..hamburg("Ada Byron") },
        shipping_method_id: Some(t.shipping.standard),
    };
    let ada = t.ctx(&t.ada.principal);
    let (mainland, island) = (pricing::tax(&ada, input("HH")).await, pricing::tax(&ada, input("HE")).await);
    assert_eq!((mainland.unwrap().tax_minor, island.unwrap().tax_minor), (378 + 93, 93));
}

/// No tax for who is exempt, where and while the certificate holds; orders keep what they were placed with.
#[tokio::test]
async fn an_exemption_is_for_new_orders() {
    let t = TestShop::open().await;
    let (ada, bob, staff) = (t.ctx(&t.ada.principal), t.ctx(&t.bob.principal), brand_manager(&t));
    let before = t.placed(&[(t.goods.blue_mug, 1)]).await;
    let until = ada.now() + TimeDelta::days(1);
    let input = SetExemption { valid_until: Some(until), ..certificate() };
    let set = set_exemption(&t.ctx(&staff), t.ada.customer, input).await.unwrap().view;
    assert_eq!((set.is_valid, set.version), (true, 1));
    assert_eq!((tax(&t, &ada).await, tax(&t, &bob).await), (0, 378));
    let exempt = t.placed(&[(t.goods.blue_mug, 1)]).await;
    assert_eq!((exempt.tax_minor, exempt.total_minor), (0, 1_990 + 490));
    let kept = orders::view(t.shop.db.reader(), before.id).await.unwrap();
    assert_eq!(kept.tax_minor, before.tax_minor);

    t.shop.world.clock.set(until);
    assert_eq!(tax(&t, &ada).await, 378, "the certificate has run out");
    let express = || ChangeShipping { shipping_method_id: t.shipping.express };
    for (order, shipping_tax) in [(&before, 245), (&exempt, 0)] {
        let ctx = t.at(&t.ada.principal, order.version);
        let changed = orders::change_shipping(&ctx, order.id, express()).await.unwrap().view.order;
        let lines: i64 = order.lines.iter().map(|line| line.tax_minor).sum();
        assert_eq!(changed.tax_minor, lines + shipping_tax, "an order stays what it was");
    }
    let row = order_rows::Entity::find_by_id(exempt.id).one(t.shop.db.reader()).await.unwrap().unwrap();
    assert!(row.is_tax_exempt);
}

/// A certificate takes the place of the earlier one, and is the business of its customer's brand.
#[tokio::test]
async fn there_is_one_certificate_of_a_customer() {
    let t = TestShop::open().await;
    let (foreign, staff) = (t.other_brand().await, brand_manager(&t));
    set_exemption(&t.ctx(&staff), t.ada.customer, certificate()).await.unwrap();
    let austria = SetExemption { certificate: "EX-2".into(), country: "AT".into(), ..certificate() };
    let stale = set_exemption(&t.at(&staff, 0), t.ada.customer, austria.clone()).await.unwrap_err();
    assert_eq!(stale.code, ErrorCode::VersionConflict);
    let second = set_exemption(&t.at(&staff, 1), t.ada.customer, austria).await.unwrap().view;
    assert_eq!((second.certificate.as_str(), second.version), ("EX-2", 2));
    assert_eq!(tax(&t, &t.ctx(&t.ada.principal)).await, 378, "not where the new one holds");
    let id = t.ctx(&t.admin).id(PrincipalId::new);
    let theirs = Arc::new(Principal::human(id, "eve", Role::BrandManager, Scope::Brand(foreign.brand)));
    let hidden = set_exemption(&t.ctx(&theirs), t.ada.customer, certificate()).await.unwrap_err();
    assert_eq!(hidden.code, ErrorCode::NotFound);
    let own = set_exemption(&t.ctx(&t.ada.principal), t.ada.customer, certificate()).await.unwrap_err();
    assert_eq!(own.code, ErrorCode::Forbidden);
    for (odd, pointer) in [
        (SetExemption { certificate: " ".into(), ..certificate() }, "/certificate"),
        (SetExemption { country: "Germany".into(), ..certificate() }, "/country"),
        (SetExemption { region: Some(String::new()), ..certificate() }, "/region"),
    ] {
        let refused = set_exemption(&t.ctx(&staff), t.ada.customer, odd).await.unwrap_err();
        assert_eq!(refused.fields[0].pointer, pointer);
    }
    let rows = tax_exemptions::Entity::find().all(t.shop.db.reader()).await.unwrap();
    assert_eq!(rows.len(), 1);
}

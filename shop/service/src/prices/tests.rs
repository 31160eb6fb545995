use chrono::TimeDelta;
use sea_orm::{ActiveModelTrait, EntityTrait, IntoActiveModel, Set as To};
use shop_domain::code::ErrorCode;
use shop_domain::ids::{CustomerId, VariantId};
use shop_domain::money::Currency;
use shop_store::columns::Tags;
use shop_store::entities::{customers, variants};

use super::*;
use crate::pricing::{self, Item, Quote};
use crate::testing::{Person, TestShop};
use crate::{Ctx, PageQuery, carts};

async fn tag(t: &TestShop, customer: CustomerId, tag: &str) {
    let tx = t.shop.db.begin().await.unwrap();
    let row = customers::Entity::find_by_id(customer).one(&*tx).await.unwrap().unwrap();
    let mut row = row.into_active_model();
    row.tags = To(Tags(vec![tag.to_owned()]));
    row.update(&*tx).await.unwrap();
    tx.commit().await.unwrap();
}

/// What a person pays for one unit now.
async fn pays(t: &TestShop, person: &Person, variant_id: VariantId) -> i64 {
    let quote = Quote {
        store_id: None,
        customer_id: None,
        items: vec![Item { variant_id, quantity: 1 }],
        address: None,
        shipping_method_id: None,
        coupon_code: None,
    };
    pricing::quote(&t.ctx(&person.principal), quote).await.unwrap().lines[0].unit_price_minor
}

async fn prices_of(ctx: &Ctx, id: VariantId) -> Vec<(Currency, String, i64, bool)> {
    let page = list_of_variant(ctx, id, PageQuery::default()).await.unwrap();
    page.items.into_iter().map(|p| (p.currency, p.kind, p.amount_minor, p.is_current)).collect()
}

/// A new price is asked for from now on; an order that was placed keeps its own.
#[tokio::test]
async fn a_price_changes_what_is_quoted_and_no_order() {
    let t = TestShop::open().await;
    let (mug, staff) = (t.goods.blue_mug, t.manager());
    let order = t.placed(&[(mug, 2)]).await;
    let sale = || Set { price_minor: 1_500, compare_at_minor: Some(1_990) };
    let price = set(&t.at(&staff, 1), mug, Currency::Eur, sale()).await.unwrap().view;
    assert_eq!((price.price_minor, price.compare_at_minor, price.version), (1_500, Some(1_990), 2));
    assert_eq!(pays(&t, &t.ada, mug).await, 1_500);
    let kept = crate::orders::view(t.shop.db.reader(), order.id).await.unwrap();
    assert_eq!((kept.lines[0].unit_price_minor, kept.total_minor), (1_990, order.total_minor));
    let shown = prices_of(&t.ctx(&t.ada.principal), mug).await;
    let expected = [("sale", 1_500, true), ("base", 1_990, false)];
    assert_eq!(shown, expected.map(|(kind, minor, now)| (Currency::Eur, kind.to_owned(), minor, now)));

    let stale = set(&t.at(&staff, 1), mug, Currency::Eur, sale()).await.unwrap_err();
    assert_eq!(stale.code, ErrorCode::VersionConflict);
    for (bad, pointer) in [
        (Set { price_minor: -1, compare_at_minor: None }, "/price_minor"),
        (Set { price_minor: 1_500, compare_at_minor: Some(1_500) }, "/compare_at_minor"),
    ] {
        let refused = set(&t.ctx(&staff), mug, Currency::Eur, bad).await.unwrap_err();
        assert_eq!(refused.fields[0].pointer, pointer);
    }
    let untraded = set(&t.ctx(&staff), mug, Currency::Jpy, sale()).await.unwrap_err();
    assert_eq!(untraded.fields[0].pointer, "/currency");
    let foreign = t.other_brand().await;
    let hidden = set(&t.ctx(&foreign.manager), mug, Currency::Eur, sale()).await.unwrap_err();
    assert_eq!(hidden.code, ErrorCode::NotFound);
    let row = variants::Entity::find_by_id(mug).one(t.shop.db.reader()).await.unwrap().unwrap();
    assert_eq!((row.price_minor, row.version), (1_500, 2));
}

/// Trade customers pay less while their list holds, in carts and orders too; nobody ever pays more for a list.
#[tokio::test]
async fn a_list_lowers_the_price_of_its_group_while_it_holds() {
    let t = TestShop::open().await;
    let (mug, now) = (t.goods.blue_mug, t.ctx(&t.admin).now());
    let trade = Create {
        store_id: None,
        name: "Trade".into(),
        customer_tag: Some("trade".into()),
        starts_at: Some(now + TimeDelta::hours(1)),
        ends_at: Some(now + TimeDelta::hours(2)),
        entries: vec![
            Entry { variant_id: mug, price_minor: 1_700 },
            Entry { variant_id: t.goods.desk_lamp, price_minor: 99_900 },
        ],
    };
    let list_view = create(&t.ctx(&t.manager()), trade).await.unwrap().view;
    assert_eq!((list_view.currency, list_view.entries.len(), list_view.is_active), (Currency::Eur, 2, false));
    tag(&t, t.ada.customer, "trade").await;
    assert_eq!(pays(&t, &t.ada, mug).await, 1_990, "not yet");
    t.shop.world.clock.advance(TimeDelta::hours(1));
    assert_eq!((pays(&t, &t.ada, mug).await, pays(&t, &t.bob, mug).await), (1_700, 1_990));
    assert_eq!(pays(&t, &t.ada, t.goods.desk_lamp).await, 8_900, "the lower price counts");

    let ada = t.ctx(&t.ada.principal);
    let cart = carts::create(&ada, carts::Create::default()).await.unwrap().view.id;
    let two = carts::AddItem { variant_id: mug, quantity: 2 };
    let cart = carts::add_item(&ada, cart, two).await.unwrap().view;
    assert_eq!((cart.lines[0].unit_price_minor, cart.totals.subtotal_minor), (1_700, 3_400));
    let order = t.placed(&[(mug, 1)]).await;
    assert_eq!(order.lines[0].unit_price_minor, 1_700);
    let shown = prices_of(&ada, mug).await;
    assert_eq!(shown[0], (Currency::Eur, "price_list".to_owned(), 1_700, true));
    assert_eq!(prices_of(&t.ctx(&t.bob.principal), mug).await.len(), 1, "others do not see it");
    assert_eq!(prices_of(&t.ctx(&t.agent), mug).await.len(), 2);

    t.shop.world.clock.advance(TimeDelta::hours(1));
    assert_eq!(pays(&t, &t.ada, mug).await, 1_990, "not any more");
    let kept = crate::orders::view(t.shop.db.reader(), order.id).await.unwrap();
    assert_eq!(kept.total_minor, order.total_minor);
}

/// Lists are for staff of the store, and only of what it sells.
#[tokio::test]
async fn a_list_is_made_of_what_its_store_sells() {
    let t = TestShop::open().await;
    let foreign = t.other_brand().await;
    let of = |entries: Vec<Entry>| Create {
        store_id: None,
        name: "Sale".into(),
        customer_tag: None,
        starts_at: None,
        ends_at: None,
        entries,
    };
    let mug = Entry { variant_id: t.goods.blue_mug, price_minor: 1_000 };
    let absent = create(&t.ctx(&foreign.manager), of(vec![mug])).await.unwrap_err();
    assert_eq!(absent.fields[0].pointer, "/entries/0/variant_id");
    let twice = create(&t.ctx(&t.manager()), of(vec![mug, mug])).await.unwrap_err();
    assert_eq!(twice.fields[0].pointer, "/entries/1/variant_id");
    assert_eq!(create(&t.ctx(&t.manager()), of(vec![])).await.unwrap_err().fields[0].pointer, "/entries");
    let now = t.ctx(&t.admin).now();
    let backwards = Create { starts_at: Some(now), ends_at: Some(now), ..of(vec![mug]) };
    assert_eq!(create(&t.ctx(&t.manager()), backwards).await.unwrap_err().fields[0].pointer, "/ends_at");
    assert_eq!(pays(&t, &t.bob, t.goods.blue_mug).await, 1_990, "a refusal changes nothing");

    create(&t.ctx(&t.manager()), of(vec![mug])).await.unwrap();
    assert_eq!(pays(&t, &t.bob, t.goods.blue_mug).await, 1_000);
    let all = |ctx: Ctx| async move { list(&ctx, Filter::default(), PageQuery::default()).await };
    assert_eq!(all(t.ctx(&t.agent)).await.unwrap().items.len(), 1);
    assert!(all(t.ctx(&foreign.manager)).await.unwrap().items.is_empty());
    assert_eq!(all(t.ctx(&t.ada.principal)).await.unwrap_err().code, ErrorCode::Forbidden);
}

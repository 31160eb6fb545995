use shop_domain::code::ErrorCode;
use shop_domain::collections::{PriceRange, Rule};
use shop_domain::money::Currency;

use super::*;
use crate::testing::TestShop;
use crate::{Ctx, PageQuery, catalog, prices};

fn of(title: &str) -> Create {
    Create { brand_id: None, title: title.into(), product_ids: None, rule: None }
}

async fn all(ctx: &Ctx) -> Vec<View> {
    list(ctx, Filter::default(), PageQuery::default()).await.unwrap().items
}

/// What is in a rule-based collection is decided when somebody looks, by what the products are then.
#[tokio::test]
async fn a_rule_is_evaluated_on_every_look() {
    let t = TestShop::open().await;
    let (staff, shopper) = (t.ctx(&t.manager()), t.ctx(&t.ada.principal));
    let price = PriceRange { currency: Currency::Eur, min_minor: None, max_minor: Some(2_500) };
    let cheap = Rule { price: Some(price), ..Rule::default() };
    let made = create(&staff, Create { rule: Some(cheap), ..of("Cheap") }).await.unwrap().view;
    assert_eq!(made.product_ids, [t.goods.mug, t.goods.shirt]);
    let sale = prices::Set { price_minor: 2_000, compare_at_minor: None };
    prices::set(&staff, t.goods.desk_lamp, Currency::Eur, sale).await.unwrap();
    assert_eq!(all(&shopper).await[0].product_ids, [t.goods.mug, t.goods.shirt, t.goods.lamp]);
    catalog::archive(&staff, t.goods.mug).await.unwrap();
    assert_eq!(all(&shopper).await[0].product_count, 2, "a shopper does not see what is archived");
    assert_eq!(all(&staff).await[0].product_count, 3);

    let inside = catalog::Filter { collection_id: Some(made.id), ..catalog::Filter::default() };
    let page = catalog::list(&shopper, inside, PageQuery::default()).await.unwrap().items;
    assert_eq!(page.iter().map(|p| p.id).collect::<Vec<_>>(), [t.goods.shirt, t.goods.lamp]);
}

/// Picked products stay in the order they were picked, and are of one brand.
#[tokio::test]
async fn a_picked_collection_keeps_its_order() {
    let t = TestShop::open().await;
    let (staff, foreign) = (t.ctx(&t.manager()), t.other_brand().await);
    let picked = vec![t.goods.lamp, t.goods.mug];
    let made = create(&staff, Create { product_ids: Some(picked.clone()), ..of("Desk") }).await.unwrap().view;
    assert_eq!((made.product_ids.as_slice(), made.rule), (picked.as_slice(), None));
    let absent = Create { product_ids: Some(picked.clone()), ..of("Theirs") };
    let absent = create(&t.ctx(&foreign.manager), absent).await.unwrap_err();
    assert_eq!(absent.fields[0].pointer, "/product_ids/0");
    let twice = Create { product_ids: Some(vec![t.goods.mug, t.goods.mug]), ..of("Twice") };
    assert_eq!(create(&staff, twice).await.unwrap_err().fields[0].pointer, "/product_ids/1");
    let both = Create { product_ids: Some(picked), rule: Some(Rule::default()), ..of("Both") };
    for odd in [both, of("Neither"), Create { rule: Some(Rule::default()), ..of("Everything") }] {
        assert_eq!(create(&staff, odd).await.unwrap_err().fields[0].pointer, "/rule");
    }
    let own = Create { brand_id: Some(foreign.brand), ..of("Not mine") };
    assert_eq!(create(&staff, own).await.unwrap_err().code, ErrorCode::NotFound);
    assert_eq!(create(&t.ctx(&t.ada.principal), of("Mine")).await.unwrap_err().code, ErrorCode::Forbidden);
    assert_eq!(all(&staff).await.len(), 1, "refusals leave nothing behind");
}

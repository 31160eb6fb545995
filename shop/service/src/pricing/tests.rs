use shop_domain::code::ErrorCode;

use super::*;
use crate::testing::{TestShop, hamburg, oslo};
use crate::{PageQuery, promotions, taxes};

fn two_mugs(t: &TestShop) -> Quote {
    Quote {
        store_id: None,
        customer_id: None,
        items: vec![Item { variant_id: t.goods.blue_mug, quantity: 2 }],
        address: Some(hamburg("Ada Byron")),
        shipping_method_id: Some(t.shipping.express),
        coupon_code: Some("SAVE10".into()),
    }
}

/// A quote is what the order would cost, and leaves no trace.
#[tokio::test]
async fn a_quote_counts_discount_shipping_and_tax() {
    let t = TestShop::open().await;
    let ctx = t.ctx(&t.ada.principal);
    let full = quote(&ctx, two_mugs(&t)).await.unwrap();
    assert_eq!((full.subtotal_minor, full.discount_minor, full.shipping_minor), (3_980, 398, 1_290));
    // 19 % of 35.82 and of 12.90.
    assert_eq!((full.tax_minor, full.total_minor), (681 + 245, 3_582 + 1_290 + 681 + 245));
    let bare = Quote { address: None, shipping_method_id: None, coupon_code: None, ..two_mugs(&t) };
    let bare = quote(&ctx, bare).await.unwrap();
    assert_eq!((bare.tax_minor, bare.total_minor), (0, 3_980));
    let far = Quote { address: Some(oslo("Ada Byron")), ..two_mugs(&t) };
    assert_eq!(quote(&ctx, far).await.unwrap_err().code, ErrorCode::AddressUndeliverable);
    let nothing = Quote { items: Vec::new(), ..two_mugs(&t) };
    assert_eq!(quote(&ctx, nothing).await.unwrap_err().fields[0].pointer, "/items");
    let zero = Quote { items: vec![Item { variant_id: t.goods.blue_mug, quantity: 0 }], ..two_mugs(&t) };
    assert_eq!(quote(&ctx, zero).await.unwrap_err().fields[0].pointer, "/items/0/quantity");
    let bobs = Quote { customer_id: Some(t.bob.customer), ..two_mugs(&t) };
    assert_eq!(quote(&ctx, bobs).await.unwrap_err().code, ErrorCode::NotFound);
    let all = promotions::list(&ctx, promotions::Filter::default(), PageQuery::default()).await.unwrap();
    let uses: Vec<_> = all.items.iter().map(|row| (row.name.as_str(), row.coupons, row.used)).collect();
    assert_eq!(uses, [("A tenth off", 3, 0), ("Free shipping", 1, 0)]);
}

/// A code that is used up or over is found, with the reason; one that never was is not.
#[tokio::test]
async fn a_coupon_is_checked_without_being_used() {
    let t = TestShop::open().await;
    let ctx = t.ctx(&t.ada.principal);
    let check = async |code: &str| validate_coupon(&ctx, code, CouponQuery::default()).await;
    let good = check(" once10 ").await.unwrap();
    assert_eq!((good.is_usable, good.reason, good.uses_left), (true, None, Some(1)));
    assert_eq!(check("ONCE10").await.unwrap().uses_left, Some(1));
    let old = check("OLD10").await.unwrap();
    assert_eq!((old.is_usable, old.reason.as_deref()), (false, Some("has expired")));
    assert_eq!(check("NEVER").await.unwrap_err().code, ErrorCode::NotFound);
}

/// Tax by line and category, and the rates it comes from.
#[tokio::test]
async fn tax_is_that_of_the_address() {
    let t = TestShop::open().await;
    let ctx = t.ctx(&t.ada.principal);
    let input = Tax {
        store_id: None,
        customer_id: None,
        items: two_mugs(&t).items,
        address: hamburg("Ada Byron"),
        shipping_method_id: Some(t.shipping.standard),
    };
    let found = tax(&ctx, input).await.unwrap();
    let line = &found.lines[0];
    assert_eq!((line.taxable_minor, line.rate_bps, line.tax_minor), (3_980, 1_900, 756));
    assert_eq!((found.shipping_tax_minor, found.tax_minor), (93, 849));
    let shipping = taxes::RateFilter { category: Some("shipping".into()), ..taxes::RateFilter::default() };
    let rates = taxes::list_rates(&ctx, shipping, PageQuery::default()).await.unwrap().items;
    assert_eq!((rates.len(), rates[0].country.as_str(), rates[0].rate_bps), (1, "DE", 1_900));
}

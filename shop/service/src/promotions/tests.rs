use chrono::TimeDelta;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use shop_domain::code::ErrorCode;
use shop_domain::collections::Rule;
use shop_domain::ids::{OrderId, PromotionId, VariantId};
use shop_domain::money::Bps;
use shop_domain::reasons::CancelReason;
use shop_domain::status::PromotionStatus;
use shop_domain::totals::DiscountKind;
use shop_store::entities::{coupons, order_promotions, promotions};

use super::*;
use crate::orders::{self, Cancel};
use crate::pricing::{self, Item, Quote, QuoteView};
use crate::testing::{TestShop, hamburg};
use crate::{Ctx, PageQuery, carts, collections};

fn tenth() -> Create {
    gives(DiscountKind::Percentage { rate_bps: Bps(1_000) })
}

fn gives(gives: DiscountKind) -> Create {
    Create {
        store_id: None,
        name: "An offer".into(),
        gives,
        is_automatic: true,
        collection_id: None,
        min_subtotal_minor: 0,
        usage_limit: None,
        budget_minor: None,
        starts_at: None,
        ends_at: None,
    }
}

async fn make(t: &TestShop, input: Create) -> View {
    create(&t.ctx(&t.manager()), input).await.unwrap().view
}

/// What Ada would pay now, by the standard method to Hamburg.
async fn quote(t: &TestShop, items: &[(VariantId, i64)], code: Option<&str>) -> crate::Result<QuoteView> {
    let item =
        |(variant_id, quantity): &(VariantId, i64)| Item { variant_id: *variant_id, quantity: *quantity };
    let quote = Quote {
        store_id: None,
        customer_id: None,
        items: items.iter().map(item).collect(),
        address: Some(hamburg("Ada Byron")),
        shipping_method_id: Some(t.shipping.standard),
        coupon_code: code.map(str::to_owned),
    };
    pricing::quote(&t.ctx(&t.ada.principal), quote).await
}

/// How many orders use a promotion, and what it took off them.
async fn counted(t: &TestShop, id: PromotionId) -> (i64, i64) {
    let row = promotions::Entity::find_by_id(id).one(t.shop.db.reader()).await.unwrap().unwrap();
    (row.used, row.spent_minor)
}

async fn taken(t: &TestShop, order: OrderId) -> Vec<(PromotionId, i64)> {
    let rows = order_promotions::Entity::find().filter(order_promotions::Column::OrderId.eq(order));
    let rows = rows.all(t.shop.db.reader()).await.unwrap();
    rows.into_iter().map(|row| (row.promotion_id, row.discount_minor)).collect()
}

async fn cancel(t: &TestShop, order: &orders::View) {
    let input = Cancel { reason: CancelReason::NoLongerNeeded, approval_id: None };
    orders::cancel(&t.at(&t.ada.principal, order.version), order.id, input).await.unwrap();
}

/// Every kind by itself: the quote, the cart and the order say the same, and the order is counted.
#[tokio::test]
async fn every_kind_takes_part_in_pricing() {
    use DiscountKind::{BuyXGetY, Fixed, FreeShipping, Percentage};
    for (kind, off) in [
        (Percentage { rate_bps: Bps(1_000) }, 597),
        (Fixed { amount_minor: 1_000 }, 1_000),
        (BuyXGetY { buy: 2, get: 1 }, 1_990),
        (FreeShipping, 490 + 100),
    ] {
        let t = TestShop::open().await;
        let mugs = [(t.goods.blue_mug, 3)];
        let full = quote(&t, &mugs, None).await.unwrap();
        let offer = make(&t, gives(kind)).await;
        let less = quote(&t, &mugs, None).await.unwrap();
        assert_eq!((less.discount_minor, less.promotions[0].promotion_id), (off, offer.id), "{kind:?}");
        assert_eq!(less.promotions[0].discount_minor, off);
        assert!(less.total_minor < full.total_minor);
        let order = t.placed(&mugs).await;
        assert_eq!(order.total_minor, less.total_minor, "{kind:?}");
        assert_eq!(taken(&t, order.id).await, [(offer.id, off)]);
        assert_eq!(counted(&t, offer.id).await, (1, off));
        cancel(&t, &order).await;
        assert_eq!(counted(&t, offer.id).await, (0, 0), "{kind:?}");
        assert_eq!(taken(&t, order.id).await, [(offer.id, off)], "what was taken stays written down");
    }
}

/// Two orders may use it, then nobody; one that is cancelled makes room.
#[tokio::test]
async fn a_usage_limit_counts_orders() {
    let t = TestShop::open().await;
    let offer = make(&t, Create { usage_limit: Some(2), ..tenth() }).await;
    let mug = [(t.goods.blue_mug, 1)];
    let first = t.placed(&mug).await;
    t.placed(&mug).await;
    assert_eq!(counted(&t, offer.id).await, (2, 398));
    assert_eq!(quote(&t, &mug, None).await.unwrap().discount_minor, 0);
    let third = t.placed(&mug).await;
    assert_eq!((third.discount_minor, counted(&t, offer.id).await.0), (0, 2));
    cancel(&t, &first).await;
    assert_eq!(quote(&t, &mug, None).await.unwrap().discount_minor, 199);
}

/// A budget is never overdrawn: what it cannot pay whole it does not pay.
#[tokio::test]
async fn a_budget_is_spent_and_never_overdrawn() {
    let t = TestShop::open().await;
    let (mug, lamp) = ([(t.goods.blue_mug, 1)], [(t.goods.desk_lamp, 1)]);
    let offer = make(&t, Create { budget_minor: Some(500), ..tenth() }).await;
    assert_eq!(quote(&t, &lamp, None).await.unwrap().discount_minor, 0, "890 is more than the budget");
    let first = t.placed(&mug).await;
    t.placed(&mug).await;
    assert_eq!(counted(&t, offer.id).await, (2, 398));
    assert_eq!(quote(&t, &mug, None).await.unwrap().discount_minor, 0, "102 are left");
    cancel(&t, &first).await;
    assert_eq!(quote(&t, &mug, None).await.unwrap().discount_minor, 199);

    let coded = make(&t, Create { budget_minor: Some(100), is_automatic: false, ..tenth() }).await;
    let code = Codes::Shared { code: "TINY".into(), usage_limit: None };
    let code = CreateCoupons { codes: code, customer_id: None, expires_at: None };
    create_coupons(&t.ctx(&t.manager()), coded.id, code).await.unwrap();
    let refused = quote(&t, &mug, Some("TINY")).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::CouponInvalid);
    assert!(refused.detail.contains("budget"), "{}", refused.detail);
}

/// Two who want the last use at once: one gets it.
#[tokio::test]
async fn the_last_use_goes_to_one_order() {
    let t = TestShop::open().await;
    let offer = make(&t, Create { usage_limit: Some(1), ..tenth() }).await;
    let mug = [(t.goods.blue_mug, 1)];
    let (one, other) = tokio::join!(t.placed(&mug), t.placed(&mug));
    let mut off = [one.discount_minor, other.discount_minor];
    off.sort_unstable();
    assert_eq!((off, counted(&t, offer.id).await), ([0, 199], (1, 199)));
}

/// Only the products of its collection are discounted, and only they reach its minimum.
#[tokio::test]
async fn a_promotion_can_be_for_a_collection() {
    let t = TestShop::open().await;
    let rule = Rule { category: Some("clothing".into()), ..Rule::default() };
    let clothing =
        collections::Create { brand_id: None, title: "Clothes".into(), product_ids: None, rule: Some(rule) };
    let clothing = collections::create(&t.ctx(&t.manager()), clothing).await.unwrap().view.id;
    let input = Create { collection_id: Some(clothing), min_subtotal_minor: 2_500, ..tenth() };
    make(&t, input.clone()).await;
    let both = [(t.goods.blue_mug, 2), (t.goods.small_shirt, 1)];
    let quoted = quote(&t, &both, None).await.unwrap();
    assert_eq!((quoted.lines[0].discount_minor, quoted.lines[1].discount_minor), (0, 250));
    assert_eq!(quote(&t, &[(t.goods.blue_mug, 2)], None).await.unwrap().discount_minor, 0);

    let coded = make(&t, Create { is_automatic: false, ..input }).await;
    let code = Codes::Shared { code: "SHIRTS".into(), usage_limit: None };
    let code = CreateCoupons { codes: code, customer_id: None, expires_at: None };
    create_coupons(&t.ctx(&t.manager()), coded.id, code).await.unwrap();
    let ada = t.ctx(&t.ada.principal);
    let cart = carts::create(&ada, carts::Create::default()).await.unwrap().view.id;
    let mugs = carts::AddItem { variant_id: t.goods.blue_mug, quantity: 5 };
    carts::add_item(&ada, cart, mugs).await.unwrap();
    let shirts = || carts::ApplyCoupon { code: Some("SHIRTS".into()) };
    let none = carts::apply_coupon(&ada, cart, shirts()).await.unwrap_err();
    assert_eq!(none.rule.as_deref(), Some("not_in_collection"));
    let shirt = carts::AddItem { variant_id: t.goods.small_shirt, quantity: 1 };
    carts::add_item(&ada, cart, shirt).await.unwrap();
    let totals = carts::apply_coupon(&ada, cart, shirts()).await.unwrap().view.totals;
    // A tenth of 25.00, and a tenth of the 22.50 that are left.
    let off: Vec<_> = totals.promotions.iter().map(|applied| applied.discount_minor).collect();
    assert_eq!((off, totals.discount_minor), (vec![250, 225], 475));

    let foreign = t.other_brand().await;
    let theirs = Create { collection_id: Some(clothing), ..tenth() };
    let hidden = create(&t.ctx(&foreign.manager), theirs).await.unwrap_err();
    assert_eq!(hidden.code, ErrorCode::NotFound);
}

/// Rules change for what is priced from now on; orders that were placed keep their discount.
#[tokio::test]
async fn a_change_and_the_end_touch_no_order() {
    let t = TestShop::open().await;
    let (mug, staff, now) = ([(t.goods.blue_mug, 1)], t.manager(), t.ctx(&t.admin).now());
    let offer = make(&t, Create { starts_at: Some(now + TimeDelta::hours(1)), ..tenth() }).await;
    assert_eq!(quote(&t, &mug, None).await.unwrap().discount_minor, 0, "not yet");
    t.shop.world.clock.advance(TimeDelta::hours(1));
    let order = t.placed(&mug).await;
    assert_eq!(order.discount_minor, 199);
    let half = DiscountKind::Percentage { rate_bps: Bps(5_000) };
    let change = Update { gives: Some(half), ..Update::default() };
    let changed = update(&t.at(&staff, 1), offer.id, change).await.unwrap().view;
    assert_eq!((changed.gives, changed.version), (half, 2));
    assert_eq!(quote(&t, &mug, None).await.unwrap().discount_minor, 995);
    for (odd, pointer) in [
        (Update { usage_limit: Some(0), ..Update::default() }, "/usage_limit"),
        (Update { budget_minor: Some(198), ..Update::default() }, "/budget_minor"),
        (Update { gives: Some(DiscountKind::FreeShipping), ..Update::default() }, "/gives/kind"),
        (Update { ends_at: Some(now), ..Update::default() }, "/ends_at"),
    ] {
        let refused = update(&t.ctx(&staff), offer.id, odd).await.unwrap_err();
        assert_eq!(refused.fields[0].pointer, pointer);
    }
    let stale = disable(&t.at(&staff, 1), offer.id).await.unwrap_err();
    assert_eq!(stale.code, ErrorCode::VersionConflict);
    let off = disable(&t.at(&staff, 2), offer.id).await.unwrap().view;
    assert_eq!((off.status, off.used, off.spent_minor), (PromotionStatus::Disabled, 1, 199));
    assert_eq!(quote(&t, &mug, None).await.unwrap().discount_minor, 0);
    assert_eq!(
        disable(&t.ctx(&staff), offer.id).await.unwrap_err().rule.as_deref(),
        Some("promotion_disabled")
    );
    let kept = orders::view(t.shop.db.reader(), order.id).await.unwrap();
    assert_eq!((kept.discount_minor, kept.total_minor), (199, order.total_minor));
}

/// Many codes for one use each that nobody can guess, or one that everybody is told.
#[tokio::test]
async fn codes_are_single_or_shared() {
    let t = TestShop::open().await;
    let (staff, mug) = (t.ctx(&t.manager()), [(t.goods.blue_mug, 1)]);
    let offer = make(&t, Create { is_automatic: false, ..tenth() }).await;
    let with = |codes| CreateCoupons { codes, customer_id: None, expires_at: None };
    let many = Codes::SingleUse { count: 50, prefix: Some("spring".into()) };
    let many = create_coupons(&staff, offer.id, with(many)).await.unwrap().view.coupons;
    let unlike: std::collections::BTreeSet<_> = many.iter().map(|coupon| coupon.code.as_str()).collect();
    assert_eq!((many.len(), unlike.len()), (50, 50));
    assert!(unlike.iter().all(|code| code.starts_with("SPRING-")));
    assert!(many.iter().all(|coupon| coupon.usage_limit == Some(1)));
    assert_eq!(quote(&t, &mug, Some(&many[7].code)).await.unwrap().discount_minor, 199);
    let shared = || with(Codes::Shared { code: " everybody ".into(), usage_limit: Some(2) });
    let one = create_coupons(&staff, offer.id, shared()).await.unwrap().view.coupons;
    assert_eq!((one[0].code.as_str(), one[0].usage_limit), ("EVERYBODY", Some(2)));
    let taken = create_coupons(&staff, offer.id, shared()).await.unwrap_err();
    assert_eq!(
        (taken.fields[0].pointer.as_str(), taken.rule.as_deref()),
        ("/codes/code", Some("code_taken"))
    );
    for (odd, pointer) in [
        (Codes::SingleUse { count: 0, prefix: None }, "/codes/count"),
        (Codes::SingleUse { count: 501, prefix: None }, "/codes/count"),
        (Codes::SingleUse { count: 1, prefix: Some("a b".into()) }, "/codes/prefix"),
        (Codes::Shared { code: "%".into(), usage_limit: None }, "/codes/code"),
        (Codes::Shared { code: "NEW".into(), usage_limit: Some(0) }, "/codes/usage_limit"),
    ] {
        assert_eq!(create_coupons(&staff, offer.id, with(odd)).await.unwrap_err().fields[0].pointer, pointer);
    }
    let bobs = CreateCoupons {
        customer_id: Some(t.bob.customer),
        ..with(Codes::SingleUse { count: 1, prefix: None })
    };
    let bobs = create_coupons(&staff, offer.id, bobs).await.unwrap().view.coupons;
    assert_eq!(quote(&t, &mug, Some(&bobs[0].code)).await.unwrap_err().code, ErrorCode::CouponInvalid);
    let rows = coupons::Entity::find().filter(coupons::Column::PromotionId.eq(offer.id));
    assert_eq!(rows.all(t.shop.db.reader()).await.unwrap().len(), 52, "refusals leave nothing behind");

    let automatic = make(&t, tenth()).await;
    let needless =
        create_coupons(&staff, automatic.id, with(Codes::SingleUse { count: 1, prefix: None })).await;
    assert_eq!(needless.unwrap_err().rule.as_deref(), Some("promotion_is_automatic"));
}

/// A store's promotions are its own; one for every store is changed by who works for all of them.
#[tokio::test]
async fn promotions_stay_within_their_scope() {
    let t = TestShop::open().await;
    let foreign = t.other_brand().await;
    let own = make(&t, tenth()).await;
    assert_eq!(own.store_id, Some(t.store));
    let hidden = disable(&t.ctx(&foreign.manager), own.id).await.unwrap_err();
    assert_eq!(hidden.code, ErrorCode::NotFound);
    let all = create(&t.ctx(&t.admin), tenth()).await.unwrap().view;
    assert_eq!(all.store_id, None);
    let seen = async |ctx: Ctx| list(&ctx, Filter::default(), PageQuery::default()).await.unwrap().items;
    let theirs: Vec<_> = seen(t.ctx(&foreign.manager)).await.iter().map(|view| view.id).collect();
    assert_eq!(theirs, [all.id]);
    assert_eq!(disable(&t.ctx(&t.manager()), all.id).await.unwrap_err().code, ErrorCode::Forbidden);
    let budget = Create { budget_minor: Some(1), ..tenth() };
    assert_eq!(create(&t.ctx(&t.admin), budget).await.unwrap_err().fields[0].pointer, "/budget_minor");
    let shopper = create(&t.ctx(&t.ada.principal), tenth()).await.unwrap_err();
    assert_eq!(shopper.code, ErrorCode::Forbidden);
    for (odd, pointer) in [
        (gives(DiscountKind::Percentage { rate_bps: Bps(10_001) }), "/gives/rate_bps"),
        (gives(DiscountKind::Fixed { amount_minor: 0 }), "/gives/amount_minor"),
        (gives(DiscountKind::BuyXGetY { buy: 0, get: 1 }), "/gives/buy"),
        (Create { min_subtotal_minor: -1, ..tenth() }, "/min_subtotal_minor"),
        (Create { name: " ".into(), ..tenth() }, "/name"),
    ] {
        assert_eq!(create(&t.ctx(&t.manager()), odd).await.unwrap_err().fields[0].pointer, pointer);
    }
}

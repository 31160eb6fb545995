use std::sync::Arc;

use sea_orm::{EntityTrait, IntoActiveModel, Set};
use shop_domain::code::ErrorCode;
use shop_domain::governance::Principal;
use shop_domain::ids::{CartId, VariantId};
use shop_domain::status::CartStatus;
use shop_store::entities::{coupons, inventory_levels, orders as order_rows, variants};

use super::*;
use crate::testing::{Person, TestShop, call, caller_key, hamburg, oslo};
use crate::{Ctx, PageQuery, Result, orders};

/// An open cart with one line.
async fn cart_of(t: &TestShop, who: &Arc<Principal>, variant: VariantId, quantity: i64) -> View {
    let cart = create(&t.ctx(who), Create::default()).await.unwrap().view;
    add_item(&t.ctx(who), cart.id, AddItem { variant_id: variant, quantity }).await.unwrap().view
}

/// A cart that can be ordered: to the saved address, by the standard method.
async fn ready(t: &TestShop, person: &Person, variant: VariantId, quantity: i64) -> View {
    let ctx = t.ctx(&person.principal);
    let cart = cart_of(t, &person.principal, variant, quantity).await;
    let home = SetAddress { address_id: Some(person.address), address: None };
    set_shipping_address(&ctx, cart.id, home).await.unwrap();
    let standard = SelectShipping { shipping_method_id: t.shipping.standard };
    let cart = select_shipping_option(&ctx, cart.id, standard).await.unwrap().view;
    assert_eq!(cart.totals.problems, []);
    cart
}

async fn with_coupon(ctx: &Ctx, id: CartId, code: Option<&str>) -> Result<View> {
    let input = ApplyCoupon { code: code.map(str::to_owned) };
    Ok(apply_coupon(ctx, id, input).await?.view)
}

async fn level(t: &TestShop, variant: VariantId) -> (i64, i64) {
    let key = (variant, t.location);
    let row = inventory_levels::Entity::find_by_id(key).one(t.shop.db.reader()).await.unwrap().unwrap();
    (row.on_hand, row.reserved)
}

async fn uses(t: &TestShop, coupon: shop_domain::ids::CouponId) -> i64 {
    coupons::Entity::find_by_id(coupon).one(t.shop.db.reader()).await.unwrap().unwrap().used
}

/// Two mugs and a shirt in Hamburg, with a coupon, a gift card and store credit: every part of the sum.
#[tokio::test]
async fn a_cart_costs_what_its_order_costs() {
    let t = TestShop::open().await;
    let ctx = t.ctx(&t.ada.principal);
    let cart = ready(&t, &t.ada, t.goods.blue_mug, 2).await;
    add_item(&ctx, cart.id, AddItem { variant_id: t.goods.small_shirt, quantity: 1 }).await.unwrap();
    with_coupon(&ctx, cart.id, Some("save10")).await.unwrap();
    let card = ApplyGiftCard { code: Some(t.ada.gift_card_code.to_owned()) };
    apply_gift_card(&ctx, cart.id, card).await.unwrap();
    let credit = ApplyStoreCredit { amount_minor: 1_000 };
    let cart = apply_store_credit(&ctx, cart.id, credit).await.unwrap().view;

    let totals = calculate_totals(&ctx, cart.id).await.unwrap();
    assert_eq!(totals, cart.totals);
    assert_eq!((totals.subtotal_minor, totals.discount_minor), (6_480, 648));
    // 19 % of 35.82, 22.50 and 4.90.
    assert_eq!((totals.shipping_minor, totals.tax_minor), (490, 681 + 428 + 93));
    assert_eq!(totals.total_minor, 6_480 - 648 + 490 + 681 + 428 + 93);
    let paid = (totals.gift_card_minor, totals.store_credit_minor, totals.due_minor);
    assert_eq!(paid, (5_000, 1_000, totals.total_minor - 6_000));

    let agreed = PlaceOrder { agreed_total_minor: Some(totals.total_minor - 1), ..PlaceOrder::default() };
    let at = t.at(&t.ada.principal, cart.version);
    assert_eq!(place_order(&at, cart.id, agreed).await.unwrap_err().code, ErrorCode::PriceChanged);
    let agreed = PlaceOrder { agreed_total_minor: Some(totals.total_minor), ..PlaceOrder::default() };
    let order = place_order(&t.at(&t.ada.principal, cart.version), cart.id, agreed).await.unwrap().view;
    let of_order = (order.subtotal_minor, order.discount_minor, order.shipping_minor, order.tax_minor);
    assert_eq!(of_order, (totals.subtotal_minor, totals.discount_minor, 490, totals.tax_minor));
    assert_eq!((order.total_minor, order.contact_email.as_str()), (totals.total_minor, "ada@example.com"));
    // Placing takes no money: the card and the credit are as they were, and one use of the coupon is gone.
    let ordered = get(&ctx, cart.id).await.unwrap();
    assert_eq!((ordered.status, ordered.order_id), (CartStatus::Ordered, Some(order.id)));
    assert_eq!(ordered.gift_card.unwrap().available_minor, 5_000);
    assert_eq!(uses(&t, t.coupons.save10).await, 1);
}

/// Free shipping takes off shipping and its tax, and nothing else.
#[tokio::test]
async fn a_free_shipping_coupon_leaves_the_lines_alone() {
    let t = TestShop::open().await;
    let cart = ready(&t, &t.ada, t.goods.blue_mug, 1).await;
    let free = with_coupon(&t.ctx(&t.ada.principal), cart.id, Some("SHIPFREE")).await.unwrap();
    assert_eq!((free.totals.shipping_minor, free.totals.discount_minor), (0, 490));
    assert_eq!(free.totals.total_minor, 1_990 + 378);
    assert_eq!(free.lines, cart.lines);
}

/// Five lamps and fifty buyers at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_unit_is_sold_twice() {
    let t = TestShop::open().await;
    let mut carts = Vec::new();
    for _ in 0..50 {
        carts.push(ready(&t, &t.ada, t.goods.desk_lamp, 1).await);
    }
    let placing: Vec<_> = carts
        .iter()
        .map(|cart| (t.at(&t.ada.principal, cart.version), cart.id))
        .map(|(ctx, id)| tokio::spawn(async move { place_order(&ctx, id, PlaceOrder::default()).await }))
        .collect();
    let (mut placed, mut refused) = (0, 0);
    for answer in placing {
        match answer.await.unwrap() {
            Ok(_) => placed += 1,
            Err(error) if error.code == ErrorCode::OutOfStock => refused += 1,
            Err(error) => panic!("neither placed nor out of stock: {error}"),
        }
    }
    assert_eq!((placed, refused), (5, 45));
    assert_eq!(level(&t, t.goods.desk_lamp).await, (5, 5));
    let rows = order_rows::Entity::find().all(t.shop.db.reader()).await.unwrap();
    let numbers: std::collections::HashSet<_> = rows.iter().map(|row| row.number).collect();
    assert_eq!((rows.len(), numbers.len()), (5, 5));
    // Who came too late still has a cart, and reads why.
    let mut open = 0;
    for cart in &carts {
        let cart = get(&t.ctx(&t.ada.principal), cart.id).await.unwrap();
        if cart.status == CartStatus::Open {
            open += 1;
            assert_eq!((cart.lines[0].available, cart.lines[0].is_available), (Some(0), false));
            assert_eq!(cart.totals.problems[0].code, ErrorCode::OutOfStock);
        }
    }
    assert_eq!(open, 45);
}

/// What is somebody else's answers like what does not exist.
#[tokio::test]
async fn a_foreign_cart_looks_absent() {
    let t = TestShop::open().await;
    let cart = ready(&t, &t.ada, t.goods.blue_mug, 1).await;
    let bob = t.at(&t.bob.principal, cart.version);
    let absent = CartId::new(t.shop.world.ids.next("absent"));
    let words = |error: crate::Error, id: CartId| (error.code, error.detail.replace(&id.to_string(), "…"));
    let unknown = words(get(&bob, absent).await.unwrap_err(), absent);
    assert_eq!(unknown.0, ErrorCode::NotFound);
    assert_eq!(words(get(&bob, cart.id).await.unwrap_err(), cart.id), unknown);
    assert_eq!(words(calculate_totals(&bob, cart.id).await.unwrap_err(), cart.id), unknown);
    let item = AddItem { variant_id: t.goods.red_mug, quantity: 1 };
    assert_eq!(words(add_item(&bob, cart.id, item).await.unwrap_err(), cart.id), unknown);
    let placed = place_order(&bob, cart.id, PlaceOrder::default()).await;
    assert_eq!(words(placed.unwrap_err(), cart.id), unknown);
    // Her address book is hers, too.
    let own = cart_of(&t, &t.bob.principal, t.goods.blue_mug, 1).await;
    let hers = SetAddress { address_id: Some(t.ada.address), address: None };
    let refused = set_shipping_address(&t.ctx(&t.bob.principal), own.id, hers).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::NotFound);
    assert_eq!(get(&t.ctx(&t.agent), cart.id).await.unwrap(), cart);
}

/// A guest has no account: staff keep the cart, and shoppers do not see it.
#[tokio::test]
async fn a_guest_cart_is_staffs_and_needs_an_email_address() {
    let t = TestShop::open().await;
    let staff = t.ctx(&t.agent);
    let cart = cart_of(&t, &t.agent, t.goods.blue_mug, 1).await;
    assert_eq!(cart.customer_id, None);
    assert_eq!(get(&t.ctx(&t.ada.principal), cart.id).await.unwrap_err().code, ErrorCode::NotFound);
    let address = SetAddress { address_id: None, address: Some(hamburg("A guest")) };
    set_shipping_address(&staff, cart.id, address).await.unwrap();
    let express = SelectShipping { shipping_method_id: t.shipping.express };
    let cart = select_shipping_option(&staff, cart.id, express).await.unwrap().view;
    let nameless = place_order(&t.at(&t.agent, cart.version), cart.id, PlaceOrder::default()).await;
    assert_eq!(nameless.unwrap_err().fields[0].pointer, "/contact_email");
    let input = PlaceOrder { contact_email: Some("guest@example.com".into()), ..PlaceOrder::default() };
    let order = place_order(&t.at(&t.agent, cart.version), cart.id, input).await.unwrap().view;
    assert_eq!((order.customer_id, order.contact_email.as_str()), (None, "guest@example.com"));
}

/// The same key is the same call; without a key, or with an old version, nothing is placed.
#[tokio::test]
async fn placing_twice_with_one_key_places_once() {
    let t = TestShop::open().await;
    let cart = ready(&t, &t.ada, t.goods.blue_mug, 1).await;
    let ctx = |key: &str, version| t.ctx(&t.ada.principal).with_call(call(key, version));
    let place = async |ctx: Ctx| place_order(&ctx, cart.id, PlaceOrder::default()).await;
    let bare = place(ctx("k", None)).await.unwrap_err();
    assert_eq!(bare.rule.as_deref(), Some("if_match_required"));
    let stale = place(ctx("k", Some(cart.version - 1))).await.unwrap_err();
    assert_eq!(stale.code, ErrorCode::VersionConflict);

    let first = place(ctx("k", Some(cart.version))).await.unwrap();
    let again = place(ctx("k", Some(cart.version))).await.unwrap();
    assert_eq!((first.is_replay, again.is_replay), (false, true));
    assert_eq!(first.view, again.view);
    let mut other = call("k", Some(cart.version));
    other.key = Some(caller_key("k", "other content"));
    let conflict = place(t.ctx(&t.ada.principal).with_call(other)).await.unwrap_err();
    assert_eq!(conflict.code, ErrorCode::IdempotencyConflict);
    let new_key = place(ctx("k2", Some(cart.version + 1))).await.unwrap_err();
    assert_eq!(new_key.rule.as_deref(), Some("cart_not_open"));
    assert_eq!(order_rows::Entity::find().all(t.shop.db.reader()).await.unwrap().len(), 1);
    assert_eq!(level(&t, t.goods.blue_mug).await, (10, 1));
}

/// A cart that cannot be ordered any more can still be read, and says what to mend.
#[tokio::test]
async fn what_cannot_be_priced_is_left_out_and_said() {
    let t = TestShop::open().await;
    let ctx = t.ctx(&t.ada.principal);
    let cart = ready(&t, &t.ada, t.goods.blue_mug, 1).await;
    with_coupon(&ctx, cart.id, Some("ONCE10")).await.unwrap();
    let bobs = ready(&t, &t.bob, t.goods.blue_mug, 1).await;
    let bobs = with_coupon(&t.ctx(&t.bob.principal), bobs.id, Some("ONCE10")).await.unwrap();
    place_order(&t.at(&t.bob.principal, bobs.version), bobs.id, PlaceOrder::default()).await.unwrap();

    let late = get(&ctx, cart.id).await.unwrap();
    let codes: Vec<_> = late.totals.problems.iter().map(|problem| problem.code).collect();
    assert_eq!((codes, late.totals.discount_minor), (vec![ErrorCode::CouponInvalid], 0));
    let refused = place_order(&t.at(&t.ada.principal, late.version), cart.id, PlaceOrder::default()).await;
    assert_eq!(refused.unwrap_err().code, ErrorCode::CouponInvalid);
    let without = with_coupon(&ctx, cart.id, None).await.unwrap();
    assert_eq!((without.coupon, without.totals.problems), (None, vec![]));

    add_item(&ctx, cart.id, AddItem { variant_id: t.goods.red_mug, quantity: 1 }).await.unwrap();
    let tx = t.shop.db.begin().await.unwrap();
    let row = variants::Entity::find_by_id(t.goods.red_mug).one(&*tx).await.unwrap().unwrap();
    let mut row = row.into_active_model();
    row.is_sellable = Set(false);
    variants::Entity::update(row).exec(&*tx).await.unwrap();
    tx.commit().await.unwrap();
    let gone = get(&ctx, cart.id).await.unwrap();
    assert_eq!((gone.lines[1].is_available, gone.lines[1].total_minor), (false, 0));
    assert_eq!(gone.totals.total_minor, without.totals.total_minor);
    let removed = remove_item(&ctx, cart.id, gone.lines[1].id).await.unwrap().view;
    assert_eq!(removed.totals.problems, []);
}

/// Bad input names its field and changes nothing.
#[tokio::test]
async fn a_refused_change_changes_nothing() {
    let t = TestShop::open().await;
    let ctx = t.ctx(&t.ada.principal);
    let cart = ready(&t, &t.ada, t.goods.blue_mug, 1).await;
    let far = SetAddress { address_id: None, address: Some(oslo("Ada Byron")) };
    let far = set_shipping_address(&ctx, cart.id, far).await.unwrap_err();
    assert_eq!(far.code, ErrorCode::AddressUndeliverable);
    let neither = set_shipping_address(&ctx, cart.id, SetAddress::default()).await.unwrap_err();
    assert_eq!(neither.fields[0].pointer, "/address");
    let many = AddItem { variant_id: t.goods.blue_mug, quantity: 999 };
    let many = add_item(&ctx, cart.id, many).await.unwrap_err();
    assert_eq!(many.fields[0].pointer, "/quantity");
    let expired = with_coupon(&ctx, cart.id, Some("OLD10")).await.unwrap_err();
    assert_eq!(expired.code, ErrorCode::CouponInvalid);
    let bobs = ApplyGiftCard { code: Some(t.bob.gift_card_code.to_owned()) };
    assert_eq!(apply_gift_card(&ctx, cart.id, bobs).await.unwrap_err().code, ErrorCode::NotFound);
    let too_much = ApplyStoreCredit { amount_minor: 3_001 };
    let too_much = apply_store_credit(&ctx, cart.id, too_much).await.unwrap_err();
    assert_eq!(too_much.fields[0].pointer, "/amount_minor");
    assert_eq!(get(&ctx, cart.id).await.unwrap(), cart);

    let empty = create(&ctx, Create::default()).await.unwrap().view;
    let input = SetAddress { address_id: Some(t.ada.address), address: None };
    set_shipping_address(&ctx, empty.id, input).await.unwrap();
    let express = SelectShipping { shipping_method_id: t.shipping.express };
    let empty = select_shipping_option(&ctx, empty.id, express).await.unwrap().view;
    let nothing: Result<crate::Reply<orders::View>> =
        place_order(&t.at(&t.ada.principal, empty.version), empty.id, PlaceOrder::default()).await;
    assert_eq!(nothing.unwrap_err().rule.as_deref(), Some("cart_is_empty"));
}

/// Options are priced for this cart, and come in pages like every list.
#[tokio::test]
async fn shipping_options_are_those_of_the_address_and_the_basket() {
    let t = TestShop::open().await;
    let ctx = t.ctx(&t.ada.principal);
    let cart = cart_of(&t, &t.ada.principal, t.goods.desk_lamp, 1).await;
    let unknown = list_shipping_options(&ctx, cart.id, PageQuery::default()).await.unwrap_err();
    assert_eq!(unknown.rule.as_deref(), Some("cart_has_no_address"));
    let home = SetAddress { address_id: Some(t.ada.address), address: None };
    set_shipping_address(&ctx, cart.id, home).await.unwrap();
    // 1,500 g: one further kilogram by the standard method is begun, and none is full.
    let options = list_shipping_options(&ctx, cart.id, PageQuery::default()).await.unwrap();
    let prices: Vec<_> = options.items.iter().map(|rate| (rate.name.as_str(), rate.price_minor)).collect();
    assert_eq!(prices, [("Standard", 590), ("Express", 1_290)]);
    let first = PageQuery { limit: Some(1), cursor: None };
    let first = list_shipping_options(&ctx, cart.id, first).await.unwrap();
    let next = PageQuery { limit: Some(1), cursor: first.next_cursor };
    let second = list_shipping_options(&ctx, cart.id, next).await.unwrap();
    assert_eq!((second.items[0].name.as_str(), second.has_more), ("Express", false));
    // Two lamps cost more than 100 EUR: standard is free, and so cheapest still.
    let line = get(&ctx, cart.id).await.unwrap().lines[0].id;
    update_item(&ctx, cart.id, line, UpdateItem { quantity: 2 }).await.unwrap();
    let options = list_shipping_options(&ctx, cart.id, PageQuery::default()).await.unwrap();
    assert_eq!(options.items[0].price_minor, 0);
}

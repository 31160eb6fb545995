use chrono::TimeDelta;
use sea_orm::{EntityTrait, QueryOrder};
use shop_domain::code::ErrorCode;
use shop_domain::ids::{CartId, LocationId, ReservationId};
use shop_domain::inventory::AdjustmentReason;
use shop_domain::status::{ReservationStatus, TransferStatus};
use shop_store::entities::{inventory_adjustments, inventory_levels};

use super::*;
use crate::carts::{self, AddItem, ApplyCoupon, PlaceOrder, SelectShipping, SetAddress};
use crate::jobs::Next;
use crate::testing::{Person, TestShop};
use crate::{Ctx, PageQuery, pricing};

/// A cart of `person` that can be ordered, with blue mugs.
async fn mugs(t: &TestShop, person: &Person, quantity: i64) -> carts::View {
    let ctx = t.ctx(&person.principal);
    let id = carts::create(&ctx, carts::Create::default()).await.unwrap().view.id;
    let mugs = AddItem { variant_id: t.goods.blue_mug, quantity };
    carts::add_item(&ctx, id, mugs).await.unwrap();
    let home = SetAddress { address_id: Some(person.address), address: None };
    carts::set_shipping_address(&ctx, id, home).await.unwrap();
    let standard = SelectShipping { shipping_method_id: t.shipping.standard };
    carts::select_shipping_option(&ctx, id, standard).await.unwrap().view
}

fn hold_of(t: &TestShop, cart_id: CartId, quantity: i64) -> Create {
    Create { cart_id, variant_id: t.goods.blue_mug, quantity, expires_at: None }
}

async fn free(t: &TestShop, ctx: &Ctx) -> Option<i64> {
    availability(ctx, t.goods.blue_mug).await.unwrap().available
}

/// Ten mugs, eight of them held for Ada: Bob gets two, and Ada's order takes over what was held.
#[tokio::test]
async fn what_is_held_for_one_cart_nobody_else_can_buy() {
    let t = TestShop::open().await;
    let (ada, bob) = (t.ctx(&t.ada.principal), t.ctx(&t.bob.principal));
    let cart = mugs(&t, &t.ada, 7).await;
    let held = create(&ada, hold_of(&t, cart.id, 8)).await.unwrap().view;
    assert_eq!(held.expires_at, Some(ada.now() + TimeDelta::minutes(30)));
    assert_eq!(free(&t, &bob).await, Some(2));
    let too_many = create(&ada, hold_of(&t, cart.id, 3)).await.unwrap_err();
    assert_eq!(too_many.code, ErrorCode::OutOfStock);

    let bobs = mugs(&t, &t.bob, 3).await;
    assert_eq!((bobs.lines[0].available, bobs.lines[0].is_available), (Some(2), false));
    let bobs =
        carts::place_order(&t.at(&t.bob.principal, bobs.version), bobs.id, PlaceOrder::default()).await;
    assert_eq!(bobs.unwrap_err().code, ErrorCode::OutOfStock);
    assert_eq!(carts::get(&ada, cart.id).await.unwrap().lines[0].available, Some(10));

    let input = PlaceOrder::default();
    let order = carts::place_order(&t.at(&t.ada.principal, cart.version), cart.id, input).await.unwrap().view;
    // Seven of the eight are the order's now, and do not run out; the eighth went back.
    assert_eq!(free(&t, &bob).await, Some(3));
    let filter = Filter { holder: Some(order.id.to_string()), ..Filter::default() };
    let orders = list_reservations(&t.ctx(&t.agent), filter, PageQuery::default()).await.unwrap();
    let units: Vec<_> = orders.items.iter().map(|row| (row.quantity, row.status, row.expires_at)).collect();
    assert_eq!(units, [(7, ReservationStatus::Active, None)]);
    let let_go = release_reservation(&t.ctx(&t.admin), orders.items[0].id).await.unwrap_err();
    assert_eq!(let_go.code, ErrorCode::NotFound, "units of an order are let go by the order only");
}

/// A line that leaves the cart takes its hold along.
#[tokio::test]
async fn units_go_back_by_hand_and_with_their_line() {
    let t = TestShop::open().await;
    let ada = t.ctx(&t.ada.principal);
    let cart = mugs(&t, &t.ada, 4).await;
    let held = create(&ada, hold_of(&t, cart.id, 4)).await.unwrap().view;
    let foreign = release_reservation(&t.ctx(&t.bob.principal), held.id).await.unwrap_err();
    let absent = ReservationId::new(t.shop.world.ids.next("absent"));
    let unknown = release_reservation(&t.ctx(&t.bob.principal), absent).await.unwrap_err();
    assert_eq!((foreign.code, unknown.code), (ErrorCode::NotFound, ErrorCode::NotFound));
    let released = release_reservation(&ada, held.id).await.unwrap().view;
    assert_eq!((released.status, free(&t, &ada).await), (ReservationStatus::Released, Some(10)));
    let twice = release_reservation(&ada, held.id).await.unwrap_err();
    assert_eq!(twice.rule.as_deref(), Some("reservation_not_active"));

    create(&ada, hold_of(&t, cart.id, 4)).await.unwrap();
    let fewer = carts::UpdateItem { quantity: 1 };
    carts::update_item(&ada, cart.id, cart.lines[0].id, fewer).await.unwrap();
    assert_eq!(free(&t, &ada).await, Some(9));
    carts::remove_item(&ada, cart.id, cart.lines[0].id).await.unwrap();
    assert_eq!(free(&t, &ada).await, Some(10));
}

/// Two holds of one cart, of a quarter and half an hour: each ends at its own time.
#[tokio::test]
async fn a_hold_ends_when_its_time_is_up() {
    let t = TestShop::open().await;
    let ada = t.ctx(&t.ada.principal);
    let cart = mugs(&t, &t.ada, 2).await;
    let start = ada.now();
    let late = create(&ada, hold_of(&t, cart.id, 1)).await.unwrap().view;
    let soon = start + TimeDelta::minutes(15);
    let early = Create { expires_at: Some(soon), ..hold_of(&t, cart.id, 2) };
    let early = create(&ada, early).await.unwrap().view;
    let past = Create { expires_at: Some(start), ..hold_of(&t, cart.id, 1) };
    assert_eq!(create(&ada, past).await.unwrap_err().fields[0].pointer, "/expires_at");

    let holder = cart.id.to_string();
    assert_eq!(crate::jobs::next_due(&t.shop).await.unwrap(), Some(soon));
    assert_eq!(expire(&t.shop, &holder).await.unwrap(), Next::Again(soon), "not a moment too early");
    assert_eq!(free(&t, &ada).await, Some(7));
    t.shop.world.clock.set(soon);
    assert_eq!(expire(&t.shop, &holder).await.unwrap(), Next::Again(start + TimeDelta::minutes(30)));
    assert_eq!(free(&t, &ada).await, Some(9));
    t.shop.world.clock.advance(TimeDelta::minutes(15));
    assert_eq!(expire(&t.shop, &holder).await.unwrap(), Next::Done);
    assert_eq!(free(&t, &ada).await, Some(10));
    let page = list_reservations(&t.ctx(&t.lead), Filter::default(), PageQuery::default()).await.unwrap();
    let ends: Vec<_> = page.items.iter().map(|row| (row.id, row.status)).collect();
    assert_eq!(ends, [(early.id, ReservationStatus::Expired), (late.id, ReservationStatus::Expired)]);
}

/// A coupon with one use, held for Ada: Bob cannot have it, Ada's own order spends it.
#[tokio::test]
async fn a_held_use_of_a_coupon_is_its_holders() {
    let t = TestShop::open().await;
    let (ada, bob) = (t.ctx(&t.ada.principal), t.ctx(&t.bob.principal));
    let cart = mugs(&t, &t.ada, 1).await;
    let once = || ApplyCoupon { code: Some("ONCE10".into()) };
    let cart = carts::apply_coupon(&ada, cart.id, once()).await.unwrap().view;
    let wish = Hold {
        holder: cart.id.to_string(),
        lines: vec![(t.goods.blue_mug, 1)],
        coupon_id: Some(t.coupons.once10),
        expires_at: Some(ada.now() + TimeDelta::minutes(30)),
    };
    hold(&ada, wish.clone()).await.unwrap();
    hold(&ada, wish.clone()).await.unwrap();
    assert_eq!(free(&t, &bob).await, Some(9), "a repeated hold holds once");
    let check = pricing::validate_coupon(&bob, "ONCE10", Default::default()).await.unwrap();
    assert_eq!((check.is_usable, check.uses_left), (false, Some(0)));
    let bobs = mugs(&t, &t.bob, 1).await;
    let bobs = carts::apply_coupon(&bob, bobs.id, once()).await.unwrap_err();
    assert_eq!(bobs.code, ErrorCode::CouponInvalid);

    release_holder(&ada, &wish.holder).await.unwrap();
    assert!(pricing::validate_coupon(&bob, "ONCE10", Default::default()).await.unwrap().is_usable);
    hold(&ada, wish).await.unwrap();
    assert_eq!(carts::get(&ada, cart.id).await.unwrap().totals.discount_minor, 199);
    let placing = t.at(&t.ada.principal, cart.version);
    let order = carts::place_order(&placing, cart.id, PlaceOrder::default());
    assert_eq!(order.await.unwrap().view.coupon_id, Some(t.coupons.once10));
    // Nothing is left to expire: the use is spent, and the unit is the order's.
    t.shop.world.clock.advance(TimeDelta::hours(1));
    assert_eq!(expire(&t.shop, &cart.id.to_string()).await.unwrap(), Next::Done);
    assert!(!pricing::validate_coupon(&bob, "ONCE10", Default::default()).await.unwrap().is_usable);
    assert_eq!(free(&t, &bob).await, Some(9));
}

/// Stock is counted for staff; a shopper asks for one variant.
#[tokio::test]
async fn levels_are_for_staff_and_come_in_pages() {
    let t = TestShop::open().await;
    let shopper = t.ctx(&t.ada.principal);
    let refused = list_levels(&shopper, LevelFilter::default(), PageQuery::default()).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Forbidden);
    // 2026-01-15 is a Thursday.
    let mug = availability(&shopper, t.goods.blue_mug).await.unwrap();
    assert_eq!(mug.ships_on.map(|day| day.to_string()).as_deref(), Some("2026-01-16"));
    t.shop.world.clock.advance(TimeDelta::days(1));
    let mug = availability(&shopper, t.goods.blue_mug).await.unwrap();
    assert_eq!(mug.ships_on.map(|day| day.to_string()).as_deref(), Some("2026-01-19"));

    let (mut seen, mut cursor) = (Vec::new(), None);
    loop {
        let page = PageQuery { limit: Some(2), cursor };
        let page = list_levels(&t.ctx(&t.agent), LevelFilter::default(), page).await.unwrap();
        seen.extend(page.items.into_iter().map(|level| (level.sku, level.available)));
        cursor = page.next_cursor;
        if !page.has_more {
            break;
        }
    }
    seen.sort();
    let all = [("LAMP", 5), ("MUG-BLUE", 10), ("MUG-RED", 10), ("SHIRT-L", 10), ("SHIRT-S", 10)];
    assert_eq!(seen, all.map(|(sku, units)| (sku.to_owned(), units)));
    let low = LevelFilter { max_available: Some(5), ..LevelFilter::default() };
    let low = list_levels(&t.ctx(&t.agent), low, PageQuery::default()).await.unwrap();
    assert_eq!(low.items.iter().map(|level| level.sku.as_str()).collect::<Vec<_>>(), ["LAMP"]);
    let odd = PageQuery { limit: None, cursor: Some("nonsense".into()) };
    let odd = list_levels(&t.ctx(&t.agent), LevelFilter::default(), odd).await.unwrap_err();
    assert_eq!(odd.fields[0].pointer, "/cursor");
}

/// On hand, reserved and version of the blue mugs at a location.
async fn count(t: &TestShop, at: LocationId) -> Option<(i64, i64, i64)> {
    let row = inventory_levels::Entity::find_by_id((t.goods.blue_mug, at)).one(t.shop.db.reader()).await;
    row.unwrap().map(|row| (row.on_hand, row.reserved, row.version))
}

/// A count says how many units there are, and never fewer than are held; every change is written down.
#[tokio::test]
async fn a_count_never_goes_below_what_is_reserved() {
    let t = TestShop::open().await;
    let (mug, at, staff) = (t.goods.blue_mug, t.location, t.manager());
    let cart = mugs(&t, &t.ada, 4).await;
    create(&t.ctx(&t.ada.principal), hold_of(&t, cart.id, 4)).await.unwrap();
    assert_eq!(count(&t, at).await, Some((10, 4, 1)), "a hold leaves the count as it is");

    let counted = |on_hand| SetLevel { on_hand, note: Some("week 3".into()) };
    let level = set_level(&t.at(&staff, 1), mug, at, counted(4)).await.unwrap().view;
    assert_eq!((level.on_hand, level.reserved, level.available, level.version), (4, 4, 0, 2));
    let stale = set_level(&t.at(&staff, 1), mug, at, counted(9)).await.unwrap_err();
    assert_eq!(stale.code, ErrorCode::VersionConflict);
    let fewer = set_level(&t.ctx(&staff), mug, at, counted(3)).await.unwrap_err();
    assert_eq!(fewer.rule.as_deref(), Some("stock_is_reserved"));
    let change = |delta, reason| Adjust { variant_id: mug, location_id: at, delta, reason, note: None };
    let broken = adjust(&t.ctx(&staff), change(-1, AdjustmentReason::Damage)).await.unwrap_err();
    assert_eq!(broken.rule.as_deref(), Some("stock_is_reserved"));
    let found = adjust(&t.ctx(&staff), change(3, AdjustmentReason::Found)).await.unwrap().view;
    assert_eq!((found.delta, found.on_hand), (3, 7));
    for (delta, reason) in
        [(1, AdjustmentReason::Damage), (-1, AdjustmentReason::Found), (1, AdjustmentReason::StockTake)]
    {
        let odd = adjust(&t.ctx(&staff), change(delta, reason)).await.unwrap_err();
        assert_eq!(odd.fields[0].pointer, "/delta");
    }
    for absurd in [-1, i64::MIN, i64::MAX] {
        let absurd = set_level(&t.ctx(&staff), mug, at, counted(absurd)).await.unwrap_err();
        assert_eq!(absurd.fields[0].pointer, "/on_hand");
    }
    assert_eq!(count(&t, at).await, Some((7, 4, 3)));
    let book = inventory_adjustments::Entity::find().order_by_asc(inventory_adjustments::Column::Id);
    let book = book.all(t.shop.db.reader()).await.unwrap();
    let book: Vec<_> = book.iter().map(|row| (row.delta, row.on_hand, row.reason)).collect();
    assert_eq!(book, [(-6, 4, AdjustmentReason::StockTake), (3, 7, AdjustmentReason::Found)]);
    let shopper = set_level(&t.ctx(&t.ada.principal), mug, at, counted(9)).await.unwrap_err();
    assert_eq!(shopper.code, ErrorCode::Forbidden);
}

/// Units leave one shelf at once, and are on the other when they are booked in: never more than were sent.
#[tokio::test]
async fn a_transfer_is_booked_in_bit_by_bit() {
    let t = TestShop::open().await;
    let (vienna, admin) = (t.branch().await, t.ctx(&t.admin));
    let units = |quantity| VariantUnits { variant_id: t.goods.blue_mug, quantity };
    let send = |quantity| CreateTransfer {
        from_location_id: t.location,
        to_location_id: vienna.location,
        lines: vec![units(quantity)],
        note: None,
    };
    let too_many = create_transfer(&admin, send(11)).await.unwrap_err();
    assert_eq!((too_many.code, count(&t, t.location).await), (ErrorCode::OutOfStock, Some((10, 0, 1))));
    let sent = create_transfer(&admin, send(6)).await.unwrap().view;
    assert_eq!((count(&t, t.location).await, count(&t, vienna.location).await), (Some((4, 0, 2)), None));
    assert_eq!(free(&t, &admin).await, Some(4), "what is on its way cannot be sold");

    let book = async |quantity, is_final, version| {
        let input = ReceiveTransfer { lines: Some(vec![units(quantity)]), is_final };
        receive_transfer(&t.at(&vienna.manager, version), sent.id, input).await
    };
    let part = book(2, false, 1).await.unwrap().view;
    assert_eq!(
        (part.status, part.lines[0].received, part.lines[0].expected),
        (TransferStatus::PartiallyReceived, 2, 4)
    );
    assert_eq!(book(1, false, 1).await.unwrap_err().code, ErrorCode::VersionConflict);
    assert_eq!(book(5, false, 2).await.unwrap_err().fields[0].pointer, "/lines/0/quantity");
    let done = book(3, true, 2).await.unwrap().view;
    assert_eq!(
        (done.status, done.lines[0].received, done.lines[0].expected),
        (TransferStatus::Received, 5, 0)
    );
    assert_eq!(count(&t, vienna.location).await, Some((5, 0, 2)));
    assert_eq!(book(1, false, 3).await.unwrap_err().rule.as_deref(), Some("transfer_closed"));

    let second = create_transfer(&admin, send(4)).await.unwrap().view;
    let all = receive_transfer(&admin, second.id, ReceiveTransfer::default()).await.unwrap().view;
    assert_eq!((all.status, count(&t, vienna.location).await), (TransferStatus::Received, Some((9, 0, 3))));
}

/// A location of another store looks absent; one of another brand never holds this brand's goods.
#[tokio::test]
async fn stock_stays_within_its_brand_and_scope() {
    let t = TestShop::open().await;
    let (vienna, meadow) = (t.branch().await, t.other_brand().await);
    let one = |at| Adjust {
        variant_id: t.goods.blue_mug,
        location_id: at,
        delta: 1,
        reason: AdjustmentReason::Found,
        note: None,
    };
    let hidden = adjust(&t.ctx(&t.manager()), one(vienna.location)).await.unwrap_err();
    assert_eq!(hidden.code, ErrorCode::NotFound);
    let foreign = adjust(&t.ctx(&t.admin), one(meadow.location)).await.unwrap_err();
    assert_eq!(foreign.rule.as_deref(), Some("location_of_another_brand"));
    let send = |from, to| CreateTransfer {
        from_location_id: from,
        to_location_id: to,
        lines: vec![VariantUnits { variant_id: t.goods.blue_mug, quantity: 1 }],
        note: None,
    };
    let hidden = create_transfer(&t.ctx(&t.manager()), send(t.location, vienna.location)).await.unwrap_err();
    assert_eq!(hidden.code, ErrorCode::NotFound);
    let sent = create_transfer(&t.ctx(&t.admin), send(t.location, vienna.location)).await.unwrap().view;
    let unseen =
        receive_transfer(&t.ctx(&t.manager()), sent.id, ReceiveTransfer::default()).await.unwrap_err();
    assert_eq!(unseen.code, ErrorCode::NotFound);
    let same = create_transfer(&t.ctx(&t.admin), send(t.location, t.location)).await.unwrap_err();
    assert_eq!(same.fields[0].pointer, "/to_location_id");
}

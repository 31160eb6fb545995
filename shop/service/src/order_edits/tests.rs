use sea_orm::{ActiveModelTrait, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder, Set};
use shop_domain::ids::{OrderId, VariantId};
use shop_domain::policy::Policy;
use shop_domain::reasons::{CancelReason, RefundReason};
use shop_domain::status::{
    OrderEditStatus, OrderPaymentStatus, OrderStatus, PaymentState, ReservationStatus,
};
use shop_store::entities::{inventory_levels, ledger_entries, order_edits, reservations, stores};

use super::*;
use crate::error::{Error, Result};
use crate::refunds::{self, PriceAdjustment};
use crate::testing::{TestShop, hamburg};
use crate::{LineUnits, fulfillments, ledger, orders};

/// Ada begins to edit an order of hers.
async fn open(t: &TestShop, order: OrderId) -> Result<View> {
    Ok(begin(&t.ctx(&t.ada.principal), order).await?.view)
}

async fn set(t: &TestShop, edit: &View, line: usize, quantity: i64) -> Result<View> {
    let ctx = t.at(&t.ada.principal, edit.version);
    Ok(change_quantity(&ctx, edit.id, edit.lines[line].line_id, ChangeQuantity { quantity }).await?.view)
}

async fn swap(t: &TestShop, edit: &View, line: usize, variant_id: VariantId) -> Result<View> {
    let replaces_line_id = Some(edit.lines[line].line_id);
    let ctx = t.at(&t.ada.principal, edit.version);
    Ok(add_item(&ctx, edit.id, AddItem { variant_id, quantity: None, replaces_line_id }).await?.view)
}

async fn add(t: &TestShop, edit: &View, variant_id: VariantId, quantity: i64) -> Result<View> {
    let input = AddItem { variant_id, quantity: Some(quantity), replaces_line_id: None };
    Ok(add_item(&t.at(&t.ada.principal, edit.version), edit.id, input).await?.view)
}

async fn done(t: &TestShop, edit: &View) -> Result<View> {
    Ok(commit(&t.at(&t.ada.principal, edit.version), edit.id, Commit::default()).await?.view)
}

fn rule(error: &Error) -> &str {
    error.rule.as_deref().unwrap_or(error.code.as_str())
}

/// Units of a variant that somebody holds, by the shelf and by the holds.
async fn held(t: &TestShop, variant: VariantId) -> i64 {
    let levels = inventory_levels::Entity::find().all(t.shop.db.reader()).await.unwrap();
    let shelf: i64 =
        levels.iter().filter(|level| level.variant_id == variant).map(|level| level.reserved).sum();
    let holds = reservations::Entity::find()
        .filter(reservations::Column::VariantId.eq(variant))
        .filter(reservations::Column::Status.eq(ReservationStatus::Active))
        .all(t.shop.db.reader())
        .await
        .unwrap();
    assert_eq!(holds.iter().map(|hold| hold.quantity).sum::<i64>(), shelf);
    shelf
}

async fn owed(t: &TestShop, order: OrderId) -> i64 {
    let all = ledger_entries::Entity::find().all(t.shop.db.reader()).await.unwrap();
    assert_eq!(all.iter().map(|entry| entry.amount_minor).sum::<i64>(), 0);
    ledger::receivable(t.shop.db.reader(), order).await.unwrap()
}

#[tokio::test]
async fn nothing_changes_before_the_commit_and_everything_with_it() {
    let t = TestShop::open().await;
    let goods = &t.goods;
    let before = t.paid(&[(goods.blue_mug, 2), (goods.small_shirt, 1), (goods.desk_lamp, 1)]).await;
    let edit = open(&t, before.id).await.unwrap();
    assert_eq!((edit.total_minor, edit.difference_minor), (before.total_minor, 0));
    let edit = set(&t, &edit, 0, 1).await.unwrap();
    let edit = swap(&t, &edit, 1, goods.large_shirt).await.unwrap();
    let edit = set(&t, &edit, 2, 0).await.unwrap();
    // 19.90 + 27.00 and 4.90 for shipping, which was free above 100 EUR; 19 % on each.
    assert_eq!(edit.total_minor, (1_990 + 378) + (2_700 + 513) + (490 + 93));
    assert_eq!(edit.difference_minor, edit.total_minor - before.total_minor);
    assert_eq!(get(&t.ctx(&t.lead), edit.id).await.unwrap(), edit);
    assert_eq!(t.order(before.id).await, before);
    assert_eq!((held(&t, goods.blue_mug).await, held(&t, goods.large_shirt).await), (2, 0));
    assert_eq!(owed(&t, before.id).await, 0);

    let wrong = Commit { agreed_difference_minor: Some(1), ..Commit::default() };
    let wrong = commit(&t.at(&t.ada.principal, edit.version), edit.id, wrong).await.unwrap_err();
    assert_eq!(wrong.code.as_str(), "price_changed");
    let closed = done(&t, &edit).await.unwrap();
    assert_eq!((closed.status, closed.difference_minor), (OrderEditStatus::Committed, edit.difference_minor));
    let after = t.order(before.id).await;
    assert_eq!((after.total_minor, after.version), (edit.total_minor, closed.order_version));
    let lines: Vec<_> = after.lines.iter().map(|line| (line.variant_id, line.quantity)).collect();
    assert_eq!(lines, [(goods.blue_mug, 1), (goods.large_shirt, 1)]);
    let sum: i64 = after.lines.iter().map(|line| line.total_minor).sum();
    assert_eq!(sum + 583, after.total_minor);
    for (variant, units) in
        [(goods.blue_mug, 1), (goods.small_shirt, 0), (goods.large_shirt, 1), (goods.desk_lamp, 0)]
    {
        assert_eq!(held(&t, variant).await, units, "{variant}");
    }
    assert_eq!(owed(&t, before.id).await, edit.difference_minor);
    // The edit tells for good what the order was.
    let told = get(&t.ctx(&t.lead), edit.id).await.unwrap();
    assert_eq!((told.lines.clone(), told.before_minor), (edit.lines.clone(), before.total_minor));
    let again = done(&t, &told).await.unwrap_err();
    assert_eq!(rule(&again), "order_edit_closed");
}

#[tokio::test]
async fn what_it_costs_less_goes_back_and_what_it_costs_more_is_due() {
    let t = TestShop::open().await;
    let order = t.paid(&[(t.goods.large_shirt, 2)]).await;
    let edit = open(&t, order.id).await.unwrap();
    let edit = set(&t, &edit, 0, 1).await.unwrap();
    let cheaper = done(&t, &edit).await.unwrap();
    assert_eq!(cheaper.difference_minor, -(2_700 + 513));
    let back = |amount_minor| PriceAdjustment {
        reason: RefundReason::OrderEdit,
        amount_minor: Some(amount_minor),
        line_id: None,
        coupon_code: None,
        payment_id: None,
        destination: None,
        gift_card_id: None,
        approval_id: None,
    };
    let ctx = t.at(&t.lead, cheaper.order_version);
    let much = refunds::price_adjustment(&ctx, order.id, back(3_214)).await.unwrap_err();
    assert_eq!(much.fields[0].pointer, "/amount_minor");
    let ctx = t.at(&t.lead, cheaper.order_version);
    refunds::price_adjustment(&ctx, order.id, back(3_213)).await.unwrap();
    let settled = t.order(order.id).await;
    assert_eq!((settled.payment_status, owed(&t, order.id).await), (OrderPaymentStatus::Paid, 0));

    let edit = open(&t, order.id).await.unwrap();
    let edit = add(&t, &edit, t.goods.desk_lamp, 1).await.unwrap();
    let dearer = done(&t, &edit).await.unwrap();
    let order = t.order(order.id).await;
    assert_eq!(order.payment_status, OrderPaymentStatus::PartiallyRefunded);
    assert_eq!(owed(&t, order.id).await, dearer.difference_minor);
    assert_eq!(t.pay(&order, t.ada.card).await.captured_minor, dearer.difference_minor);
    let order = t.order(order.id).await;
    assert_eq!((order.payment_status, order.status), (OrderPaymentStatus::Paid, OrderStatus::Confirmed));
    assert_eq!(owed(&t, order.id).await, 0);
    let truth = t.gateway.truth().unwrap();
    let kept: i64 = truth.charges.iter().map(|charge| charge.captured_minor - charge.refunded_minor).sum();
    assert_eq!(kept, order.total_minor);
}

#[tokio::test]
async fn a_replacement_keeps_place_and_discount_and_is_of_the_same_product() {
    let t = TestShop::open().await;
    let ctx = t.ctx(&t.ada.principal);
    let tx = ctx.begin().await.unwrap();
    let basket = orders::Basket {
        store_id: t.store,
        customer_id: Some(t.ada.customer),
        lines: vec![(t.goods.small_shirt, 2), (t.goods.blue_mug, 1)],
        address: hamburg("Ada Byron"),
        shipping_method_id: t.shipping.standard,
        coupon_id: Some(t.coupons.save10),
        cart_id: None,
        contact_email: "ada@example.com".into(),
        holder: None,
        agreed_total_minor: None,
    };
    let order = orders::place(&*tx, &ctx, basket).await.unwrap();
    tx.commit().await.unwrap();
    let edit = open(&t, order.id).await.unwrap();
    let other = swap(&t, &edit, 0, t.goods.red_mug).await.unwrap_err();
    assert_eq!(other.fields[0].pointer, "/variant_id");
    let same = swap(&t, &edit, 0, t.goods.small_shirt).await.unwrap_err();
    assert_eq!(same.fields[0].pointer, "/variant_id");
    let edit = swap(&t, &edit, 0, t.goods.large_shirt).await.unwrap();
    let twice = swap(&t, &edit, 0, t.goods.large_shirt).await.unwrap_err();
    assert_eq!(twice.fields[0].pointer, "/replaces_line_id");
    // 10 % of what was there is taken off what has its place; another new line has today's price.
    assert_eq!((edit.lines[2].quantity, edit.lines[2].discount_minor), (2, 500));
    let edit = add(&t, &edit, t.goods.red_mug, 1).await.unwrap();
    assert_eq!(edit.lines[3].discount_minor, 0);
    done(&t, &edit).await.unwrap();
    let lines = t.order(order.id).await.lines;
    let lines: Vec<_> = lines.iter().map(|line| (line.variant_id, line.discount_minor)).collect();
    let goods = &t.goods;
    assert_eq!(lines, [(goods.large_shirt, 500), (goods.blue_mug, 199), (goods.red_mug, 0)]);
}

#[tokio::test]
async fn one_edit_at_a_time_and_a_discarded_one_leaves_no_trace_on_the_order() {
    let t = TestShop::open().await;
    let order = t.placed(&[(t.goods.blue_mug, 2)]).await;
    assert_eq!(begin(&t.ctx(&t.bob.principal), order.id).await.unwrap_err().code.as_str(), "not_found");
    let edit = open(&t, order.id).await.unwrap();
    assert_eq!(rule(&open(&t, order.id).await.unwrap_err()), "order_edit_open");
    assert_eq!(get(&t.ctx(&t.bob.principal), edit.id).await.unwrap_err().code.as_str(), "not_found");
    assert_eq!(rule(&done(&t, &edit).await.unwrap_err()), "nothing_staged");
    let empty = set(&t, &edit, 0, 0).await.unwrap();
    assert_eq!(rule(&done(&t, &empty).await.unwrap_err()), "nothing_left");
    let stale = set(&t, &edit, 0, 1).await.unwrap_err();
    assert_eq!(stale.code.as_str(), "version_conflict");
    let many = add(&t, &empty, t.goods.red_mug, 11).await.unwrap();
    assert_eq!(done(&t, &many).await.unwrap_err().code.as_str(), "out_of_stock");
    assert_eq!((held(&t, t.goods.blue_mug).await, held(&t, t.goods.red_mug).await), (2, 0));
    let gone = discard(&t.ctx(&t.ada.principal), edit.id).await.unwrap().view;
    assert_eq!(gone.status, OrderEditStatus::Discarded);
    assert_eq!(t.order(order.id).await, order);
    assert_eq!(rule(&set(&t, &gone, 0, 1).await.unwrap_err()), "order_edit_closed");
    open(&t, order.id).await.unwrap();
    let rows = order_edits::Entity::find().order_by_asc(order_edits::Column::Id);
    let rows = rows.all(t.shop.db.reader()).await.unwrap();
    let statuses: Vec<_> = rows.iter().map(|row| row.status).collect();
    assert_eq!(statuses, [OrderEditStatus::Discarded, OrderEditStatus::Open]);
}

#[tokio::test]
async fn what_has_shipped_or_went_back_stays_in_the_order() {
    let t = TestShop::open().await;
    let order = t.paid(&[(t.goods.blue_mug, 3), (t.goods.small_shirt, 2)]).await;
    let one = vec![LineUnits { line_id: order.lines[0].id, quantity: 1 }];
    let packed = fulfillments::Create { lines: Some(one), ..Default::default() };
    let parcel = fulfillments::create(&t.at(&t.lead, order.version), order.id, packed).await.unwrap().view;
    fulfillments::ship(&t.at(&t.lead, parcel.version), parcel.id, Default::default()).await.unwrap();
    let edit = open(&t, order.id).await.unwrap();
    assert_eq!(rule(&set(&t, &edit, 0, 0).await.unwrap_err()), "line_has_shipped");
    let swapped = swap(&t, &edit, 0, t.goods.red_mug).await.unwrap_err();
    assert_eq!(rule(&swapped), "line_has_shipped");
    let edit = set(&t, &edit, 0, 1).await.unwrap();

    // Units that are taken out meanwhile make the edit a matter of the past.
    let one = vec![LineUnits { line_id: order.lines[1].id, quantity: 1 }];
    let input = refunds::Unshipped { lines: Some(one), ..Default::default() };
    let order = t.order(order.id).await;
    refunds::unshipped(&t.at(&t.lead, order.version), order.id, input).await.unwrap();
    assert_eq!(rule(&set(&t, &edit, 1, 1).await.unwrap_err()), "line_partly_refunded");
    done(&t, &edit).await.unwrap();
    let order = t.order(order.id).await;
    let units: Vec<_> = order.lines.iter().map(|line| (line.quantity, line.cancelled_quantity)).collect();
    assert_eq!(units, [(1, 0), (2, 1)]);
    assert_eq!((held(&t, t.goods.blue_mug).await, held(&t, t.goods.small_shirt).await), (0, 1));
    // Two mugs are owed back, less the shipping that was free above 100 EUR.
    assert_eq!(owed(&t, order.id).await, -2 * (1_990 + 378) + (490 + 93));
}

#[tokio::test]
async fn an_edit_of_other_lines_than_those_there_are_is_refused_and_the_policy_may_allow_one() {
    let t = TestShop::open().await;
    let order = t.placed(&[(t.goods.blue_mug, 2)]).await;
    let edit = open(&t, order.id).await.unwrap();
    let edit = set(&t, &edit, 0, 1).await.unwrap();
    let row = order_edits::Entity::find_by_id(edit.id).one(t.shop.db.reader()).await.unwrap().unwrap();
    let mut lines = row.lines.clone();
    lines.0[0].before = 3;
    let mut row = row.into_active_model();
    row.lines = Set(lines);
    row.update(t.shop.db.reader()).await.unwrap();
    assert_eq!(rule(&done(&t, &edit).await.unwrap_err()), "order_edit_stale");
    discard(&t.ctx(&t.ada.principal), edit.id).await.unwrap();

    let store = stores::ActiveModel {
        id: Set(t.store),
        policy: Set(Policy { edit_once: true, ..Policy::default() }),
        ..Default::default()
    };
    store.update(t.shop.db.reader()).await.unwrap();
    let edit = open(&t, order.id).await.unwrap();
    let edit = set(&t, &edit, 0, 1).await.unwrap();
    done(&t, &edit).await.unwrap();
    assert_eq!(rule(&open(&t, order.id).await.unwrap_err()), "order_was_edited");
    let order = t.order(order.id).await;
    let cancel = orders::Cancel { reason: CancelReason::TooSlow, approval_id: None };
    let cancel = orders::cancel(&t.at(&t.ada.principal, order.version), order.id, cancel).await.unwrap_err();
    assert_eq!(rule(&cancel), "order_was_edited");
    // Where it goes and who pays can still be changed.
    let address = hamburg("Ada Lovelace");
    let to = orders::ChangeAddress { address, shipping_method_id: None, approval_id: None };
    orders::change_address(&t.ctx(&t.ada.principal), order.id, to).await.unwrap();
    assert_eq!(t.pay(&t.order(order.id).await, t.ada.paypal).await.status, PaymentState::Captured);
}

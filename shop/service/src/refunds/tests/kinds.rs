use shop_domain::reasons::{CancelReason, RefundReason};
use shop_domain::status::{OrderPaymentStatus, OrderStatus, RefundStatus};
use shop_store::entities::{inventory_levels, stores, variants};

use super::*;
use crate::testing::hamburg;

/// 19.90 with 19 % tax on it.
const MUG: i64 = 2_368;
const SHIPPING: i64 = 583;

async fn reserved_mugs(t: &TestShop) -> i64 {
    let key = (t.goods.blue_mug, t.location);
    let level = inventory_levels::Entity::find_by_id(key).one(t.shop.db.reader()).await.unwrap().unwrap();
    level.reserved
}

#[tokio::test]
async fn unshipped_units_are_paid_back_cancelled_and_free_again() {
    let t = TestShop::open().await;
    let bought = t.paid(&[(t.goods.blue_mug, 2), (t.goods.small_shirt, 1)]).await;
    let first = refund(&t, &bought, units(&bought.lines[0], 1)).await.unwrap();
    assert_eq!((first.total_minor, first.refunds[0].status), (MUG, RefundStatus::Succeeded));
    let after = t.order(bought.id).await;
    assert_eq!((after.lines[0].cancelled_quantity, after.lines[0].refunded_quantity), (1, 1));
    assert_eq!(
        (after.status, after.payment_status),
        (OrderStatus::Confirmed, OrderPaymentStatus::PartiallyRefunded)
    );
    assert_eq!((reserved_mugs(&t).await, given_back(&t)), (1, MUG));
    assert_eq!(balance(&t, Account::Receivable, Some(bought.id)).await, 0);

    // With the rest goes the shipping, and the order is over.
    let rest = refund(&t, &after, Unshipped::default()).await.unwrap();
    assert_eq!(rest.total_minor, bought.total_minor - MUG);
    assert_eq!(rest.refunds[0].shipping_minor, SHIPPING);
    let after = t.order(bought.id).await;
    assert_eq!((after.status, after.payment_status), (OrderStatus::Cancelled, OrderPaymentStatus::Refunded));
    assert_eq!((reserved_mugs(&t).await, given_back(&t)), (0, bought.total_minor));
    for account in [Account::Revenue, Account::TaxPayable, Account::ShippingRevenue, Account::Receivable] {
        assert_eq!(balance(&t, account, Some(bought.id)).await, 0, "{account}");
    }
    must_reconcile(&t).await;
    let more = refund(&t, &after, Unshipped::default()).await.unwrap_err();
    assert_eq!(rule(&more), "already_refunded");
}

#[tokio::test]
async fn a_cancelled_order_keeps_the_money_until_it_is_refunded() {
    let t = TestShop::open().await;
    let bought = t.paid(&[(t.goods.blue_mug, 1)]).await;
    let cancel = || orders::Cancel { reason: CancelReason::NoLongerNeeded, approval_id: None };
    let ctx = t.at(&t.ada.principal, bought.version);
    let cancelled = orders::cancel(&ctx, bought.id, cancel()).await.unwrap().view;
    assert_eq!(cancelled.status, OrderStatus::Cancelled);
    assert_eq!(given_back(&t), 0);
    assert_eq!(balance(&t, Account::Receivable, Some(bought.id)).await, -bought.total_minor);
    let again = orders::cancel(&t.at(&t.ada.principal, 1), bought.id, cancel()).await.unwrap();
    assert!(again.is_replay && again.view.version == cancelled.version);

    let back = refund(&t, &cancelled, Unshipped::default()).await.unwrap();
    assert_eq!((back.total_minor, given_back(&t)), (bought.total_minor, bought.total_minor));
    assert_eq!(balance(&t, Account::Receivable, Some(bought.id)).await, 0);
    must_reconcile(&t).await;
}

#[tokio::test]
async fn what_has_shipped_goes_back_only_with_a_reason_or_a_second_person() {
    let t = TestShop::open().await;
    let (bought, parcel) = t.shipped(&[(t.goods.blue_mug, 2)]).await;
    let shipped = t.order(bought.id).await;
    let late = refund(&t, &shipped, Unshipped::default()).await.unwrap_err();
    assert_eq!(rule(&late), "order_has_shipped");
    let keep = |quantity| WithoutReturn {
        lines: Some(vec![LineUnits { line_id: bought.lines[0].id, quantity }]),
        reason: RefundReason::Lost,
        destination: None,
        gift_card_id: None,
        approval_id: None,
    };
    let early = without_return(&t.at(&t.lead, shipped.version), bought.id, keep(1)).await.unwrap_err();
    assert_eq!(rule(&early), "no_delivery_exception");

    lose(&t, parcel).await;
    let lost = t.order(bought.id).await;
    let back = without_return(&t.at(&t.lead, lost.version), bought.id, keep(1)).await.unwrap().view;
    assert_eq!((back.total_minor, given_back(&t)), (MUG, MUG));
    // Revenue and tax are taken back by what went back, and nobody owes anything.
    assert_eq!(balance(&t, Account::Revenue, Some(bought.id)).await, -1_990);
    assert_eq!(balance(&t, Account::TaxPayable, Some(bought.id)).await, -(756 - 378) - 93);
    assert_eq!(balance(&t, Account::Receivable, Some(bought.id)).await, 0);
    let twice = t.order(bought.id).await;
    let twice = without_return(&t.at(&t.lead, twice.version), bought.id, keep(2)).await.unwrap_err();
    assert_eq!(twice.fields[0].pointer, "/lines/0/quantity");
    must_reconcile(&t).await;
}

#[tokio::test]
async fn a_return_is_paid_once_its_goods_are_back_and_accepted() {
    let t = TestShop::open().await;
    let bought = t.delivered(&[(t.goods.blue_mug, 2)]).await;
    let asked = send_back(&t, &bought).await;
    let pay = |version| {
        let ctx = t.at(&t.lead, version);
        async move { returned(&ctx, asked.id, Returned::default()).await }
    };
    assert_eq!(rule(&pay(asked.version).await.unwrap_err()), "return_not_received");
    let here = returns::receive(&t.ctx(&t.lead), asked.id, Default::default()).await.unwrap().view;
    assert_eq!(rule(&pay(here.version).await.unwrap_err()), "return_not_inspected");

    let second = send_back(&t, &bought).await;
    let judged = accept(&t, second.id).await;
    let paid = returned(&t.at(&t.lead, judged.version), second.id, Returned::default()).await.unwrap().view;
    assert_eq!((paid.total_minor, paid.refunds[0].return_id), (MUG, Some(second.id)));
    let done = returns::get(&t.ctx(&t.lead), second.id).await.unwrap();
    assert_eq!(done.status, ReturnStatus::Refunded);
    let twice = returned(&t.at(&t.lead, done.version), second.id, Returned::default()).await.unwrap_err();
    assert_eq!(rule(&twice), "nothing_left");
    assert_eq!(given_back(&t), MUG);
    must_reconcile(&t).await;
}

#[tokio::test]
async fn shipping_goes_back_once_and_the_difference_is_only_the_gap() {
    let t = TestShop::open().await;
    let bought = t.paid(&[(t.goods.blue_mug, 1)]).await;
    let none = ShippingDifference::default();
    let none = shipping_difference(&t.at(&t.lead, bought.version), bought.id, none).await.unwrap_err();
    assert_eq!(rule(&none), "no_shipping_difference");
    let fee = || ShippingFee::default();
    let back = shipping_fee(&t.at(&t.lead, bought.version), bought.id, fee()).await.unwrap().view;
    assert_eq!(back.total_minor, SHIPPING);
    let after = t.order(bought.id).await;
    let twice = shipping_fee(&t.at(&t.lead, after.version), bought.id, fee()).await.unwrap_err();
    assert_eq!(rule(&twice), "shipping_already_refunded");

    // Express was paid (12.90 and tax), standard was used (4.90 and tax).
    let express = t.placed(&[(t.goods.blue_mug, 1)]).await;
    let change = orders::ChangeShipping { shipping_method_id: t.shipping.express };
    let express = orders::change_shipping(&t.ctx(&t.ada.principal), express.id, change).await.unwrap().view;
    assert_eq!(express.difference_minor, (1_290 + 245) - SHIPPING);
    t.pay(&express.order, t.ada.card).await;
    let row =
        order_rows::Entity::find_by_id(express.order.id).one(t.shop.db.reader()).await.unwrap().unwrap();
    let mut row = row.into_active_model();
    row.shipped_method_id = Set(Some(t.shipping.standard));
    let row = row.update(t.shop.db.reader()).await.unwrap();
    let ctx = t.at(&t.lead, row.version);
    let gap = shipping_difference(&ctx, row.id, ShippingDifference::default()).await.unwrap();
    assert_eq!(gap.view.total_minor, (1_290 + 245) - SHIPPING);
    must_reconcile(&t).await;
}

fn adjust(reason: RefundReason, amount_minor: i64) -> PriceAdjustment {
    PriceAdjustment {
        reason,
        amount_minor: Some(amount_minor),
        line_id: None,
        coupon_code: None,
        payment_id: None,
        destination: None,
        gift_card_id: None,
        approval_id: None,
    }
}

#[tokio::test]
async fn a_price_adjustment_is_at_most_the_true_gap() {
    let t = TestShop::open().await;
    let bought = t.paid(&[(t.goods.blue_mug, 2), (t.goods.small_shirt, 1)]).await;
    let ask = |input| price_adjustment_at(&t, bought.id, input);
    let no_gap = ask(adjust(RefundReason::PriceDrop, 100)).await.unwrap_err();
    assert_eq!(rule(&no_gap), "no_price_gap");

    // The mug costs 1.00 less now: with tax, 2.38 for two.
    let mug = variants::Entity::find_by_id(t.goods.blue_mug).one(t.shop.db.reader()).await.unwrap().unwrap();
    let mut mug = mug.into_active_model();
    mug.price_minor = Set(1_890);
    mug.update(t.shop.db.reader()).await.unwrap();
    let too_much = ask(adjust(RefundReason::PriceDrop, 239)).await.unwrap_err();
    assert!(too_much.detail.contains("the gap is 238 minor units"), "{too_much}");
    assert_eq!(ask(adjust(RefundReason::PriceDrop, 200)).await.unwrap().total_minor, 200);
    let rest = ask(adjust(RefundReason::PriceDrop, 39)).await.unwrap_err();
    assert!(rest.detail.contains("the gap is 38 minor units"), "{rest}");

    // 10 % of the goods, tax included.
    let coupon = |amount_minor, code: &str| PriceAdjustment {
        coupon_code: Some(code.into()),
        ..adjust(RefundReason::MissedCoupon, amount_minor)
    };
    let expired = ask(coupon(100, "OLD10")).await.unwrap_err();
    assert_eq!(expired.code.as_str(), "coupon_invalid");
    let tenth = ask(coupon(10_000, "ONCE10")).await.unwrap_err();
    assert!(tenth.detail.contains("the gap is 770 minor units"), "{tenth}");
    let whole = PriceAdjustment { amount_minor: None, ..coupon(1, "ONCE10") };
    assert_eq!(ask(whole).await.unwrap().total_minor, 770, "the whole gap when nothing is said");
    let again = ask(coupon(1, "SAVE10")).await.unwrap_err();
    assert_eq!(rule(&again), "coupon_used");
    assert_eq!(balance(&t, Account::Receivable, Some(bought.id)).await, 0);
    assert_eq!(given_back(&t), 970);
    must_reconcile(&t).await;
}

async fn price_adjustment_at(t: &TestShop, id: OrderId, input: PriceAdjustment) -> Result<Batch> {
    let version = t.order(id).await.version;
    Ok(price_adjustment(&t.at(&t.lead, version), id, input).await?.view)
}

#[tokio::test]
async fn an_order_that_became_cheaper_is_owed_back_and_nothing_more() {
    let t = TestShop::open().await;
    let bought = t.paid(&[(t.goods.blue_mug, 1)]).await;
    let nothing = price_adjustment_at(&t, bought.id, adjust(RefundReason::OrderEdit, 1)).await.unwrap_err();
    assert_eq!(rule(&nothing), "no_price_gap");
    // No tax is due in Austria here.
    let vienna = shop_domain::address::Address { country: "AT".into(), ..hamburg("Ada Byron") };
    let change = orders::ChangeAddress { address: vienna, shipping_method_id: None, approval_id: None };
    let moved = orders::change_address(&t.ctx(&t.ada.principal), bought.id, change).await.unwrap().view;
    assert_eq!(moved.difference_minor, -(378 + 93));
    let over = price_adjustment_at(&t, bought.id, adjust(RefundReason::OrderEdit, 472)).await.unwrap_err();
    assert_eq!(over.fields[0].pointer, "/amount_minor");
    price_adjustment_at(&t, bought.id, adjust(RefundReason::OrderEdit, 471)).await.unwrap();
    assert_eq!(balance(&t, Account::Receivable, Some(bought.id)).await, 0);
    assert_eq!(balance(&t, Account::TaxPayable, Some(bought.id)).await, 0);
    must_reconcile(&t).await;
}

#[tokio::test]
async fn an_order_that_a_refund_ends_keeps_the_reason_of_its_end() {
    let t = TestShop::open().await;
    let bought = t.paid(&[(t.goods.blue_mug, 1)]).await;
    let because = |reason| Unshipped { cancel_reason: Some(reason), ..Unshipped::default() };
    let ctx = t.at(&t.ada.principal, bought.version);
    let refused = unshipped(&ctx, bought.id, because(CancelReason::SuspectedFraud)).await.unwrap_err();
    assert_eq!(refused.fields[0].pointer, "/cancel_reason");
    let ctx = t.at(&t.ada.principal, bought.version);
    let back = unshipped(&ctx, bought.id, because(CancelReason::TooSlow)).await.unwrap().view;
    assert_eq!(back.refunds[0].reason, RefundReason::Cancelled.as_str());
    assert_eq!(t.order(bought.id).await.cancel_reason.as_deref(), Some("too_slow"));
}

#[tokio::test]
async fn money_goes_where_the_store_offers_it_to_go() {
    let t = TestShop::open().await;
    let bought = t.paid(&[(t.goods.blue_mug, 3)]).await;
    let to = |destination, gift_card_id| Unshipped {
        destination: Some(destination),
        gift_card_id,
        ..units(&bought.lines[0], 1)
    };
    refund(&t, &bought, to(RefundDestination::StoreCredit, None)).await.unwrap();
    let after = t.order(bought.id).await;
    let own = refund(&t, &after, to(RefundDestination::GiftCard, Some(t.ada.gift_card))).await.unwrap();
    assert_eq!(own.refunds[0].gift_card_id, Some(t.ada.gift_card));
    let after = t.order(bought.id).await;
    let foreign =
        refund(&t, &after, to(RefundDestination::GiftCard, Some(t.bob.gift_card))).await.unwrap_err();
    assert_eq!(foreign.code.as_str(), "not_found");
    let new = refund(&t, &after, to(RefundDestination::GiftCard, None)).await.unwrap();
    let card =
        crate::gift_cards::get(&t.ctx(&t.ada.principal), new.refunds[0].gift_card_id.unwrap()).await.unwrap();
    // Three mugs weigh more than a kilogram: their shipping was 5.90 and tax.
    assert_eq!(card.balance_minor, MUG + 590 + 112);
    let credit = crate::credit::balance(&t.ctx(&t.ada.principal), t.ada.customer).await.unwrap();
    assert_eq!(credit.accounts[0].balance_minor, 3_000 + MUG);
    // The gateway kept everything; what the shop owes as credit and cards grew by it.
    assert_eq!(given_back(&t), 0);
    must_reconcile(&t).await;

    let store = stores::Entity::find_by_id(t.store).one(t.shop.db.reader()).await.unwrap().unwrap();
    let mut policy = store.policy.clone();
    policy.refund_destinations = vec![RefundDestination::OriginalMethod];
    let mut store = store.into_active_model();
    store.policy = Set(policy);
    store.update(t.shop.db.reader()).await.unwrap();
    let bought = t.paid(&[(t.goods.blue_mug, 1)]).await;
    let input = Unshipped { destination: Some(RefundDestination::StoreCredit), ..Unshipped::default() };
    assert_eq!(rule(&refund(&t, &bought, input).await.unwrap_err()), "destination_not_offered");
}

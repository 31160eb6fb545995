use chrono::TimeDelta;
use shop_domain::status::{OrderPaymentStatus, RefundStatus};

use super::*;
use crate::testing::call;
use crate::{gift_cards, payments};

#[tokio::test]
async fn a_lost_answer_is_unknown_until_somebody_looks_and_the_money_goes_once() {
    let t = TestShop::open().await;
    let bought = t.paid(&[(t.goods.blue_mug, 2)]).await;
    break_once(&t, "lost_answer@refund*1");
    let ctx = || t.ctx(&t.lead).with_call(call("the one key", Some(bought.version)));
    let lost = unshipped(&ctx(), bought.id, Unshipped::default()).await.unwrap_err();
    assert_eq!(lost.code.as_str(), "outcome_unknown");
    let only = list(&t.ctx(&t.lead), Filter::default(), Default::default()).await.unwrap().items.remove(0);
    assert_eq!(only.status, RefundStatus::Unknown);
    assert_eq!(t.order(bought.id).await.payment_status, OrderPaymentStatus::Unknown);
    // Its money is claimed: a second refund under another key finds nothing.
    let second = refund(&t, &t.order(bought.id).await, Unshipped::default()).await.unwrap_err();
    assert_eq!(rule(&second), "already_refunded");

    let found = sync(&t.ctx(&t.lead), only.id).await.unwrap().view;
    assert_eq!(found.status, RefundStatus::Succeeded);
    let repeat = unshipped(&ctx(), bought.id, Unshipped::default()).await.unwrap();
    assert!(repeat.is_replay && repeat.view.refunds[0].id == only.id);
    assert_eq!(given_back(&t), bought.total_minor);
    must_reconcile(&t).await;
}

#[tokio::test]
async fn a_repeat_of_the_call_looks_itself() {
    let t = TestShop::open().await;
    let bought = t.paid(&[(t.goods.blue_mug, 1)]).await;
    break_once(&t, "lost_answer@refund*1");
    let ctx = || t.ctx(&t.lead).with_call(call("the one key", Some(bought.version)));
    unshipped(&ctx(), bought.id, Unshipped::default()).await.unwrap_err();
    let repeat = unshipped(&ctx(), bought.id, Unshipped::default()).await.unwrap();
    assert!(repeat.is_replay);
    assert_eq!(repeat.view.refunds[0].status, RefundStatus::Succeeded);
    assert_eq!(given_back(&t), bought.total_minor);
    must_reconcile(&t).await;
}

#[tokio::test]
async fn a_fenced_refund_is_sent_again_under_a_new_gateway_key() {
    let t = TestShop::open().await;
    let bought = t.paid(&[(t.goods.blue_mug, 1)]).await;
    break_once(&t, "timeout_before@refund*1");
    let lost = refund(&t, &bought, Unshipped::default()).await.unwrap_err();
    assert_eq!(lost.code.as_str(), "outcome_unknown");
    let only = list(&t.ctx(&t.lead), Filter::default(), Default::default()).await.unwrap().items.remove(0);
    let fenced = sync(&t.ctx(&t.lead), only.id).await.unwrap().view;
    assert_eq!((fenced.status, given_back(&t)), (RefundStatus::Failed, 0));
    let sent = retry(&t.at(&t.lead, fenced.version), only.id).await.unwrap().view;
    assert_eq!((sent.id, sent.status), (only.id, RefundStatus::Succeeded));
    let payment = only.payment_id.unwrap();
    let calls = payments::list_attempts(&t.ctx(&t.lead), payment, Default::default()).await.unwrap().items;
    let keys: Vec<_> =
        calls.iter().filter(|call| call.refund_id.is_some()).map(|call| &call.gateway_key).collect();
    assert!(keys.len() == 2 && keys[0] != keys[1]);
    assert_eq!(given_back(&t), bought.total_minor);
    must_reconcile(&t).await;
    let done = retry(&t.at(&t.lead, sent.version), only.id).await.unwrap_err();
    assert_eq!(rule(&done), "refund_not_ready");
}

#[tokio::test]
async fn a_busy_gateway_is_asked_again_under_the_same_key_for_the_same_refund() {
    let t = TestShop::open().await;
    let bought = t.paid(&[(t.goods.blue_mug, 1)]).await;
    break_once(&t, "http_429@refund*1");
    let ctx = || t.ctx(&t.lead).with_call(call("the one key", Some(bought.version)));
    let busy = unshipped(&ctx(), bought.id, Unshipped::default()).await.unwrap_err();
    assert_eq!(busy.code.as_str(), "upstream_unavailable");
    let sent = unshipped(&ctx(), bought.id, Unshipped::default()).await.unwrap().view;
    assert_eq!(sent.refunds[0].status, RefundStatus::Succeeded);
    let all = list(&t.ctx(&t.lead), Filter::default(), Default::default()).await.unwrap().items;
    assert_eq!((all.len(), given_back(&t)), (1, bought.total_minor));
    let payment = all[0].payment_id.unwrap();
    let calls = payments::list_attempts(&t.ctx(&t.lead), payment, Default::default()).await.unwrap().items;
    assert_eq!(calls.iter().filter(|call| call.refund_id.is_some()).count(), 1);
    assert!(unshipped(&ctx(), bought.id, Unshipped::default()).await.unwrap().is_replay);
    must_reconcile(&t).await;
}

#[tokio::test]
async fn a_declined_refund_keeps_its_claim_until_it_is_given_up() {
    let t = TestShop::open().await;
    let (shipped, _) = t.shipped(&[(t.goods.blue_mug, 1)]).await;
    let bought = shipped.clone();
    break_once(&t, "decline@refund:before*1");
    let fee = || ShippingFee::default();
    let declined = shipping_fee(&t.at(&t.lead, shipped.version), bought.id, fee()).await.unwrap_err();
    assert_eq!(declined.code.as_str(), "payment_declined");
    let failed = list(&t.ctx(&t.lead), Filter::default(), Default::default()).await.unwrap().items.remove(0);
    assert_eq!(failed.status, RefundStatus::Failed);
    let version = t.order(bought.id).await.version;
    let second = shipping_fee(&t.at(&t.lead, version), bought.id, fee()).await.unwrap_err();
    assert_eq!(rule(&second), "shipping_already_refunded");
    assert_eq!(balance(&t, Account::RefundsPayable, None).await, -583);

    let given_up = cancel(&t.at(&t.lead, failed.version), failed.id).await.unwrap().view;
    assert_eq!(given_up.status, RefundStatus::Cancelled);
    assert_eq!(balance(&t, Account::RefundsPayable, None).await, 0);
    assert_eq!(balance(&t, Account::ShippingRevenue, Some(bought.id)).await, -490);
    let version = t.order(bought.id).await.version;
    let anew = shipping_fee(&t.at(&t.lead, version), bought.id, fee()).await.unwrap().view;
    assert_eq!((anew.total_minor, given_back(&t)), (583, 583));
    must_reconcile(&t).await;
}

#[tokio::test]
async fn a_refund_that_a_bank_sends_back_is_owed_again() {
    let t = TestShop::open().await;
    let bought = t.paid(&[(t.goods.blue_mug, 1)]).await;
    break_once(&t, "refund_fails_later@refund*1");
    let accepted = refund(&t, &bought, Unshipped::default()).await.unwrap().refunds.remove(0);
    assert_eq!(accepted.status, RefundStatus::Succeeded);
    t.shop.world.clock.advance(TimeDelta::days(3));
    t.gateway.tick().unwrap();
    let bounced = sync(&t.ctx(&t.lead), accepted.id).await.unwrap().view;
    assert_eq!((bounced.status, given_back(&t)), (RefundStatus::Failed, 0));
    assert_eq!(balance(&t, Account::RefundsPayable, None).await, -bought.total_minor);
    must_reconcile(&t).await;
    let sent = retry(&t.at(&t.lead, bounced.version), accepted.id).await.unwrap().view;
    assert_eq!((sent.status, given_back(&t)), (RefundStatus::Succeeded, bought.total_minor));
    must_reconcile(&t).await;
}

/// An order paid with 50.00 from a gift card and the rest by card.
async fn split(t: &TestShop) -> orders::View {
    let bought = t.placed(&[(t.goods.desk_lamp, 1)]).await;
    let input = payments::Create {
        gift_card_id: Some(t.ada.gift_card),
        amount_minor: Some(5_000),
        ..Default::default()
    };
    let ada = &t.ada.principal;
    let part = payments::create(&t.ctx(ada), bought.id, input).await.unwrap().view;
    let part = payments::authorize(&t.at(ada, part.version), part.id, Default::default()).await.unwrap().view;
    payments::capture(&t.at(ada, part.version), part.id, Default::default()).await.unwrap();
    t.pay(&bought, t.ada.card).await;
    t.order(bought.id).await
}

async fn on_gift_card(t: &TestShop) -> i64 {
    gift_cards::get(&t.ctx(&t.ada.principal), t.ada.gift_card).await.unwrap().balance_minor
}

#[tokio::test]
async fn a_split_payment_is_refunded_in_parts() {
    let t = TestShop::open().await;
    let bought = split(&t).await;
    assert_eq!((bought.payment_status, on_gift_card(&t).await), (OrderPaymentStatus::Paid, 0));
    let back = refund(&t, &bought, Unshipped::default()).await.unwrap();
    let amounts: Vec<i64> = back.refunds.iter().map(|part| part.amount_minor).collect();
    assert_eq!(amounts, [bought.total_minor - 5_000, 5_000]);
    assert!(back.refunds.iter().all(|part| part.status == RefundStatus::Succeeded));
    assert_eq!((given_back(&t), on_gift_card(&t).await), (bought.total_minor - 5_000, 5_000));
    assert_eq!(t.order(bought.id).await.payment_status, OrderPaymentStatus::Refunded);
    assert_eq!(balance(&t, Account::Receivable, Some(bought.id)).await, 0);
    must_reconcile(&t).await;
}

#[tokio::test]
async fn the_lost_part_of_a_split_refund_is_found_and_nothing_goes_twice() {
    let t = TestShop::open().await;
    let bought = split(&t).await;
    break_once(&t, "lost_answer@refund*1");
    let ctx = || t.ctx(&t.lead).with_call(call("the one key", Some(bought.version)));
    let lost = unshipped(&ctx(), bought.id, Unshipped::default()).await.unwrap_err();
    assert_eq!((lost.code.as_str(), on_gift_card(&t).await), ("outcome_unknown", 5_000));
    let repeat = unshipped(&ctx(), bought.id, Unshipped::default()).await.unwrap().view;
    assert_eq!((repeat.refunds.len(), repeat.total_minor), (2, bought.total_minor));
    assert_eq!((given_back(&t), on_gift_card(&t).await), (bought.total_minor - 5_000, 5_000));
    let replay = unshipped(&ctx(), bought.id, Unshipped::default()).await.unwrap();
    assert!(replay.is_replay);
    assert_eq!(replay.view.refunds, repeat.refunds);
    must_reconcile(&t).await;
}

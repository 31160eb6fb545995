use chrono::TimeDelta;
use shop_domain::limits;
use shop_domain::status::GiftCardStatus;

use super::*;
use crate::testing::TestShop;
use crate::{carts, credit};

#[tokio::test]
async fn a_code_is_told_once_and_redeemed_by_whoever_knows_it() {
    let t = TestShop::open().await;
    let input = Issue { store_id: t.store, amount_minor: 2_500, customer_id: None, approval_id: None };
    let ctx = t.at(&t.lead, 0);
    let card = issue(&ctx, input).await.unwrap().view;
    let code = card.code.clone().unwrap();
    assert!(code.len() == 19 && code.ends_with(&card.last4), "{code}");
    assert_eq!(get(&t.ctx(&t.lead), card.id).await.unwrap().code, None);

    let ada = &t.ada.principal;
    assert_eq!(get(&t.ctx(ada), card.id).await.unwrap_err().code.as_str(), "not_found");
    let seen = check(&t.ctx(ada), Check { code: code.to_lowercase() }).await.unwrap();
    assert_eq!((seen.gift_card_id, seen.available_minor), (card.id, 2_500));

    let without_code = redeem(&t.at(ada, seen.version), card.id, Redeem::default()).await.unwrap_err();
    assert_eq!(without_code.code.as_str(), "not_found");
    let with_code = Redeem { code: Some(code), customer_id: None };
    let spent = redeem(&t.at(ada, seen.version), card.id, with_code.clone()).await.unwrap().view;
    assert_eq!((spent.status, spent.balance_minor), (GiftCardStatus::Spent, 0));
    let balance = credit::balance(&t.ctx(ada), t.ada.customer).await.unwrap();
    assert_eq!(balance.accounts[0].balance_minor, 3_000 + 2_500);
    let again = redeem(&t.at(ada, spent.version), card.id, with_code).await.unwrap_err();
    assert_eq!(again.rule.as_deref(), Some("gift_card_unusable"));
}

#[tokio::test]
async fn guessing_codes_is_limited_by_the_hour_and_per_principal() {
    let t = TestShop::open().await;
    let guess = |n: u32| Check { code: format!("GUESS-{n}") };
    for n in 0..limits::GIFT_CARD_CHECKS_PER_HOUR {
        let miss = check(&t.ctx(&t.bob.principal), guess(n)).await.unwrap_err();
        assert_eq!(miss.code.as_str(), "not_found");
    }
    let known = Check { code: t.bob.gift_card_code.into() };
    let limited = check(&t.ctx(&t.bob.principal), known.clone()).await.unwrap_err();
    assert_eq!((limited.code.as_str(), limited.retry_after_ms), ("rate_limited", Some(3_600_000)));
    // Somebody else is not held up, and does not see Bob's card.
    assert_eq!(check(&t.ctx(&t.ada.principal), known.clone()).await.unwrap_err().code.as_str(), "not_found");
    t.shop.world.clock.advance(TimeDelta::hours(1));
    assert_eq!(check(&t.ctx(&t.bob.principal), known).await.unwrap().available_minor, 5_000);
}

/// Everything that takes a code, as Bob with a code that may not be his.
async fn tried(t: &TestShop, way: &str, code: &str) -> crate::error::Error {
    let bob = &t.bob.principal;
    match way {
        "check" => check(&t.ctx(bob), Check { code: code.into() }).await.unwrap_err(),
        "cart" => {
            let cart = carts::create(&t.ctx(bob), carts::Create::default()).await.unwrap().view;
            let input = carts::ApplyGiftCard { code: Some(code.into()) };
            carts::apply_gift_card(&t.ctx(bob), cart.id, input).await.unwrap_err()
        }
        _ => {
            let input = Redeem { code: Some(code.into()), customer_id: None };
            redeem(&t.at(bob, 1), t.ada.gift_card, input).await.unwrap_err()
        }
    }
}

#[tokio::test]
async fn every_way_to_try_a_code_counts_and_they_count_together() {
    let t = TestShop::open().await;
    let ways = ["check", "cart", "redeem"].into_iter().cycle();
    for (n, way) in (0..limits::GIFT_CARD_CHECKS_PER_HOUR).zip(ways) {
        let miss = tried(&t, way, if n % 2 == 0 { "GUESS" } else { t.ada.gift_card_code }).await;
        assert_eq!(miss.code.as_str(), "not_found", "{way} {n}");
    }
    for way in ["check", "cart", "redeem"] {
        for code in ["GUESS", t.bob.gift_card_code] {
            assert_eq!(tried(&t, way, code).await.code.as_str(), "rate_limited", "{way} {code}");
        }
    }
}

#[tokio::test]
async fn a_burst_of_guesses_is_counted_like_a_queue_of_them() {
    let t = TestShop::open().await;
    let cart = carts::create(&t.ctx(&t.bob.principal), carts::Create::default()).await.unwrap().view;
    let guesses = (0..100).map(|n| {
        let ctx = t.ctx(&t.bob.principal);
        let code = if n < 99 { format!("GUESS-{n}") } else { t.bob.gift_card_code.to_owned() };
        async move { carts::apply_gift_card(&ctx, cart.id, carts::ApplyGiftCard { code: Some(code) }).await }
    });
    let answers = futures::future::join_all(guesses).await;
    let told = answers.iter().filter(|answer| match answer {
        Ok(_) => true,
        Err(error) => error.code.as_str() != "rate_limited",
    });
    assert_eq!(u32::try_from(told.count()), Ok(limits::GIFT_CARD_CHECKS_PER_HOUR));
}

#[tokio::test]
async fn a_repeat_of_an_answered_call_is_no_guess() {
    let t = TestShop::open().await;
    let bob = &t.bob.principal;
    let cart = carts::create(&t.ctx(bob), carts::Create::default()).await.unwrap().view;
    let input = || carts::ApplyGiftCard { code: Some(t.bob.gift_card_code.into()) };
    let ctx = || t.ctx(bob).with_call(crate::testing::call("one key", None));
    let applied = carts::apply_gift_card(&ctx(), cart.id, input()).await.unwrap();
    assert_eq!(applied.view.gift_card.map(|card| card.gift_card_id), Some(t.bob.gift_card));
    for _ in 0..limits::GIFT_CARD_CHECKS_PER_HOUR * 2 {
        assert!(carts::apply_gift_card(&ctx(), cart.id, input()).await.unwrap().is_replay);
    }
}

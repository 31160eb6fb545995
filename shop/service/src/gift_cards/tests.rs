use chrono::TimeDelta;
use shop_domain::limits;
use shop_domain::status::GiftCardStatus;

use super::*;
use crate::credit;
use crate::testing::TestShop;

#[tokio::test]
async fn a_code_is_told_once_and_redeemed_by_whoever_knows_it() {
    let t = TestShop::open().await;
    let input = Issue { store_id: t.store, amount_minor: 2_500, customer_id: None };
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

use chrono::TimeDelta;
use serde_json::json;
use shop_domain::ids::{ApprovalId, CustomerId};
use shop_domain::ledger::Account;

use crate::error::{Error, Result};
use crate::testing::TestShop;
use crate::{approvals, credit, gift_cards, reports};

/// Everybody was given 30.00 of credit and a card with 50.00 today; a store gives 200.00 a day without a second person.
const LEFT: i64 = 20_000 - 3_000 - 5_000;

async fn credit(t: &TestShop, amount_minor: i64, approval_id: Option<ApprovalId>) -> Result<credit::Balance> {
    let now = credit::balance(&t.ctx(&t.lead), t.ada.customer).await.unwrap();
    let input = credit::Issue { amount_minor, currency: None, reason: "late".into(), approval_id };
    Ok(credit::issue(&t.at(&t.lead, now.version), t.ada.customer, input).await?.view)
}

async fn card(
    t: &TestShop,
    amount_minor: i64,
    customer_id: Option<CustomerId>,
    approval_id: Option<ApprovalId>,
) -> Result<gift_cards::View> {
    let input = gift_cards::Issue { store_id: t.store, amount_minor, customer_id, approval_id };
    Ok(gift_cards::issue(&t.at(&t.lead, 0), input).await?.view)
}

fn waits(error: &Error) -> bool {
    (error.code.as_str(), error.rule.as_deref()) == ("approval_pending", Some("approval_required"))
}

/// What the shop has given away, by its books.
async fn given_away(t: &TestShop) -> i64 {
    let report = reports::ledger(&t.ctx(&t.admin)).await.unwrap();
    assert_eq!(report.sum_minor, 0);
    let line = report.accounts.iter().find(|line| line.account == Account::Goodwill);
    line.map_or(0, |line| line.balance_minor)
}

#[tokio::test]
async fn what_a_customer_is_given_in_a_day_counts_together() {
    let t = TestShop::open().await;
    let ada = Some(t.ada.customer);
    let before = given_away(&t).await;
    assert!(waits(&credit(&t, LEFT + 1, None).await.unwrap_err()));
    assert!(waits(&card(&t, LEFT + 1, ada, None).await.unwrap_err()));
    assert_eq!(given_away(&t).await, before, "what is refused gives nothing");
    credit(&t, 10_000, None).await.unwrap();
    assert!(waits(&card(&t, LEFT - 10_000 + 1, ada, None).await.unwrap_err()));
    card(&t, LEFT - 10_000, ada, None).await.unwrap();
    assert!(waits(&credit(&t, 1, None).await.unwrap_err()));
    // Somebody else's day is another one, and so is tomorrow.
    card(&t, LEFT, Some(t.bob.customer), None).await.unwrap();
    t.shop.world.clock.advance(TimeDelta::days(1));
    credit(&t, 1_000, None).await.unwrap();
}

#[tokio::test]
async fn two_parallel_halves_cannot_both_pass() {
    let t = TestShop::open().await;
    let half = LEFT / 2 + 1;
    let before = given_away(&t).await;
    for customer in [Some(t.ada.customer), None] {
        let half = if customer.is_some() { half } else { 10_001 };
        let (a, b) = tokio::join!(card(&t, half, customer, None), card(&t, half, customer, None));
        let (passed, refused): (Vec<_>, Vec<_>) = [a, b].into_iter().partition(Result::is_ok);
        assert_eq!((passed.len(), refused.len()), (1, 1));
        assert!(refused.iter().all(|refused| waits(refused.as_ref().unwrap_err())));
    }
    let (a, b) = tokio::join!(credit(&t, half, None), card(&t, half, Some(t.ada.customer), None));
    assert!(waits(&a.unwrap_err()) && waits(&b.unwrap_err()));
    assert_eq!(given_away(&t).await - before, half + 10_001);
}

#[tokio::test]
async fn a_second_person_may_agree_to_exactly_this_once() {
    let t = TestShop::open().await;
    let lead = &t.lead;
    for (operation, subject, input) in [
        (
            "issue_store_credit",
            t.ada.customer.to_string(),
            json!({ "amount_minor": 30_000, "reason": "late" }),
        ),
        ("issue_gift_card", t.store.to_string(), json!({ "amount_minor": 30_000, "store_id": t.store })),
    ] {
        let request = approvals::Request {
            operation: operation.into(),
            subject,
            input: input.as_object().unwrap().clone(),
            reason: "a very late parcel".into(),
            action_id: None,
        };
        let asked = approvals::request(&t.ctx(lead), request).await.unwrap().view;
        let give = async |amount| match operation {
            "issue_store_credit" => credit(&t, amount, Some(asked.id)).await.map(|_| ()),
            _ => card(&t, amount, None, Some(asked.id)).await.map(|_| ()),
        };
        assert_eq!(give(30_000).await.unwrap_err().code.as_str(), "approval_pending", "{operation}");
        let by_itself = approvals::approve(&t.at(lead, asked.version), asked.id, Default::default()).await;
        by_itself.unwrap_err();
        approvals::approve(&t.at(&t.admin, asked.version), asked.id, Default::default()).await.unwrap();
        assert_eq!(give(30_001).await.unwrap_err().rule.as_deref(), Some("approval_mismatch"), "{operation}");
        give(30_000).await.unwrap();
        assert_eq!(give(30_000).await.unwrap_err().code.as_str(), "approval_rejected", "{operation}");
    }
    let foreign = approvals::Request {
        operation: "issue_gift_card".into(),
        subject: "sto_01jz8q4w7c5v6n3m2k1h0g9f8e".into(),
        input: serde_json::Map::new(),
        reason: "why not".into(),
        action_id: None,
    };
    assert_eq!(approvals::request(&t.ctx(lead), foreign).await.unwrap_err().code.as_str(), "not_found");
}

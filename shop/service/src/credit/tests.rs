use super::*;
use crate::testing::TestShop;

#[tokio::test]
async fn credit_is_issued_and_deducted_within_the_balance_and_at_its_version() {
    let t = TestShop::open().await;
    let before = balance(&t.ctx(&t.ada.principal), t.ada.customer).await.unwrap();
    assert_eq!(before.accounts[0].available_minor, 3_000);

    let give = Issue { amount_minor: 500, currency: None, reason: "late parcel".into(), approval_id: None };
    let ctx = t.at(&t.lead, before.version);
    let after = issue(&ctx, t.ada.customer, give.clone()).await.unwrap().view;
    assert_eq!(after.accounts[0].balance_minor, 3_500);
    // The same call again gives nothing more, and another one needs the new version.
    assert!(issue(&ctx, t.ada.customer, give.clone()).await.unwrap().is_replay);
    let stale = issue(&t.at(&t.lead, before.version), t.ada.customer, give.clone()).await.unwrap_err();
    assert_eq!(stale.code.as_str(), "version_conflict");

    let take = |amount_minor| Deduct { amount_minor, currency: None, reason: "a mistake".into() };
    let too_much = deduct(&t.at(&t.lead, after.version), t.ada.customer, take(3_501)).await.unwrap_err();
    assert_eq!(too_much.rule.as_deref(), Some("insufficient_balance"));
    let rest = deduct(&t.at(&t.lead, after.version), t.ada.customer, take(3_500)).await.unwrap().view;
    assert_eq!(rest.accounts[0].available_minor, 0);

    let entries = transactions(&t.ctx(&t.ada.principal), t.ada.customer, Default::default()).await.unwrap();
    let sources: Vec<_> =
        entries.items.iter().map(|entry| (entry.source.as_str(), entry.amount_minor)).collect();
    assert_eq!(sources, [("deducted", -3_500), ("issued", 500), ("issued", 3_000)]);
    let by_ada = issue(&t.at(&t.ada.principal, rest.version), t.ada.customer, give).await.unwrap_err();
    assert_eq!(by_ada.code.as_str(), "forbidden");
}

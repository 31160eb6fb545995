use std::sync::Arc;

use serde_json::json;
use shop_domain::code::ErrorCode;
use shop_domain::governance::Principal;
use shop_domain::status::ApprovalStatus;

use super::*;
use crate::testing::TestShop;

/// What an agent of Ada's asks for.
async fn asked(t: &TestShop) -> (Arc<Principal>, View) {
    let agent = t.agent_for(&t.ada.principal).await;
    let order = t.delivered(&[(t.goods.blue_mug, 1)]).await;
    let input = json!({ "reason": "damaged" });
    let request = Request {
        operation: "refund_without_return".to_owned(),
        subject: order.id.to_string(),
        input: input.as_object().cloned().unwrap(),
        reason: "The handle came off.".to_owned(),
        action_id: None,
    };
    let view = super::request(&t.ctx(&agent), request).await.unwrap().view;
    (agent, view)
}

#[tokio::test]
async fn what_an_agent_asked_for_its_person_may_take_back() {
    let t = TestShop::open().await;
    let (_, row) = asked(&t).await;
    let lead = withdraw(&t.at(&t.lead, row.version), row.id).await.unwrap_err();
    assert_eq!(lead.code, ErrorCode::Forbidden, "who decides does not withdraw");
    let bob = withdraw(&t.at(&t.bob.principal, row.version), row.id).await.unwrap_err();
    assert_eq!(bob.code, ErrorCode::NotFound);
    let gone = withdraw(&t.at(&t.ada.principal, row.version), row.id).await.unwrap().view;
    assert_eq!(gone.status, ApprovalStatus::Withdrawn);
}

#[tokio::test]
async fn nobody_decides_what_they_or_their_agent_asked_for() {
    let t = TestShop::open().await;
    let (agent, row) = asked(&t).await;
    for asker in [&agent, &t.ada.principal] {
        let own = approve(&t.at(asker, row.version), row.id, Decide::default()).await.unwrap_err();
        assert_eq!(own.code, ErrorCode::Forbidden, "{}", asker.name);
    }
    let agreed = approve(&t.at(&t.lead, row.version), row.id, Decide::default()).await.unwrap().view;
    assert_eq!(agreed.status, ApprovalStatus::Approved);
}

use chrono::TimeDelta;
use sea_orm::{ActiveModelTrait, EntityTrait, Set};
use serde_json::json;
use shop_domain::code::ErrorCode;
use shop_domain::ids::{ActionId, ConsentId};
use shop_store::entities::{actions, consents, events};

use super::{Standing, decide, find_for_page, waiting};
use crate::error::Error;
use crate::testing::TestShop;

const NONCE: &str = "a-nonce";

/// An action of Ada's that waits for her, in this state, and the question about it.
async fn question(t: &TestShop, status: &str) -> ConsentId {
    let ctx = t.ctx(&t.ada.principal);
    let (action, consent) = (ctx.id(ActionId::new), ctx.id(ConsentId::new));
    let tx = ctx.begin().await.unwrap();
    let row = actions::ActiveModel {
        id: Set(action),
        capability: Set("checkout".into()),
        principal_id: Set(t.ada.principal.id),
        store_id: Set(Some(t.store)),
        customer_id: Set(Some(t.ada.customer)),
        entity: Set(None),
        node: Set("CONFIRM_ORDER".into()),
        status: Set(status.into()),
        version: Set(3),
        body: Set(json!({})),
        due_at: Set(None),
        lease_until_ms: Set(0),
        lease_owner: Set(None),
        created_at: Set(ctx.now()),
        updated_at: Set(ctx.now()),
    };
    row.insert(&*tx).await.unwrap();
    let row = consents::ActiveModel {
        id: Set(consent),
        action_id: Set(action),
        digest: Set("d".into()),
        status: Set("pending".into()),
        summary: Set(json!({ "amount": 1_990, "currency": "EUR" })),
        nonce: Set(NONCE.into()),
        decided_by: Set(None),
        decided_at: Set(None),
        expires_at: Set(ctx.now() + TimeDelta::minutes(15)),
        created_at: Set(ctx.now()),
    };
    row.insert(&*tx).await.unwrap();
    tx.commit().await.unwrap();
    consent
}

fn rule(error: &Error) -> (ErrorCode, &str) {
    (error.code, error.rule.as_deref().unwrap_or_default())
}

#[tokio::test]
async fn one_answer_counts_once_and_is_written_down() {
    let t = TestShop::open().await;
    let id = question(&t, "ready_for_confirmation").await;
    assert_eq!(find_for_page(&t.shop, id, NONCE).await.unwrap().standing, Standing::Open);
    let yes = decide(&t.shop, id, NONCE, true).await.unwrap();
    assert_eq!((yes.view.standing, yes.is_replay), (Standing::Granted, false));
    assert!(decide(&t.shop, id, NONCE, true).await.unwrap().is_replay);
    let no = decide(&t.shop, id, NONCE, false).await.unwrap_err();
    assert_eq!(rule(&no), (ErrorCode::ConsentStale, "consent_decided"));
    let row = consents::Entity::find_by_id(id).one(t.shop.db.reader()).await.unwrap().unwrap();
    assert_eq!((row.status.as_str(), row.decided_by), ("granted", Some(t.ada.principal.id.to_string())));
    let kinds: Vec<String> = events::Entity::find()
        .all(t.shop.db.reader())
        .await
        .unwrap()
        .into_iter()
        .map(|row| row.kind)
        .collect();
    assert_eq!(kinds.iter().filter(|kind| kind.starts_with("consent.")).count(), 1);
}

#[tokio::test]
async fn neither_half_of_an_address_is_enough() {
    let t = TestShop::open().await;
    let id = question(&t, "ready_for_confirmation").await;
    for nonce in ["", "another", "a-nonce "] {
        assert_eq!(find_for_page(&t.shop, id, nonce).await.unwrap_err().code, ErrorCode::NotFound);
        assert_eq!(decide(&t.shop, id, nonce, true).await.unwrap_err().code, ErrorCode::NotFound);
    }
    let other = t.ctx(&t.ada.principal).id(ConsentId::new);
    assert_eq!(find_for_page(&t.shop, other, NONCE).await.unwrap_err().code, ErrorCode::NotFound);
    assert_eq!(find_for_page(&t.shop, id, NONCE).await.unwrap().standing, Standing::Open);
}

#[tokio::test]
async fn a_question_closes_with_time_and_with_its_action() {
    let t = TestShop::open().await;
    let gone = question(&t, "canceled").await;
    let error = decide(&t.shop, gone, NONCE, true).await.unwrap_err();
    assert_eq!(rule(&error), (ErrorCode::ConsentStale, "consent_gone"));
    let id = question(&t, "ready_for_confirmation").await;
    t.shop.world.clock.advance(TimeDelta::minutes(15));
    let error = decide(&t.shop, id, NONCE, true).await.unwrap_err();
    assert_eq!(rule(&error), (ErrorCode::ConsentStale, "consent_expired"));
    assert_eq!(find_for_page(&t.shop, id, NONCE).await.unwrap().standing, Standing::Expired);
}

#[tokio::test]
async fn everybody_sees_only_their_own_questions_and_an_agent_none() {
    let t = TestShop::open().await;
    let id = question(&t, "ready_for_confirmation").await;
    question(&t, "canceled").await;
    let own = waiting(&t.ctx(&t.ada.principal)).await.unwrap();
    assert_eq!(own.iter().map(|view| view.id).collect::<Vec<_>>(), [id]);
    assert!(waiting(&t.ctx(&t.bob.principal)).await.unwrap().is_empty());
    assert!(waiting(&t.ctx(&t.admin)).await.unwrap().is_empty());
    let mut agent = t.ada.principal.as_ref().clone();
    agent.is_agent = true;
    let refused = waiting(&t.ctx(&std::sync::Arc::new(agent))).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Forbidden);
}

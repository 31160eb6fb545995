use std::sync::Arc;

use chrono::TimeDelta;
use sea_orm::EntityTrait;
use serde_json::json;
use shop_domain::ids::{ActionId, ConsentId};
use shop_store::entities::jobs;

use super::{
    Action, Change, Committed, ConsentChange, KeyChange, KeyRow, claim, commit, due, journal, key, load,
    unclaim,
};
use crate::Ctx;
use crate::consents::{self, Consent};
use crate::testing::TestShop;

fn action(ctx: &Ctx, id: ActionId, version: i64) -> Action {
    Action {
        id,
        capability: "checkout".into(),
        entity: None,
        node: "ITEMS".into(),
        status: "incomplete".into(),
        version,
        body: json!({ "version": version }),
        resume_at: None,
        expires_at: Some(ctx.now() + TimeDelta::minutes(30)),
        created_at: ctx.now(),
        updated_at: ctx.now(),
    }
}

fn change(ctx: &Ctx, id: ActionId, version: i64, expected: Option<i64>) -> Change {
    let journal = vec![json!({ "version": version })];
    Change { action: action(ctx, id, version), expected, journal, consent: None, key: None }
}

fn row(ctx: &Ctx, id: ActionId) -> KeyRow {
    KeyRow {
        operation: "confirm_action".into(),
        key: "k".into(),
        content: "c".into(),
        action_id: id,
        answer: None,
        expires_at: ctx.now() + TimeDelta::hours(24),
    }
}

fn consent(ctx: &Ctx, action_id: ActionId, digest: &str) -> Consent {
    Consent {
        id: ctx.id(ConsentId::new),
        action_id,
        digest: digest.into(),
        summary: json!({ "amount": 1 }),
        status: "pending".into(),
        nonce: "n".into(),
        asked_at: ctx.now(),
        expires_at: ctx.now() + TimeDelta::minutes(15),
        decided_by: None,
    }
}

async fn started(ctx: &Ctx) -> ActionId {
    let id = ctx.id(ActionId::new);
    assert_eq!(commit(ctx, change(ctx, id, 1, None)).await.unwrap(), Committed::Done);
    id
}

#[tokio::test]
async fn the_first_of_two_changes_wins_and_the_other_leaves_nothing() {
    let t = TestShop::open().await;
    let ctx = t.ctx(&t.ada.principal);
    let id = started(&ctx).await;
    assert_eq!(commit(&ctx, change(&ctx, id, 1, None)).await.unwrap(), Committed::Stale);
    assert_eq!(commit(&ctx, change(&ctx, id, 2, Some(1))).await.unwrap(), Committed::Done);
    let late = Change { key: Some(KeyChange::Claim(row(&ctx, id))), ..change(&ctx, id, 2, Some(1)) };
    assert_eq!(commit(&ctx, late).await.unwrap(), Committed::Stale);
    assert_eq!(key(&ctx, "confirm_action", "k").await.unwrap(), None);
    assert_eq!(load(&ctx, id).await.unwrap().unwrap(), json!({ "version": 2 }));
    assert_eq!(journal(&ctx, id).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_key_is_claimed_once_answered_and_forgotten_after_its_time() {
    let t = TestShop::open().await;
    let ctx = t.ctx(&t.ada.principal);
    let id = started(&ctx).await;
    let claim = || Some(KeyChange::Claim(row(&ctx, id)));
    let first = Change { key: claim(), ..change(&ctx, id, 2, Some(1)) };
    assert_eq!(commit(&ctx, first).await.unwrap(), Committed::Done);
    let second = Change { key: claim(), ..change(&ctx, id, 3, Some(2)) };
    assert_eq!(commit(&ctx, second).await.unwrap(), Committed::KeyTaken);
    assert_eq!(load(&ctx, id).await.unwrap().unwrap(), json!({ "version": 2 }));
    let answered = KeyRow { answer: Some(json!("done")), ..row(&ctx, id) };
    let third = Change { key: Some(KeyChange::Answer(answered.clone())), ..change(&ctx, id, 3, Some(2)) };
    assert_eq!(commit(&ctx, third).await.unwrap(), Committed::Done);
    assert_eq!(key(&ctx, "confirm_action", "k").await.unwrap(), Some(answered));
    assert_eq!(key(&ctx, "start_action", "k").await.unwrap(), None);
    assert_eq!(key(&t.ctx(&t.bob.principal), "confirm_action", "k").await.unwrap(), None);
    t.shop.world.clock.advance(TimeDelta::hours(24));
    assert_eq!(key(&ctx, "confirm_action", "k").await.unwrap(), None);
}

#[tokio::test]
async fn a_yes_is_used_once_and_only_while_it_lives() {
    let t = TestShop::open().await;
    let ctx = t.ctx(&t.ada.principal);
    let id = started(&ctx).await;
    let asked = consents::ask(&ctx, consent(&ctx, id, "d")).await.unwrap();
    assert_eq!(consents::ask(&ctx, consent(&ctx, id, "d")).await.unwrap().id, asked.id);
    let spend = |version, expected| Change {
        consent: Some(ConsentChange::Spend(asked.id)),
        ..change(&ctx, id, version, Some(expected))
    };
    assert_eq!(commit(&ctx, spend(2, 1)).await.unwrap(), Committed::ConsentUnusable);
    let granted = Consent { status: "granted".into(), decided_by: Some("ada".into()), ..asked.clone() };
    assert!(consents::answer(&ctx, &granted).await.unwrap());
    assert!(!consents::answer(&ctx, &granted).await.unwrap(), "a question is answered once");
    assert_eq!(commit(&ctx, spend(2, 1)).await.unwrap(), Committed::Done);
    assert_eq!(commit(&ctx, spend(3, 2)).await.unwrap(), Committed::ConsentUnusable);
    assert_eq!(consents::list(&ctx, id).await.unwrap()[0].status, "spent");

    consents::ask(&ctx, consent(&ctx, id, "other")).await.unwrap();
    let voided = Change { consent: Some(ConsentChange::VoidAll), ..change(&ctx, id, 3, Some(2)) };
    assert_eq!(commit(&ctx, voided).await.unwrap(), Committed::Done);
    let words: Vec<_> = consents::list(&ctx, id).await.unwrap().into_iter().map(|row| row.status).collect();
    assert_eq!(words, ["spent", "void"]);
}

#[tokio::test]
async fn an_action_belongs_to_the_person_and_so_to_their_agent() {
    let t = TestShop::open().await;
    let ctx = t.ctx(&t.ada.principal);
    let id = started(&ctx).await;
    let asked = consents::ask(&ctx, consent(&ctx, id, "d")).await.unwrap();
    let agent = t.ada.principal.agent(ctx.id(shop_domain::ids::PrincipalId::new), "ada's agent");
    let agent = t.ctx(&Arc::new(agent));
    assert!(load(&agent, id).await.unwrap().is_some());
    assert_eq!(commit(&agent, change(&ctx, id, 2, Some(1))).await.unwrap(), Committed::Done);
    for other in [&t.bob.principal, &t.admin] {
        let other = t.ctx(other);
        assert!(load(&other, id).await.unwrap().is_none());
        assert!(consents::get(&other, asked.id).await.unwrap().is_none());
        assert!(consents::list(&other, id).await.unwrap().is_empty());
        assert_eq!(commit(&other, change(&other, id, 3, Some(2))).await.unwrap(), Committed::Stale);
    }
}

#[tokio::test]
async fn one_works_on_an_action_until_it_gives_it_back() {
    let t = TestShop::open().await;
    let ctx = t.ctx(&t.ada.principal);
    let id = started(&ctx).await;
    let token = claim(&ctx, id).await.unwrap().unwrap();
    assert_eq!(claim(&ctx, id).await.unwrap(), None);
    unclaim(&ctx, id, "1/somebody").await.unwrap();
    assert_eq!(claim(&ctx, id).await.unwrap(), None);
    unclaim(&ctx, id, &token).await.unwrap();
    assert!(claim(&ctx, id).await.unwrap().is_some());
}

#[tokio::test]
async fn what_is_due_is_found_and_has_a_job() {
    let t = TestShop::open().await;
    let ctx = t.ctx(&t.ada.principal);
    let id = started(&ctx).await;
    assert!(due(&ctx, ctx.now(), 10).await.unwrap().is_empty());
    let waking = Action { resume_at: Some(ctx.now()), ..action(&ctx, id, 2) };
    let waking = Change { action: waking, ..change(&ctx, id, 2, Some(1)) };
    assert_eq!(commit(&ctx, waking).await.unwrap(), Committed::Done);
    let found = due(&ctx, ctx.now(), 10).await.unwrap();
    assert_eq!((found[0].id, found[0].principal_id), (id, t.ada.principal.id));
    let rows = jobs::Entity::find().all(t.shop.db.reader()).await.unwrap();
    let mut kinds: Vec<_> =
        rows.into_iter().filter(|job| job.subject == id.to_string()).map(|job| job.kind).collect();
    kinds.sort();
    assert_eq!(kinds, ["expire_action", "resume_action"]);
}

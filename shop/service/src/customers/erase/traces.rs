//! What rows of the shop's own tell of a person.

use sea_orm::sea_query::{Expr, ExprTrait, Func, LikeExpr, SimpleExpr};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, Set,
};
use serde_json::json;
use shop_domain::code::ErrorCode;
use shop_store::entities::{
    action_journal, actions, approvals, audit_log, consents, events, idempotency_keys as keys, jobs,
    webhook_deliveries as deliveries,
};

use super::ERASED;
use super::person::Person;
use super::scrub::{is_prose, names, scrub};
use crate::error::Result;

/// Ids in one query.
const IDS_AT_ONCE: usize = 200;
/// What a stored answer that was erased is repeated as.
const GONE: i64 = 410;

pub(super) async fn erase(tx: &impl ConnectionTrait, person: &Person) -> Result<()> {
    erase_actions(tx, person).await?;
    erase_answers(tx, person).await?;
    erase_events(tx, person).await?;
    erase_deliveries(tx, person).await?;
    erase_audit(tx, person).await?;
    erase_approvals(tx, person).await
}

/// A conversation is not needed once nothing of it is under way: actions go with their journals and consents.
async fn erase_actions(tx: &impl ConnectionTrait, person: &Person) -> Result<()> {
    let mut gone = actions::Entity::find()
        .filter(
            Condition::any()
                .add(actions::Column::CustomerId.is_in(person.customers.clone()))
                .add(actions::Column::PrincipalId.is_in(person.principals.clone())),
        )
        .all(tx)
        .await?;
    for ids in person.ids.chunks(IDS_AT_ONCE) {
        let about = Condition::any()
            .add(mention(actions::Column::Body, ids))
            .add(mention(actions::Column::Entity, ids));
        gone.extend(actions::Entity::find().filter(about).all(tx).await?);
    }
    for action in gone {
        consents::Entity::delete_many().filter(consents::Column::ActionId.eq(action.id)).exec(tx).await?;
        action_journal::Entity::delete_many()
            .filter(action_journal::Column::ActionId.eq(action.id))
            .exec(tx)
            .await?;
        jobs::Entity::delete_many().filter(jobs::Column::Subject.eq(action.id.to_string())).exec(tx).await?;
        // What was answered about it is erased with the other answers, by its id.
        erase_answers_about(tx, &[action.id.to_string()]).await?;
        actions::Entity::delete_by_id(action.id).exec(tx).await?;
    }
    Ok(())
}

/// A key stays used: what it did is not done again. What was answered is gone.
async fn erase_answers(tx: &impl ConnectionTrait, person: &Person) -> Result<()> {
    for principal in &person.principals {
        let own = keys::Column::Scope.starts_with(format!("{principal}/"));
        forget(tx, own).await?;
    }
    for ids in person.ids.chunks(IDS_AT_ONCE) {
        erase_answers_about(tx, ids).await?;
    }
    Ok(())
}

async fn erase_answers_about(tx: &impl ConnectionTrait, ids: &[String]) -> Result<()> {
    forget(tx, mention(keys::Column::Answer, ids)).await
}

async fn forget(tx: &impl ConnectionTrait, which: SimpleExpr) -> Result<()> {
    let code = ErrorCode::PreconditionFailed.as_str();
    let detail = "this was done, and its answer was erased with the data of the person it was about";
    keys::Entity::update_many()
        .col_expr(keys::Column::Status, Expr::value(GONE))
        .col_expr(keys::Column::Answer, Expr::value(json!({ "code": code, "detail": detail })))
        .filter(which)
        .filter(keys::Column::Answer.is_not_null())
        .exec(tx)
        .await?;
    Ok(())
}

async fn erase_events(tx: &impl ConnectionTrait, person: &Person) -> Result<()> {
    let about = Condition::any()
        .add(events::Column::OrderId.is_in(person.orders.clone()))
        .add(events::Column::Subject.is_in(person.ids.clone()));
    for row in events::Entity::find().filter(about).all(tx).await? {
        let mut data = row.data.clone();
        scrub(&mut data, &person.words);
        if data != row.data {
            let mut row = row.into_active_model();
            row.data = Set(data);
            row.update(tx).await?;
        }
    }
    Ok(())
}

/// What an endpoint has not got yet reaches it without the words.
async fn erase_deliveries(tx: &impl ConnectionTrait, person: &Person) -> Result<()> {
    for ids in person.ids.chunks(IDS_AT_ONCE) {
        let about = deliveries::Entity::find().filter(mention(deliveries::Column::Body, ids));
        for row in about.all(tx).await? {
            let mut body = row.body.clone();
            scrub(&mut body, &person.words);
            if body != row.body {
                let mut row = row.into_active_model();
                row.body = Set(body);
                row.update(tx).await?;
            }
        }
    }
    Ok(())
}

/// Who did it stays by id. A refusal repeats what was sent, so its words go where they may be the person's.
async fn erase_audit(tx: &impl ConnectionTrait, person: &Person) -> Result<()> {
    let own = || audit_log::Column::PrincipalId.is_in(person.principals.clone());
    audit_log::Entity::update_many()
        .col_expr(audit_log::Column::PrincipalName, Expr::value(ERASED))
        .filter(own())
        .exec(tx)
        .await?;
    let of_own = audit_log::Entity::find().filter(own()).filter(audit_log::Column::Reason.is_not_null());
    let mut refusals = of_own.all(tx).await?;
    for words in person.words.chunks(IDS_AT_ONCE) {
        let naming = words.iter().fold(Condition::any(), |any, word| {
            any.add(Expr::expr(Func::lower(Expr::col(audit_log::Column::Reason))).like(containing(word)))
        });
        refusals.extend(audit_log::Entity::find().filter(naming).all(tx).await?);
    }
    for row in refusals {
        let is_theirs = person.principals.contains(&row.principal_id);
        let reason = row.reason.clone().unwrap_or_default();
        // Somebody else's refusal that has one of these words may be about another person of that name; it says
        // nothing that is needed either way.
        if is_theirs || names(&reason, &person.words) {
            let mut row = row.into_active_model();
            row.reason = Set(Some(ERASED.to_owned()));
            row.update(tx).await?;
        }
    }
    Ok(())
}

async fn erase_approvals(tx: &impl ConnectionTrait, person: &Person) -> Result<()> {
    let about = Condition::any()
        .add(approvals::Column::CustomerId.is_in(person.customers.clone()))
        .add(approvals::Column::RequesterId.is_in(person.principals.clone()))
        .add(approvals::Column::Subject.is_in(person.ids.clone()));
    for row in approvals::Entity::find().filter(about).all(tx).await? {
        let mut input = row.input.clone();
        scrub(&mut input, &person.words);
        let note = row.decision_note.as_ref().map(|_| ERASED.to_owned());
        let is_theirs = person.principals.contains(&row.requester_id);
        let keeps_reason = !is_prose(&row.reason);
        let mut row = row.into_active_model();
        row.input = Set(input);
        row.decision_note = Set(note);
        if is_theirs {
            row.requester_name = Set(ERASED.to_owned());
        }
        if !keeps_reason {
            row.reason = Set(ERASED.to_owned());
        }
        row.update(tx).await?;
    }
    Ok(())
}

/// Whether a text or a document has any of these ids in it.
fn mention(column: impl ColumnTrait, ids: &[String]) -> SimpleExpr {
    let has = |id: &String| Expr::col(column).cast_as("text").like(containing(id));
    ids.iter().map(has).reduce(|any, one| any.or(one)).unwrap_or_else(|| Expr::value(false))
}

fn containing(text: &str) -> LikeExpr {
    let escaped = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    LikeExpr::new(format!("%{escaped}%")).escape('\\')
}

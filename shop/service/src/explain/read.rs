use std::sync::Arc;

use shop_domain::code::ErrorCode;
use shop_domain::governance::{Answer, Decision, Layer, Principal, Risk, Role};
use shop_domain::operations;

use super::input::Ask;
use super::layers::{capability, schema, scope, weigh};
use super::view::{Explanation, LayerVerdict, Who};
use crate::error::{Error, Result};
use crate::{Ctx, principals};

/// What every layer would say to a call of the caller's own, or, for administrators, of anybody's. Later layers are not
/// asked once one refuses: what a caller may not see, they are not told of.
///
/// # Errors
/// When there is no such operation or principal, or the principal is not the caller's to ask about.
pub async fn explain(ctx: &Ctx, ask: Ask) -> Result<Explanation> {
    let operation = operations::find(&ask.operation).ok_or_else(|| {
        Error::invalid("/operation", "name one of the operations, such as refund_unshipped_items")
    })?;
    let who = Arc::new(asked_about(ctx, &ask).await?.acting(operation.capability));
    let theirs = Ctx::new(Arc::clone(&ctx.shop), Arc::clone(&who), ctx.door);
    let (held, left_open) = capability(&theirs, operation);
    let mut layers = vec![schema(operation, &ask), held];
    let mut risk = None;
    match left_open {
        // A person must do this, whatever it is done to.
        Some(refusal) if refusal.answer == Answer::Deny => layers.push(refusal),
        // What a second person must agree to is weighed with the rest.
        Some(_) | None => {
            if layers.iter().all(Decision::is_allowed) {
                layers.push(scope(&theirs, operation, ask.subject.as_deref()).await?);
            }
            if layers.iter().all(Decision::is_allowed) {
                let weighed = weigh(&theirs, operation, &ask).await?;
                risk = weighed.facts;
                layers.push(weighed.risk);
                layers.push(weighed.approval);
            }
        }
    }
    Ok(explained(&who, ask, &layers, risk))
}

fn explained(who: &Principal, ask: Ask, decisions: &[Decision], risk: Option<Risk>) -> Explanation {
    let decisive = decisions.iter().find(|decision| !decision.is_allowed());
    let mut is_refused = false;
    let layers = Layer::ALL.iter().map(|layer| {
        let own = decisions.iter().find(|decision| decision.layer == *layer).filter(|_| !is_refused);
        is_refused |= own.is_some_and(|decision| decision.answer == Answer::Deny);
        own.cloned().map_or_else(
            || LayerVerdict { layer: *layer, answer: None, why: "not asked".to_owned() },
            LayerVerdict::from,
        )
    });
    Explanation {
        layers: layers.collect(),
        principal: Who {
            id: who.id,
            name: who.name.clone(),
            roles: who.roles(),
            is_agent: who.is_agent,
            scope: who.scope,
        },
        operation: ask.operation,
        subject: ask.subject,
        answer: decisive.map_or(Answer::Allow, |decision| decision.answer),
        decided_by: decisive.map(|decision| decision.layer),
        why: decisive.map(|decision| decision.why.clone()),
        risk,
    }
}

async fn asked_about(ctx: &Ctx, ask: &Ask) -> Result<Arc<Principal>> {
    let Some(id) = ask.principal_id.filter(|id| *id != ctx.principal.id) else {
        return Ok(Arc::clone(&ctx.principal));
    };
    let is_admin = ctx.principal.role == Role::Admin && !ctx.principal.is_agent;
    if !is_admin {
        let detail = "only an administrator may ask about somebody else; leave principal_id out";
        return Err(Error::new(ErrorCode::Forbidden, detail).with_layer(Layer::Capability.as_str()));
    }
    let found = principals::by_id(&ctx.shop, id).await?;
    found.ok_or_else(|| Error::not_found(format!("principal {id}")))
}

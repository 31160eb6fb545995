//! One function a layer; each asks what judges the call itself.

use sea_orm::EntityTrait;
use shop_domain::after_sales::{AfterSalesOperation, Verdict, rule_text};
use shop_domain::governance::{Decision, Layer, Risk, RiskFacts, in_scope, may_run, risk};
use shop_domain::ids::{BrandId, OrderId, ProductId, StoreId, VariantId};
use shop_domain::operations::{Class, Operation};
use shop_store::entities::orders;

use super::input::Ask;
use crate::error::Result;
use crate::owners::{Found, owner_of};
use crate::{Ctx, after_sales, fulfillments};

/// What risk and gate say to a call.
pub(super) struct Weighed {
    pub(super) risk: Decision,
    pub(super) approval: Decision,
    pub(super) facts: Option<Risk>,
}

/// Whether the call is well formed: the subject is an id of a kind that the path names.
pub(super) fn schema(operation: &Operation, ask: &Ask) -> Decision {
    if ask.amount_minor.is_some_and(|minor| minor < 0) {
        return Decision::deny(Layer::Schema, "an amount is not below zero");
    }
    let kinds = operation.subject_kinds();
    match (&ask.subject, operation.names_its_subject()) {
        (None, false) => Decision::allow(Layer::Schema, "it names no subject in its path"),
        (Some(_), false) => {
            Decision::deny(Layer::Schema, format!("the path {} names no subject", operation.path))
        }
        (None, true) => Decision::deny(Layer::Schema, format!("say which: its path is {}", operation.path)),
        (Some(_), true) if kinds.is_empty() => Decision::allow(Layer::Schema, "its subject is no id"),
        (Some(subject), true) => {
            let prefix = subject.split_once('_').map(|(prefix, _)| prefix);
            let nouns: Vec<&str> = kinds.iter().map(|kind| kind.noun).collect();
            match kinds.iter().find(|kind| Some(kind.prefix) == prefix) {
                Some(kind) => {
                    Decision::allow(Layer::Schema, format!("{subject} is an id of kind {}", kind.noun))
                }
                None => {
                    let why = format!("{subject} is no id of kind {}", nouns.join(" or "));
                    Decision::deny(Layer::Schema, why)
                }
            }
        }
    }
}

/// The role's own answer, and what it leaves to a second person or a human.
pub(super) fn capability(ctx: &Ctx, operation: &Operation) -> (Decision, Option<Decision>) {
    let decision = may_run(&ctx.principal, operation);
    if decision.layer != Layer::Approval {
        return (decision, None);
    }
    let held = format!("{} holds {}", ctx.principal.roles(), operation.capability);
    (Decision::allow(Layer::Capability, held), Some(decision))
}

/// Whether the subject is in sight. What is not looks absent.
pub(super) async fn scope(ctx: &Ctx, operation: &Operation, subject: Option<&str>) -> Result<Decision> {
    let within = format!("within {}", ctx.principal.scope);
    let Some(subject) = subject.filter(|_| !operation.subject_kinds().is_empty()) else {
        return Ok(Decision::allow(Layer::Scope, format!("it reaches what lies {within}")));
    };
    let absent = || Decision::deny(Layer::Scope, format!("there is no {subject} that can be seen {within}"));
    Ok(match owner_of(ctx.read()?, subject).await? {
        Found::By(_) if is_public(operation, subject) => {
            Decision::allow(Layer::Scope, "the shop front is public")
        }
        Found::By(owner) if in_scope(&ctx.principal, &owner).is_allowed() => {
            Decision::allow(Layer::Scope, within)
        }
        Found::By(_) | Found::Absent => absent(),
        Found::Unknown => {
            Decision::allow(Layer::Scope, "things of this kind are looked up by the operation itself")
        }
    })
}

/// What is for sale can be read, reviewed and asked about by everybody.
fn is_public(operation: &Operation, subject: &str) -> bool {
    let front = [BrandId::PREFIX, StoreId::PREFIX, ProductId::PREFIX, VariantId::PREFIX];
    let is_front = subject.split_once('_').is_some_and(|(prefix, _)| front.contains(&prefix));
    is_front && (operation.class == Class::R || operation.id == "create_product_review")
}

/// Legality, risk and the gate, of an operation on an order; of others, what their class says.
pub(super) async fn weigh(ctx: &Ctx, operation: &Operation, ask: &Ask) -> Result<Weighed> {
    let passes = |why: &str| Decision::allow(Layer::Approval, why);
    if !operation.class.writes() {
        return Ok(Weighed {
            risk: Decision::allow(Layer::Risk, "reading carries no risk"),
            approval: passes("nobody has to agree to reading"),
            facts: None,
        });
    }
    let order = ask.subject.as_deref().and_then(|subject| subject.parse::<OrderId>().ok());
    let after_sales = operation.id.parse::<AfterSalesOperation>().ok();
    if let (Some(after_sales), Some(id)) = (after_sales, order)
        && let Some(order) = orders::Entity::find_by_id(id).one(ctx.read()?).await?
    {
        return of_order(ctx, after_sales, order, ask).await;
    }
    let facts = RiskFacts { amount_minor: ask.amount_minor.unwrap_or(0), ..RiskFacts::of(operation.class) };
    let risk = risk(&facts);
    let approval = match (after_sales, operation.id) {
        (Some(_), _) => passes("it depends on the order: ask again with the order as the subject"),
        (None, "grant_staff_role") => passes("it depends on the role and where it would hold"),
        (None, _) => passes("no gate stands before this operation"),
    };
    Ok(Weighed { risk: Decision::allow(Layer::Risk, in_words(&risk)), approval, facts: Some(risk) })
}

async fn of_order(
    ctx: &Ctx,
    operation: AfterSalesOperation,
    order: orders::Model,
    ask: &Ask,
) -> Result<Weighed> {
    let order = fulfillments::catch_up_for_read(ctx, order).await?;
    let outflow = ask.amount_minor.unwrap_or(0);
    let (verdict, risk, reason) = after_sales::weigh(ctx.read()?, ctx, operation, &order, outflow).await?;
    let legality = match verdict {
        Verdict::No { rule } => {
            Decision::deny(Layer::Risk, format!("{rule}: {}", rule_text(rule).unwrap_or(rule)))
        }
        Verdict::AlreadyDone => Decision::allow(Layer::Risk, "it is so already"),
        Verdict::Approval | Verdict::Yes => Decision::allow(Layer::Risk, in_words(&risk)),
    };
    let approval = match reason {
        Some(reason) => Decision::needs_approval(Layer::Approval, reason),
        None => Decision::allow(Layer::Approval, "nobody else has to agree"),
    };
    Ok(Weighed { risk: legality, approval, facts: Some(risk) })
}

fn in_words(risk: &Risk) -> String {
    let details: Vec<&str> = risk.factors.iter().map(|factor| factor.detail.as_str()).collect();
    if details.is_empty() {
        risk.level.to_string()
    } else {
        format!("{}: {}", risk.level, details.join("; "))
    }
}

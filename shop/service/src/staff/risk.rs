//! A role opens rows to somebody: how many, of how many brands, and whether a second person must agree.

use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter};
use shop_domain::governance::{Gate, RiskFacts, Scope, gate, risk};
use shop_domain::ids::{ApprovalId, StaffId};
use shop_domain::operations::{Operation, operation};
use shop_domain::policy::Policy;
use shop_store::entities::{brands, orders, stores};

use super::place::Place;
use super::roles::Chosen;
use crate::error::Result;
use crate::{Ctx, approvals, orders as order_service};

/// Spends the approval that a grant needs; none, where it needs none.
pub(super) async fn permit(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    member: StaffId,
    (role, place): (&Chosen, &Place),
    input: &super::Grant,
) -> Result<Option<ApprovalId>> {
    let operation = operation("grant_staff_role");
    let Some(reason) = needs_second_person(tx, operation, role, place).await? else { return Ok(None) };
    let subject = member.to_string();
    let wanted = approvals::Wanted {
        operation,
        subject: &subject,
        digest: approvals::digest(operation.id, &subject, input)?,
    };
    approvals::need(tx, ctx, input.approval_id, &wanted, &reason).await
}

/// Why a second person must agree, if one must.
pub(super) async fn needs_second_person(
    tx: &impl ConnectionTrait,
    operation: &Operation,
    role: &Chosen,
    place: &Place,
) -> Result<Option<String>> {
    let can_write = role.capabilities.iter().any(|capability| !capability.only_reads());
    let rows = if can_write {
        orders::Entity::find().filter(order_service::in_sight(&place.scope)).count(tx).await?
    } else {
        0
    };
    let brands = match place.scope {
        Scope::Tenant => brands::Entity::find().count(tx).await?,
        Scope::Brand(_) | Scope::Store(_) | Scope::Customer(_) => 1,
    };
    let facts = RiskFacts {
        rows: u32::try_from(rows).unwrap_or(u32::MAX),
        brands: u32::try_from(brands).unwrap_or(u32::MAX),
        // What somebody has seen cannot be unseen, whatever the class of the operation.
        irreversible: true,
        ..RiskFacts::of(operation.class)
    };
    Ok(match gate(&risk(&facts), &policy_within(tx, &place.scope).await?) {
        Gate::Pass => None,
        Gate::NeedsApproval { reason } => Some(reason),
    })
}

/// The gate is open where every store within the scope has opened it.
async fn policy_within(tx: &impl ConnectionTrait, scope: &Scope) -> Result<Policy> {
    let own = match *scope {
        Scope::Tenant | Scope::Customer(_) => stores::Entity::find(),
        Scope::Brand(brand) => stores::Entity::find().filter(stores::Column::BrandId.eq(brand)),
        Scope::Store(store) => stores::Entity::find_by_id(store),
    };
    let own = own.all(tx).await?;
    let no_risk_gate = !own.is_empty() && own.iter().all(|store| store.policy.no_risk_gate);
    Ok(Policy { no_risk_gate, ..Policy::default() })
}

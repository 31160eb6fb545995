use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, Set,
};
use serde_json::json;
use shop_domain::governance::{Role, Scope, may_give, sees};
use shop_domain::ids::{PrincipalId, RoleGrantId, StaffId};
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_store::entities::{principals, role_grants, staff};

use super::input::{Deactivate, Invite, check_reason};
use super::place::{Place, named};
use super::read::{Member, find, view_of};
use super::risk;
use super::roles::{Chosen, chosen, must_give};
use super::view::View;
use crate::customers::check_email;
use crate::error::{Error, Result};
use crate::start::Start;
use crate::text::must_fit;
use crate::{Ctx, Reply, events};

/// Makes somebody a member of staff. The answer carries their token, once.
///
/// # Errors
/// When a field is bad or the address is taken, the role is more than the caller has, or it needs a second person.
pub async fn invite(ctx: &Ctx, input: Invite) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("invite_staff")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    check_email(&input.email)?;
    must_fit(&input.name, limits::NAME_CHARS_MAX, "/name")?;
    let role = chosen(ctx, &*tx, input.role, input.role_id).await?;
    let place = named(ctx, &*tx, input.scope, (input.brand_id, input.store_id), None).await?;
    must_be_givable(ctx, &role, &place)?;
    if let Some(reason) = risk::needs_second_person(&*tx, operation("invite_staff"), &role, &place).await? {
        let detail =
            format!("{reason}; invite with a smaller role, then use grant_staff_role with an approval");
        return Err(Error::not_eligible("grant_needs_approval", detail).with_layer("approval"));
    }
    must_be_free(&*tx, &input.email).await?;
    let token = new_token(ctx);
    let principal = principals::ActiveModel {
        id: Set(ctx.id(PrincipalId::new)),
        name: Set(input.email.clone()),
        role: Set(role.role.unwrap_or(Role::None)),
        token: Set(token.clone()),
        is_agent: Set(false),
        on_behalf_of: Set(None),
        brand_id: Set(place.owner.brand),
        store_id: Set(place.owner.store),
        customer_id: Set(None),
        created_at: Set(ctx.now()),
        deactivated_at: Set(None),
    };
    let principal = principal.insert(&*tx).await?;
    let row = staff::ActiveModel {
        id: Set(ctx.id(StaffId::new)),
        principal_id: Set(principal.id),
        email: Set(input.email),
        name: Set(input.name),
        invited_by: Set(Some(ctx.principal.id)),
        created_at: Set(ctx.now()),
        updated_at: Set(ctx.now()),
        version: Set(1),
    };
    let row = row.insert(&*tx).await?;
    if role.role.is_none() {
        give(&*tx, ctx, row.id, &role, &place, None).await?;
    }
    let data = json!({ "principal_id": principal.id, "scope": place.scope });
    events::record(&*tx, ctx, "staff.invited", row.id, None, data).await?;
    let view = view_of(&*tx, row).await?;
    tx.finish(ctx, view.id, View { token: Some(token), ..view }).await
}

/// Ends somebody's access: their tokens, and those of their agents, are worth nothing from now on.
///
/// # Errors
/// When they are out of sight, have moved on, are deactivated already, or are the last administrator.
pub async fn deactivate(ctx: &Ctx, id: StaffId, input: Deactivate) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("deactivate_staff")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let Member { row, principal } = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    check_reason(input.reason.as_deref())?;
    must_be_active(&principal)?;
    let others = administrators(&*tx).await?;
    if others.contains(&principal.id) && others.len() == 1 {
        let detail = "this is the last administrator; make another one first";
        return Err(Error::precondition("last_admin", detail));
    }
    let mut principal = principal.into_active_model();
    principal.deactivated_at = Set(Some(ctx.now()));
    principal.update(&*tx).await?;
    let row = touch(&*tx, ctx, row).await?;
    events::record(&*tx, ctx, "staff.deactivated", id, None, json!({ "reason": input.reason })).await?;
    let view = view_of(&*tx, row).await?;
    tx.finish(ctx, id, view).await
}

/// Gives somebody a role at a scope, besides what they hold.
///
/// # Errors
/// When it is more than the caller has, for themselves, off the line on which the member works, or held already; and
/// `approval_pending` when a second person must agree.
pub async fn grant(ctx: &Ctx, id: StaffId, input: super::Grant) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("grant_staff_role")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let member = find(ctx, &*tx, id).await?;
    ctx.must_match(member.row.version)?;
    must_be_active(&member.principal)?;
    if member.principal.id == ctx.principal.person() {
        return Err(Error::new(shop_domain::code::ErrorCode::Forbidden, "nobody gives a role to themselves")
            .with_rule("own_role")
            .with_layer("capability"));
    }
    let role = chosen(ctx, &*tx, input.role, input.role_id).await?;
    let place = place_of_grant(ctx, &*tx, &member, &input).await?;
    must_be_givable(ctx, &role, &place)?;
    let given = must_lie_on_one_way(&*tx, &member, &role, &place).await?;
    if given >= limits::GRANTS_PER_STAFF_MAX {
        let detail = format!("somebody is given at most {} roles", limits::GRANTS_PER_STAFF_MAX);
        return Err(Error::precondition("too_many_roles", detail));
    }
    let approval = risk::permit(&*tx, ctx, id, (&role, &place), &input).await?;
    give(&*tx, ctx, id, &role, &place, approval).await?;
    let row = touch(&*tx, ctx, member.row).await?;
    let data = json!({ "role": role.role, "role_id": role.id, "scope": place.scope });
    events::record(&*tx, ctx, "staff.role_granted", id, None, data).await?;
    let view = view_of(&*tx, row).await?;
    tx.finish(ctx, id, view).await
}

/// Where an input gives a role.
pub(crate) async fn place_of_grant(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    member: &Member,
    input: &super::Grant,
) -> Result<Place> {
    let owner = super::owner(&member.principal);
    let scope = super::place::scope_of(owner.brand, owner.store);
    named(ctx, conn, input.scope, (input.brand_id, input.store_id), Some(Place { scope, owner })).await
}

fn must_be_givable(ctx: &Ctx, role: &Chosen, place: &Place) -> Result<()> {
    if !sees(&role.scope, &place.owner) {
        return Err(Error::invalid("/scope", format!("this role can be given only within {}", role.scope)));
    }
    must_give(&may_give(&ctx.principal, &role.capabilities, &place.owner))
}

/// All that somebody holds lies on one way from a store to the tenant; returns how many grants there are.
async fn must_lie_on_one_way(
    tx: &impl ConnectionTrait,
    member: &Member,
    role: &Chosen,
    place: &Place,
) -> Result<u64> {
    let given =
        role_grants::Entity::find().filter(role_grants::Column::StaffId.eq(member.row.id)).all(tx).await?;
    let home = super::owner(&member.principal);
    let held = given.iter().map(|row| (super::owner_of(row.brand_id, row.store_id), row.role, row.role_id));
    let own = Some(member.principal.role).filter(|role| *role != Role::None);
    for (owner, held_role, held_id) in held.chain([(home, own, None)]) {
        let scope = super::place::scope_of(owner.brand, owner.store);
        if !sees(&scope, &place.owner) && !sees(&place.scope, &owner) {
            let detail = format!(
                "they hold a role at {scope}; a role elsewhere needs a scope above both, or an account of its own"
            );
            return Err(Error::not_eligible("scope_off_the_line", detail));
        }
        let is_same_role = held_role.or(role.role).is_some() && held_role == role.role
            || held_id.is_some() && held_id == role.id;
        if is_same_role && scope == place.scope {
            return Err(Error::not_eligible("already_granted", format!("they hold this role at {scope}")));
        }
    }
    Ok(u64::try_from(given.len()).unwrap_or(u64::MAX))
}

async fn give(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    id: StaffId,
    role: &Chosen,
    place: &Place,
    approval: Option<shop_domain::ids::ApprovalId>,
) -> Result<()> {
    let row = role_grants::ActiveModel {
        id: Set(ctx.id(RoleGrantId::new)),
        staff_id: Set(id),
        role: Set(role.role),
        role_id: Set(role.id),
        brand_id: Set(place.owner.brand),
        store_id: Set(place.owner.store),
        granted_by: Set(ctx.principal.id),
        approval_id: Set(approval),
        created_at: Set(ctx.now()),
    };
    row.insert(tx).await?;
    Ok(())
}

async fn touch(tx: &impl ConnectionTrait, ctx: &Ctx, row: staff::Model) -> Result<staff::Model> {
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    Ok(row.update(tx).await?)
}

fn must_be_active(principal: &principals::Model) -> Result<()> {
    match principal.deactivated_at {
        Some(at) => Err(Error::precondition(
            "staff_deactivated",
            format!("they were deactivated at {}", at.to_rfc3339()),
        )),
        None => Ok(()),
    }
}

/// An address names one member, and signs in one principal.
async fn must_be_free(tx: &impl ConnectionTrait, email: &str) -> Result<()> {
    let member = staff::Entity::find().filter(staff::Column::Email.eq(email)).one(tx).await?;
    let namesake = principals::Entity::find().filter(principals::Column::Name.eq(email)).one(tx).await?;
    if member.is_some() || namesake.is_some() {
        return Err(Error::invalid("/email", "another member uses this address; find them with list_staff")
            .with_rule("email_taken"));
    }
    Ok(())
}

/// Everybody who can do everything everywhere: by the role they came with, or by one they were given.
async fn administrators(tx: &impl ConnectionTrait) -> Result<Vec<PrincipalId>> {
    let active = principals::Entity::find()
        .filter(principals::Column::DeactivatedAt.is_null())
        .filter(principals::Column::IsAgent.eq(false))
        .filter(principals::Column::CustomerId.is_null())
        .all(tx)
        .await?;
    let grants = role_grants::Entity::find()
        .filter(role_grants::Column::Role.eq(Role::Admin))
        .filter(role_grants::Column::BrandId.is_null())
        .filter(role_grants::Column::StoreId.is_null())
        .all(tx)
        .await?;
    let members =
        staff::Entity::find().filter(staff::Column::Id.is_in(grants.iter().map(|row| row.staff_id)));
    let given: Vec<PrincipalId> = members.all(tx).await?.into_iter().map(|row| row.principal_id).collect();
    let is_admin = |row: &principals::Model| {
        let home = super::place::scope_of(row.brand_id, row.store_id);
        row.role == Role::Admin && home == Scope::Tenant || given.contains(&row.id)
    };
    Ok(active.iter().filter(|row| is_admin(row)).map(|row| row.id).collect())
}

/// The chance in two ids: nobody guesses it.
fn new_token(ctx: &Ctx) -> String {
    let draw = || ctx.shop.world.ids.next("staff_token").to_string().chars().skip(10).collect::<String>();
    format!("tok_{}{}", draw(), draw()).to_lowercase()
}

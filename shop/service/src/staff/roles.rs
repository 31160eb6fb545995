//! Roles: the built-in ones, and those the tenant makes for itself.

use std::collections::BTreeSet;

use sea_orm::sea_query::{Expr, ExprTrait, SimpleExpr};
use sea_orm::{ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter};
use sea_orm::{QueryOrder, Set};
use serde_json::json;
use shop_domain::code::ErrorCode;
use shop_domain::governance::{Capability, Decision, Role, Scope, may_give};
use shop_domain::ids::{BrandId, RoleId, StoreId};
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_store::columns::Capabilities;
use shop_store::entities::{roles, stores};

use super::input::CreateRole;
use super::place::{owner_of, scope_of};
use super::view::RoleView;
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};
use crate::start::Start;
use crate::text::must_fit;
use crate::{Ctx, Reply, events};

/// A role that is about to be given.
pub(super) struct Chosen {
    pub(super) role: Option<Role>,
    pub(super) id: Option<RoleId>,
    pub(super) capabilities: Vec<Capability>,
    /// Where it can be given.
    pub(super) scope: Scope,
}

/// Built-in roles, then the tenant's own, oldest first.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list_roles(ctx: &Ctx, page: PageQuery) -> Result<Page<RoleView>> {
    ctx.may(operation("list_roles"))?;
    let limit = page.limit()?;
    let rows = in_sight(ctx, ctx.read()?).await?;
    let built_in = Role::ALL.iter().copied().filter(|role| role.is_staffs()).map(RoleView::from);
    let all = built_in.chain(rows.into_iter().map(RoleView::from));
    let after = page.after::<String>()?;
    let rest: Vec<RoleView> = match after {
        Some(cursor) => all.skip_while(|role| key(role) != cursor).skip(1).collect(),
        None => all.collect(),
    };
    Ok(Page::cut(rest, limit, key))
}

/// Names a set of capabilities. It can be given within the caller's scope, and holds nothing that they do not.
///
/// # Errors
/// When a field is bad, the name is taken, or a capability is not the caller's.
pub async fn create_role(ctx: &Ctx, input: CreateRole) -> Result<Reply<RoleView>> {
    let tx = match ctx.start(operation("create_role")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    must_fit(&input.name, limits::CODE_CHARS_MAX, "/name")?;
    let capabilities: BTreeSet<Capability> = input.capabilities.into_iter().collect();
    let capabilities: Vec<Capability> = capabilities.into_iter().collect();
    if capabilities.is_empty() {
        return Err(Error::invalid("/capabilities", "a role holds at least one capability"));
    }
    let (brand_id, store_id) = home(&*tx, ctx).await?;
    must_give(&may_give(&ctx.principal, &capabilities, &owner_of(brand_id, store_id)))?;
    let taken = in_sight(ctx, &*tx).await?;
    let is_taken = taken.iter().any(|row| row.name == input.name) || Role::WORDS.contains(&&*input.name);
    if is_taken {
        return Err(
            Error::invalid("/name", "another role has this name; see list_roles").with_rule("name_taken")
        );
    }
    if roles::Entity::find().count(&*tx).await? >= limits::ROLES_MAX {
        let detail = format!("a tenant has at most {} roles of its own", limits::ROLES_MAX);
        return Err(Error::precondition("too_many_roles", detail));
    }
    let row = roles::ActiveModel {
        id: Set(ctx.id(RoleId::new)),
        name: Set(input.name),
        capabilities: Set(Capabilities(capabilities)),
        brand_id: Set(brand_id),
        store_id: Set(store_id),
        created_by: Set(ctx.principal.id),
        created_at: Set(ctx.now()),
        version: Set(1),
    };
    let row = row.insert(&*tx).await?;
    events::record(&*tx, ctx, "role.created", row.id, None, json!({ "name": row.name })).await?;
    tx.finish(ctx, row.id, RoleView::from(row)).await
}

/// The role an input names, if it is one that staff can have and it is in sight.
pub(super) async fn chosen(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    role: Option<Role>,
    id: Option<RoleId>,
) -> Result<Chosen> {
    match (role, id) {
        (Some(role), None) if role.is_staffs() => {
            let capabilities = role.capabilities().collect();
            Ok(Chosen { role: Some(role), id: None, capabilities, scope: Scope::Tenant })
        }
        (Some(role), None) => {
            Err(Error::invalid("/role", format!("{role} is no role of staff; see list_roles")))
        }
        (None, Some(id)) => {
            let missing = || Error::not_found(format!("role {id}"));
            let row = roles::Entity::find_by_id(id).one(conn).await?.ok_or_else(missing)?;
            if !is_in_sight(ctx, &row) {
                return Err(missing());
            }
            let scope = scope_of(row.brand_id, row.store_id);
            Ok(Chosen { role: None, id: Some(id), capabilities: row.capabilities.0, scope })
        }
        (Some(_), Some(_)) | (None, None) => Err(Error::invalid("/role", "send either role or role_id")),
    }
}

/// A refusal to give, as an error.
pub(super) fn must_give(decision: &Decision) -> Result<()> {
    if decision.is_allowed() {
        return Ok(());
    }
    Err(Error::new(ErrorCode::Forbidden, decision.why.clone())
        .with_rule("more_than_you_have")
        .with_layer(decision.layer.as_str()))
}

/// Where a new role belongs: to the scope of who makes it.
async fn home(conn: &impl ConnectionTrait, ctx: &Ctx) -> Result<(Option<BrandId>, Option<StoreId>)> {
    Ok(match ctx.principal.scope {
        Scope::Tenant | Scope::Customer(_) => (None, None),
        Scope::Brand(brand) => (Some(brand), None),
        Scope::Store(store) => {
            let row = stores::Entity::find_by_id(store).one(conn).await?;
            (row.map(|row| row.brand_id), Some(store))
        }
    })
}

/// What the tenant made for everybody is seen by all staff, and what a brand or store made within it.
async fn in_sight(ctx: &Ctx, conn: &impl ConnectionTrait) -> Result<Vec<roles::Model>> {
    let rows = roles::Entity::find().filter(reaches(&ctx.principal.scope)).order_by_asc(roles::Column::Id);
    Ok(rows.all(conn).await?)
}

fn is_in_sight(ctx: &Ctx, row: &roles::Model) -> bool {
    let is_everybodys = row.brand_id.is_none() && row.store_id.is_none();
    is_everybodys || ctx.must_see(&owner_of(row.brand_id, row.store_id), "role").is_ok()
}

fn reaches(scope: &Scope) -> SimpleExpr {
    let is_everybodys = roles::Column::BrandId.is_null().and(roles::Column::StoreId.is_null());
    match *scope {
        Scope::Tenant => Expr::value(true),
        Scope::Brand(brand) => is_everybodys.or(roles::Column::BrandId.eq(brand)),
        Scope::Store(store) => is_everybodys.or(roles::Column::StoreId.eq(store)),
        Scope::Customer(_) => Expr::value(false),
    }
}

fn key(role: &RoleView) -> String {
    role.id.map_or_else(|| role.name.clone(), |id| id.to_string())
}

impl From<Role> for RoleView {
    fn from(role: Role) -> Self {
        Self {
            id: None,
            name: role.to_string(),
            is_built_in: true,
            capabilities: role.capabilities().collect(),
            scope: Scope::Tenant,
            created_at: None,
            version: 1,
        }
    }
}

impl From<roles::Model> for RoleView {
    fn from(row: roles::Model) -> Self {
        Self {
            id: Some(row.id),
            name: row.name,
            is_built_in: false,
            capabilities: row.capabilities.0,
            scope: scope_of(row.brand_id, row.store_id),
            created_at: Some(row.created_at),
            version: row.version,
        }
    }
}

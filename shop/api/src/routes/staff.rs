use actix_web::web::{Json, Path, Query};
use actix_web::{get, post};
use serde::Deserialize;
use shop_domain::ids::StaffId;
use shop_domain::operations::operation;
use shop_service::staff::{self, CreateRole, Deactivate, Filter, Grant, Invite, RoleView, View};
use shop_service::{Page, PageQuery};
use utoipa::IntoParams;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(list_staff).service(invite_staff).service(deactivate_staff);
    config.service(list_roles).service(create_role).service(grant_staff_role);
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct StaffPath {
    /// Which member of staff.
    staff_id: StaffId,
}

/// Members with their roles and scope.
///
/// Changes nothing. Oldest first; you see those who work within your scope.
#[utoipa::path(params(Filter, PageQuery), responses((status = 200, description = "One page.", body = Page<View>)))]
#[get("/v1/staff")]
async fn list_staff(caller: Caller, filter: Query<Filter>, page: Query<PageQuery>) -> Result<Page<View>> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller.read(|ctx| async move { staff::list(&ctx, filter, page).await }).await.map(Answer::view)
}

/// Invite by email with a role and a scope.
///
/// Precondition: you hold everything the role holds, at that scope. Postcondition: somebody who can sign in; the answer
/// carries their token, once. What needs a second person is given with `grant_staff_role`.
#[utoipa::path(request_body = Invite, responses((status = 201, description = "The new member, with their token.", body = View)))]
#[post("/v1/staff/invitations")]
async fn invite_staff(caller: Caller, body: Json<Invite>) -> Result<View> {
    let body = body.into_inner();
    let write = |ctx| async move { staff::invite(&ctx, body).await };
    caller.write(operation("invite_staff"), write).await.map(Answer::created)
}

/// End access and revoke tokens.
///
/// Precondition: they are active and not the last administrator. Postcondition: their tokens and those of their agents
/// are refused from now on; what they did stays.
#[utoipa::path(params(StaffPath), request_body = Deactivate, responses((status = 200, description = "The member as they are now.", body = View)))]
#[post("/v1/staff/{staff_id}/deactivate")]
async fn deactivate_staff(caller: Caller, path: Path<StaffPath>, body: Json<Deactivate>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { staff::deactivate(&ctx, path.staff_id, body).await };
    caller.write(operation("deactivate_staff"), write).await.map(Answer::ok)
}

/// Roles with their capabilities.
///
/// Changes nothing. The built-in ones, then the tenant's own, oldest first.
#[utoipa::path(params(PageQuery), responses((status = 200, description = "One page.", body = Page<RoleView>)))]
#[get("/v1/roles")]
async fn list_roles(caller: Caller, page: Query<PageQuery>) -> Result<Page<RoleView>> {
    caller.read(|ctx| async move { staff::list_roles(&ctx, page.into_inner()).await }).await.map(Answer::view)
}

/// Name a set of capabilities.
///
/// Precondition: you hold all of them. Postcondition: a role that can be given within your scope; nobody has it yet.
#[utoipa::path(request_body = CreateRole, responses((status = 201, description = "The new role.", body = RoleView)))]
#[post("/v1/roles")]
async fn create_role(caller: Caller, body: Json<CreateRole>) -> Result<RoleView> {
    let body = body.into_inner();
    let write = |ctx| async move { staff::create_role(&ctx, body).await };
    caller.write(operation("create_role"), write).await.map(Answer::created)
}

/// Give a role at tenant, brand, store or self scope.
///
/// Precondition: you hold everything the role holds, at that scope; it is not for yourself; power over many orders of
/// several brands needs an approval. Postcondition: it counts from their next call on.
#[utoipa::path(params(StaffPath), request_body = Grant, responses((status = 200, description = "The member as they are now.", body = View)))]
#[post("/v1/staff/{staff_id}/role-grants")]
async fn grant_staff_role(caller: Caller, path: Path<StaffPath>, body: Json<Grant>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { staff::grant(&ctx, path.staff_id, body).await };
    caller.write(operation("grant_staff_role"), write).await.map(Answer::ok)
}

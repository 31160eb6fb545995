use actix_web::web::{Json, Path, Query};
use actix_web::{get, post};
use serde::Deserialize;
use shop_domain::ids::ApprovalId;
use shop_domain::operations::operation;
use shop_service::approvals::{self, Decide, Filter, Request, View};
use shop_service::{Page, PageQuery};
use utoipa::IntoParams;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(list_approvals).service(get_approval).service(request_approval);
    config.service(approve_request).service(reject_request).service(withdraw_approval_request);
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct ApprovalPath {
    /// Which approval.
    approval_id: ApprovalId,
}

/// Waiting and decided approvals in my scope.
///
/// Changes nothing. Newest first.
#[utoipa::path(params(Filter, PageQuery), responses((status = 200, description = "One page.", body = Page<View>)))]
#[get("/v1/approvals")]
async fn list_approvals(caller: Caller, filter: Query<Filter>, page: Query<PageQuery>) -> Result<Page<View>> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller.read(|ctx| async move { approvals::list(&ctx, filter, page).await }).await.map(Answer::view)
}

/// Exact operation, amount, order version and digest under approval.
///
/// Changes nothing.
#[utoipa::path(params(ApprovalPath), responses((status = 200, description = "The approval.", body = View)))]
#[get("/v1/approvals/{approval_id}")]
async fn get_approval(caller: Caller, path: Path<ApprovalPath>) -> Result<View> {
    caller.read(|ctx| async move { approvals::get(&ctx, path.approval_id).await }).await.map(Answer::view)
}

/// Ask for sign-off on one exact operation.
///
/// Postcondition: an approval in state `waiting`. Once it is approved, repeat the operation with exactly this body
/// and its `approval_id`.
#[utoipa::path(request_body = Request, responses((status = 201, description = "The new approval.", body = View)))]
#[post("/v1/approvals")]
async fn request_approval(caller: Caller, body: Json<Request>) -> Result<View> {
    let body = body.into_inner();
    let write = |ctx| async move { approvals::request(&ctx, body).await };
    caller.write(operation("request_approval"), write).await.map(Answer::created)
}

/// Sign off; never allowed for the requester or for an agent.
///
/// Precondition: it waits, and you are neither its requester nor an agent. Postcondition: the operation can run once.
#[utoipa::path(params(ApprovalPath), request_body = Decide, responses((status = 200, description = "The approval as it is now.", body = View)))]
#[post("/v1/approvals/{approval_id}/approve")]
async fn approve_request(caller: Caller, path: Path<ApprovalPath>, body: Json<Decide>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { approvals::approve(&ctx, path.approval_id, body).await };
    caller.write(operation("approve_request"), write).await.map(Answer::ok)
}

/// Refuse with a reason.
///
/// Precondition: it waits, and you are neither its requester nor an agent. Postcondition: the operation cannot run.
#[utoipa::path(params(ApprovalPath), request_body = Decide, responses((status = 200, description = "The approval as it is now.", body = View)))]
#[post("/v1/approvals/{approval_id}/reject")]
async fn reject_request(caller: Caller, path: Path<ApprovalPath>, body: Json<Decide>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { approvals::reject(&ctx, path.approval_id, body).await };
    caller.write(operation("reject_request"), write).await.map(Answer::ok)
}

/// Take a request back before a decision.
///
/// Precondition: it is yours and waits. Postcondition: nobody can decide it any more.
#[utoipa::path(params(ApprovalPath), responses((status = 200, description = "The approval as it is now.", body = View)))]
#[post("/v1/approvals/{approval_id}/withdraw")]
async fn withdraw_approval_request(caller: Caller, path: Path<ApprovalPath>) -> Result<View> {
    let path = path.into_inner();
    let write = |ctx| async move { approvals::withdraw(&ctx, path.approval_id).await };
    caller.write(operation("withdraw_approval_request"), write).await.map(Answer::ok)
}

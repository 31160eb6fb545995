use actix_web::web::{Json, Path, Query};
use actix_web::{get, post};
use serde::Deserialize;
use shop_domain::ids::TicketId;
use shop_domain::operations::operation;
use shop_service::tickets::{self, Close, Create, Escalate, Filter, Reply, View};
use shop_service::{Page, PageQuery};
use utoipa::IntoParams;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(list_tickets).service(get_ticket).service(create_ticket);
    config.service(reply_to_ticket).service(escalate_ticket).service(close_ticket);
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct TicketPath {
    /// Which ticket.
    ticket_id: TicketId,
}

/// By status, assignee, customer or order.
///
/// Changes nothing. Newest first; shoppers see their own. The thread is in `get_ticket`.
#[utoipa::path(params(Filter, PageQuery), responses((status = 200, description = "One page.", body = Page<View>)))]
#[get("/v1/tickets")]
async fn list_tickets(caller: Caller, filter: Query<Filter>, page: Query<PageQuery>) -> Result<Page<View>> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller.read(|ctx| async move { tickets::list(&ctx, filter, page).await }).await.map(Answer::view)
}

/// Thread with linked order.
///
/// Changes nothing. Internal messages are shown to staff only.
#[utoipa::path(params(TicketPath), responses((status = 200, description = "The ticket.", body = View)))]
#[get("/v1/tickets/{ticket_id}")]
async fn get_ticket(caller: Caller, path: Path<TicketPath>) -> Result<View> {
    caller.read(|ctx| async move { tickets::get(&ctx, path.ticket_id).await }).await.map(Answer::view)
}

/// Open a case; changes nothing on the order.
///
/// Postcondition: a ticket in state `open` with one message. It refunds, cancels and sends nothing.
#[utoipa::path(request_body = Create, responses((status = 201, description = "The new ticket.", body = View)))]
#[post("/v1/tickets")]
async fn create_ticket(caller: Caller, body: Json<Create>) -> Result<View> {
    let body = body.into_inner();
    let write = |ctx| async move { tickets::create(&ctx, body).await };
    caller.write(operation("create_ticket"), write).await.map(Answer::created)
}

/// Message the customer.
///
/// Postcondition: staff's reply makes it `pending`, the customer's `open`; a closed ticket is open again. An internal
/// message is for staff and moves nothing.
#[utoipa::path(params(TicketPath), request_body = Reply, responses((status = 201, description = "The ticket as it is now.", body = View)))]
#[post("/v1/tickets/{ticket_id}/messages")]
async fn reply_to_ticket(caller: Caller, path: Path<TicketPath>, body: Json<Reply>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { tickets::reply(&ctx, path.ticket_id, body).await };
    caller.write(operation("reply_to_ticket"), write).await.map(Answer::created)
}

/// Pass to a human team with a summary.
///
/// Precondition: it is `open` or `pending`. Postcondition: it is `escalated` and nobody's until somebody answers.
#[utoipa::path(params(TicketPath), request_body = Escalate, responses((status = 200, description = "The ticket as it is now.", body = View)))]
#[post("/v1/tickets/{ticket_id}/escalate")]
async fn escalate_ticket(caller: Caller, path: Path<TicketPath>, body: Json<Escalate>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { tickets::escalate(&ctx, path.ticket_id, body).await };
    caller.write(operation("escalate_ticket"), write).await.map(Answer::ok)
}

/// Resolve with a code.
///
/// Precondition: it is not closed. Postcondition: it is `closed`; a reply reopens it.
#[utoipa::path(params(TicketPath), request_body = Close, responses((status = 200, description = "The ticket as it is now.", body = View)))]
#[post("/v1/tickets/{ticket_id}/close")]
async fn close_ticket(caller: Caller, path: Path<TicketPath>, body: Json<Close>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { tickets::close(&ctx, path.ticket_id, body).await };
    caller.write(operation("close_ticket"), write).await.map(Answer::ok)
}

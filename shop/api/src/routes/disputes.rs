use actix_web::web::{Json, Path, Query};
use actix_web::{get, post};
use serde::Deserialize;
use shop_domain::ids::DisputeId;
use shop_domain::operations::operation;
use shop_service::disputes::{self, Accept, Filter, SubmitEvidence, View};
use shop_service::{Page, PageQuery};
use utoipa::IntoParams;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(list_disputes).service(submit_dispute_evidence).service(accept_dispute);
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct DisputePath {
    /// Which dispute.
    dispute_id: DisputeId,
}

/// Chargebacks with their deadlines.
///
/// Newest first. What the gateway has opened or decided since the last look is booked first; nothing else changes.
#[utoipa::path(params(Filter, PageQuery), responses((status = 200, description = "One page.", body = Page<View>)))]
#[get("/v1/disputes")]
async fn list_disputes(caller: Caller, filter: Query<Filter>, page: Query<PageQuery>) -> Result<Page<View>> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller.read(|ctx| async move { disputes::list(&ctx, filter, page).await }).await.map(Answer::view)
}

/// Contest a chargeback; can be sent once.
///
/// Precondition: the dispute is `open`, its deadline has not passed, and it is at the version in If-Match.
/// Postcondition: `evidence_sent`; the bank decides within days. After `outcome_unknown` repeat this call, or
/// `sync_payment_status` of its payment.
#[utoipa::path(params(DisputePath), request_body = SubmitEvidence, responses((status = 200, description = "The dispute as it is now.", body = View)))]
#[post("/v1/disputes/{dispute_id}/evidence")]
async fn submit_dispute_evidence(
    caller: Caller,
    path: Path<DisputePath>,
    body: Json<SubmitEvidence>,
) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { disputes::submit_evidence(&ctx, path.dispute_id, body).await };
    caller.write(operation("submit_dispute_evidence"), write).await.map(Answer::ok)
}

/// Give up the chargeback; the money goes back to the customer.
///
/// Precondition: the dispute is not decided and is at the version in If-Match; above the store's limit a second person
/// must agree. Postcondition: `accepted`, and what the bank took is lost for good. Do not refund it as well.
#[utoipa::path(params(DisputePath), request_body = Accept, responses((status = 200, description = "The dispute as it is now.", body = View)))]
#[post("/v1/disputes/{dispute_id}/accept")]
async fn accept_dispute(caller: Caller, path: Path<DisputePath>, body: Json<Accept>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { disputes::accept(&ctx, path.dispute_id, body).await };
    caller.write(operation("accept_dispute"), write).await.map(Answer::ok)
}

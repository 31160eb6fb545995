use actix_web::get;
use actix_web::web::Query;
use shop_service::reports::{
    self, AuditEntry, AuditFilter, Event, EventFilter, LedgerReport, Reconciliation,
};
use shop_service::{Page, PageQuery};
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config
        .service(get_payment_reconciliation)
        .service(get_ledger_balances)
        .service(list_audit_log)
        .service(list_events);
}

/// Shop ledger against gateway ledger, with every difference.
///
/// Changes nothing. Asks the gateway for its own books. A difference marked unknown is settled by a look-up.
#[utoipa::path(responses((status = 200, description = "The comparison.", body = Reconciliation)))]
#[get("/v1/reports/payment-reconciliation")]
async fn get_payment_reconciliation(caller: Caller) -> Result<Reconciliation> {
    caller.read(|ctx| async move { reports::reconciliation(&ctx).await }).await.map(Answer::view)
}

/// Double-entry balances; the sum must be zero.
///
/// Changes nothing.
#[utoipa::path(responses((status = 200, description = "The balances.", body = LedgerReport)))]
#[get("/v1/reports/ledger")]
async fn get_ledger_balances(caller: Caller) -> Result<LedgerReport> {
    caller.read(|ctx| async move { reports::ledger(&ctx).await }).await.map(Answer::view)
}

/// Who did what, on whose behalf, with which approval.
///
/// Changes nothing. Newest first; refusals are in it, with the layer that decided.
#[utoipa::path(params(AuditFilter, PageQuery), responses((status = 200, description = "One page.", body = Page<AuditEntry>)))]
#[get("/v1/audit-log")]
async fn list_audit_log(
    caller: Caller,
    filter: Query<AuditFilter>,
    page: Query<PageQuery>,
) -> Result<Page<AuditEntry>> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller.read(|ctx| async move { reports::audit(&ctx, filter, page).await }).await.map(Answer::view)
}

/// Ordered event log with a cursor, for polling or catch-up.
///
/// Changes nothing. Oldest first; the cursor of the last page stays good.
#[utoipa::path(params(EventFilter, PageQuery), responses((status = 200, description = "One page.", body = Page<Event>)))]
#[get("/v1/events")]
async fn list_events(
    caller: Caller,
    filter: Query<EventFilter>,
    page: Query<PageQuery>,
) -> Result<Page<Event>> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller.read(|ctx| async move { reports::events(&ctx, filter, page).await }).await.map(Answer::view)
}

use actix_web::get;
use actix_web::web::Query;
use shop_service::reports::{
    self, AuditEntry, AuditFilter, Event, EventFilter, InventoryReport, LedgerReport, Period, Reconciliation,
    RefundReport, SalesReport, StockFilter,
};
use shop_service::{Page, PageQuery};
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config
        .service(get_sales_report)
        .service(get_refund_report)
        .service(get_inventory_report)
        .service(get_payment_reconciliation)
        .service(get_ledger_balances)
        .service(list_audit_log)
        .service(list_events);
}

/// Gross, discounts, refunds and net by day, store or brand.
///
/// Changes nothing. Adds up the ledger: the totals are the balances of its revenue, shipping, discount and tax accounts
/// over the period. What never left is cancelled, and in no sale; its refund is in the refund report.
#[utoipa::path(params(Period), responses((status = 200, description = "The report.", body = SalesReport)))]
#[get("/v1/reports/sales")]
async fn get_sales_report(caller: Caller, period: Query<Period>) -> Result<SalesReport> {
    let period = period.into_inner();
    caller.read(|ctx| async move { reports::sales(&ctx, period).await }).await.map(Answer::view)
}

/// Refunds by kind and reason.
///
/// Changes nothing. Adds up the refunds that were decided in the period, whatever became of them since.
#[utoipa::path(params(Period), responses((status = 200, description = "The report.", body = RefundReport)))]
#[get("/v1/reports/refunds")]
async fn get_refund_report(caller: Caller, period: Query<Period>) -> Result<RefundReport> {
    let period = period.into_inner();
    caller.read(|ctx| async move { reports::refunds(&ctx, period).await }).await.map(Answer::view)
}

/// Stock value, low stock and ageing.
///
/// Changes nothing. Adds up the levels as they are now; stock that is not counted is left out.
#[utoipa::path(params(StockFilter), responses((status = 200, description = "The report.", body = InventoryReport)))]
#[get("/v1/reports/inventory")]
async fn get_inventory_report(caller: Caller, filter: Query<StockFilter>) -> Result<InventoryReport> {
    let filter = filter.into_inner();
    caller.read(|ctx| async move { reports::inventory(&ctx, filter).await }).await.map(Answer::view)
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

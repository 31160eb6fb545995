use actix_web::web::{Json, Path, Query};
use actix_web::{get, post, put};
use serde::Deserialize;
use shop_domain::ids::CustomerId;
use shop_domain::operations::operation;
use shop_service::taxes::{self, CreateRate, Exemption, Rate, RateFilter, SetExemption};
use shop_service::{Page, PageQuery};
use utoipa::IntoParams;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(list_tax_rates).service(create_tax_rate).service(set_customer_tax_exemption);
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct CustomerPath {
    /// Whose certificate.
    customer_id: CustomerId,
}

/// Rates by region and category.
///
/// Changes nothing. Oldest first. Of several that fit, the narrowest region counts, then the latest start.
#[utoipa::path(params(RateFilter, PageQuery), responses((status = 200, description = "One page.", body = Page<Rate>)))]
#[get("/v1/tax/rates")]
async fn list_tax_rates(
    caller: Caller,
    filter: Query<RateFilter>,
    page: Query<PageQuery>,
) -> Result<Page<Rate>> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller.read(|ctx| async move { taxes::list_rates(&ctx, filter, page).await }).await.map(Answer::view)
}

/// Add a rate with its start date.
///
/// Precondition: the store is within your scope, and the start has not passed. Postcondition: what is quoted and ordered
/// from its start on is taxed by it; orders that were placed keep their tax.
#[utoipa::path(request_body = CreateRate, responses((status = 201, description = "The new rate.", body = Rate)))]
#[post("/v1/tax/rates")]
async fn create_tax_rate(caller: Caller, body: Json<CreateRate>) -> Result<Rate> {
    let body = body.into_inner();
    let write = |ctx| async move { taxes::create_rate(&ctx, body).await };
    caller.write(operation("create_tax_rate"), write).await.map(Answer::created)
}

/// Record an exemption certificate.
///
/// Precondition: the customer is within your scope. Postcondition: while the certificate holds, their quotes, carts and
/// new orders to where it holds have no tax; orders that were placed keep theirs. It takes the place of an earlier one.
#[utoipa::path(params(CustomerPath), request_body = SetExemption, responses((status = 200, description = "The certificate as it is now.", body = Exemption)))]
#[put("/v1/customers/{customer_id}/tax-exemption")]
async fn set_customer_tax_exemption(
    caller: Caller,
    path: Path<CustomerPath>,
    body: Json<SetExemption>,
) -> Result<Exemption> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { taxes::set_exemption(&ctx, path.customer_id, body).await };
    caller.write(operation("set_customer_tax_exemption"), write).await.map(Answer::ok)
}

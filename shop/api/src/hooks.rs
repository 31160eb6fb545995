//! Where the payment gateway tells what happened. It is not in the document: no client of the shop calls it.

use actix_web::web::{self, Bytes};
use actix_web::{HttpRequest, HttpResponse};
use shop_service::hooks;

use crate::caller;
use crate::problem::Problem;

/// `gateway-signature`, as the gateway sends it.
const SIGNATURE_HEADER: &str = "gateway-signature";

pub(crate) fn routes(config: &mut web::ServiceConfig) {
    config.route("/hooks/gateway", web::post().to(receive));
}

async fn receive(request: HttpRequest, body: Bytes) -> Result<HttpResponse, Problem> {
    let shop = caller::shop_of(&request).await?;
    let signature = caller::text_header(&request, SIGNATURE_HEADER)?.unwrap_or_default().to_owned();
    hooks::receive(&shop, &signature, &body).await?;
    Ok(HttpResponse::NoContent().finish())
}

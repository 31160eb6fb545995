//! One line in the world's journal for every request that reached a world.

use std::sync::Arc;

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;
use actix_web::{HttpMessage, HttpRequest};
use shop_domain::governance::Principal;
use shop_service::Shop;
use shop_world::journal::Line;

use crate::caller;

/// What is known of a request by the time it is answered.
#[derive(Clone)]
pub(crate) struct Seen {
    pub(crate) shop: Arc<Shop>,
    pub(crate) principal: Option<Arc<Principal>>,
}

/// Writes the line once the answer is known.
///
/// # Errors
/// What the handler refuses.
pub(crate) async fn write(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let answer = next.call(request).await?;
    let seen = answer.request().extensions().get::<Seen>().cloned();
    if let Some(Seen { shop, principal }) = seen {
        let line = line(answer.request(), principal.as_deref(), answer.status().as_u16());
        shop.world.journal.write(shop.world.clock.now(), line);
    }
    Ok(answer)
}

fn line(request: &HttpRequest, principal: Option<&Principal>, status: u16) -> Line {
    let operation = caller::operation_of(request).map(|operation| operation.id.to_owned());
    // The thing a path is about is the first that it names below its world.
    let about = request.match_info().iter().find(|(name, _)| *name != "world");
    Line {
        door: "rest".to_owned(),
        operation: operation.unwrap_or_else(|| format!("{} {}", request.method(), request.path())),
        principal: principal.map(|principal| principal.id.to_string()),
        key: caller::key_header(request).map(str::to_owned),
        about: about.map(|(_, text)| text.to_owned()),
        outcome: status.to_string(),
    }
}

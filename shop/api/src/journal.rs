//! One line in the world's journal for every request that reached a world.

use std::sync::Arc;

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;
use actix_web::{HttpMessage, HttpRequest};
use shop_domain::governance::Principal;
use shop_domain::operations::Operation;
use shop_service::Shop;
use shop_world::journal::Line;

use crate::caller;

/// What is known of a request by the time it is answered.
#[derive(Clone)]
pub(crate) struct Seen {
    pub(crate) shop: Arc<Shop>,
    pub(crate) operation: Option<&'static Operation>,
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
    if let Some(seen) = seen {
        let line = line(answer.request(), &seen, answer.status().as_u16());
        seen.shop.world.journal.write(seen.shop.world.clock.now(), line);
    }
    Ok(answer)
}

fn line(request: &HttpRequest, seen: &Seen, status: u16) -> Line {
    let operation = seen.operation.map(|operation| operation.id.to_owned());
    // The thing a path is about is the first that it names below its world.
    let about = request.match_info().iter().find(|(name, _)| *name != "world");
    Line {
        door: "rest".to_owned(),
        operation: operation.unwrap_or_else(|| format!("{} {}", request.method(), request.path())),
        principal: seen.principal.as_ref().map(|principal| principal.id.to_string()),
        key: caller::key_header(request).map(str::to_owned),
        about: about.map(|(_, text)| text.to_owned()),
        outcome: status.to_string(),
    }
}

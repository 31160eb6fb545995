//! One line in the world's journal for every call of an operation.

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;
use actix_web::{Error as ActixError, HttpMessage, HttpRequest};
use shop_world::journal::Line;

use crate::caller;

/// Who called, left on the request for the line about it.
#[derive(Clone, Debug)]
pub(crate) struct Name(pub(crate) String);

/// Writes the line once the answer is known.
///
/// # Errors
/// What the call itself ends with.
pub(crate) async fn write(
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, ActixError> {
    let response = next.call(request).await?;
    let request = response.request();
    if let Some(line) = line(request, response.status().as_u16())
        && let Ok(shop) = caller::shop_of(request).await
    {
        shop.world.journal.write(shop.world.clock.now(), line);
    }
    Ok(response)
}

fn line(request: &HttpRequest, status: u16) -> Option<Line> {
    let operation = caller::operation_of(request)?;
    let ids = request.match_info().iter().filter(|(name, _)| name.ends_with("_id"));
    let key = caller::text_header(request, caller::KEY_HEADER).ok().flatten();
    Some(Line {
        door: "rest".to_owned(),
        operation: operation.id.to_owned(),
        principal: request.extensions().get::<Name>().map(|name| name.0.clone()),
        key: key.map(str::to_owned),
        about: ids.map(|(_, id)| id.to_owned()).next(),
        outcome: status.to_string(),
    })
}

//! `POST /explain`: what each layer would say to a call. It stands beside the OpenAPI document and is in none of its
//! operations: it is about them.

use actix_web::web::Json;
use shop_service::explain::{self, Ask, Explanation};

use crate::answer::{Answer, Result};
use crate::caller::Caller;

/// Where it is, below the world's base.
pub(crate) const PATH: &str = "/explain";

/// Changes nothing. Administrators may ask about somebody else.
pub(crate) async fn explain(caller: Caller, body: Json<Ask>) -> Result<Explanation> {
    let ask = body.into_inner();
    caller.read(|ctx| async move { explain::explain(&ctx, ask).await }).await.map(Answer::view)
}

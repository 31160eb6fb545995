//! One file a noun; one handler an operation.

mod carts;

use actix_web::web;
use utoipa_actix_web::service_config::ServiceConfig;

/// All operations, with their documentation.
pub(crate) fn documented(config: &mut ServiceConfig) {
    carts::routes(config);
}

/// All operations, to be served under any prefix.
pub(crate) fn plain(config: &mut web::ServiceConfig) {
    carts::serve(config);
}

//! One file a noun; one handler an operation.

mod addresses;
mod payments;

use utoipa_actix_web::service_config::ServiceConfig;

/// All operations, each with its documentation.
pub(crate) fn all(config: &mut ServiceConfig) {
    addresses::routes(config);
    payments::routes(config);
}

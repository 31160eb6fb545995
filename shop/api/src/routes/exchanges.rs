use utoipa_actix_web::service_config::ServiceConfig;

pub(super) fn routes(_: &mut ServiceConfig) {}

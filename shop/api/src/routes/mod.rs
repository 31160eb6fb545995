//! One file a noun; one handler an operation.

mod addresses;
mod approvals;
mod carts;
mod catalog;
mod collections;
mod credit;
mod customers;
mod exchanges;
mod fulfillments;
mod gift_cards;
mod inventory;
mod orders;
mod payment_methods;
mod payments;
mod prices;
mod pricing;
mod promotions;
mod refunds;
mod reports;
mod returns;
mod shipping;
mod stores;
mod taxes;

use utoipa_actix_web::service_config::ServiceConfig;

/// All operations, each with its documentation.
pub(crate) fn all(config: &mut ServiceConfig) {
    addresses::routes(config);
    approvals::routes(config);
    carts::routes(config);
    catalog::routes(config);
    collections::routes(config);
    credit::routes(config);
    customers::routes(config);
    exchanges::routes(config);
    fulfillments::routes(config);
    gift_cards::routes(config);
    inventory::routes(config);
    orders::routes(config);
    payment_methods::routes(config);
    payments::routes(config);
    prices::routes(config);
    pricing::routes(config);
    promotions::routes(config);
    refunds::routes(config);
    reports::routes(config);
    returns::routes(config);
    shipping::routes(config);
    stores::routes(config);
    taxes::routes(config);
}

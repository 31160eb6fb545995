//! The store that imported orders belong to: dollars, no tax, free shipping, the reference's policy.

use anyhow::Result;
use chrono::TimeDelta;
use shop_domain::governance::Role;
use shop_domain::ids::{BrandId, LocationId, PrincipalId, ShippingMethodId, ShippingZoneId, StoreId};
use shop_domain::money::Currency;
use shop_domain::policy::Policy;
use shop_store::columns::Countries;
use shop_store::entities::{brands, locations, principals, shipping_methods, shipping_zones, stores};

use super::import::AGE;
use crate::ground::Ground;
use crate::history::{Site, Staff};
use crate::staff;

/// Who carries the reference's tasks out: an agent that may what a support lead may.
pub(super) const PRINCIPAL: &str = "tau2";
const ADMIN: &str = "admin";

pub(super) fn build(ground: &mut Ground) -> Result<Site> {
    let at = ground.now - AGE - TimeDelta::days(1);
    let brand_id = ground.draw.id(at, BrandId::new);
    ground.rows.brands.push(brands::Model { id: brand_id, name: "Retail".to_owned(), created_at: at });
    let store = stores::Model {
        id: ground.draw.id(at, StoreId::new),
        brand_id,
        name: "Retail US".to_owned(),
        currency: Currency::Usd,
        country: "US".to_owned(),
        policy: Policy::tau2(),
        created_at: at,
        version: 1,
    };
    ground.rows.stores.push(store.clone());
    let location_id = ground.draw.id(at, LocationId::new);
    ground.rows.locations.push(locations::Model {
        id: location_id,
        store_id: store.id,
        name: "Warehouse".to_owned(),
        country: "US".to_owned(),
    });
    let zone_id = ground.draw.id(at, ShippingZoneId::new);
    ground.rows.shipping_zones.push(shipping_zones::Model {
        id: zone_id,
        store_id: store.id,
        name: "United States".to_owned(),
        countries: Countries(vec!["US".to_owned()]),
    });
    let method = shipping_methods::Model {
        id: ground.draw.id(at, ShippingMethodId::new),
        zone_id,
        store_id: store.id,
        name: "Standard".to_owned(),
        carrier: "Parcel service".to_owned(),
        price_minor: 0,
        free_over_minor: None,
        per_kg_minor: 0,
        max_weight_g: 500_000,
        days_min: 2,
        days_max: 5,
        position: 0,
        is_active: true,
    };
    ground.rows.shipping_methods.push(method.clone());
    let requester = agent(ground);
    let decider = staff::principal(ground, at, ADMIN, Role::Admin, (None, None));
    Ok(Site { store, location_id, methods: vec![method], tax_rates: Vec::new(), requester, decider })
}

/// Name and bearer token of everybody who may call in this world.
pub(crate) fn tokens() -> Vec<(String, String)> {
    [PRINCIPAL, ADMIN].map(|name| (name.to_owned(), staff::demo_token(name))).into()
}

fn agent(ground: &mut Ground) -> Staff {
    let at = ground.now - AGE;
    let id = ground.draw.id(at, PrincipalId::new);
    ground.rows.principals.push(principals::Model {
        id,
        name: PRINCIPAL.to_owned(),
        role: Role::SupportLead,
        token: staff::demo_token(PRINCIPAL),
        is_agent: true,
        on_behalf_of: None,
        brand_id: None,
        store_id: None,
        customer_id: None,
        created_at: at,
        deactivated_at: None,
    });
    Staff { id, name: PRINCIPAL.to_owned() }
}

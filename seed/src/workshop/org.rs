//! Brands, stores, locations, shipping, tax and the people who work there.

use anyhow::Result;
use chrono::{DateTime, TimeDelta, Utc};
use shop_domain::governance::{Capability, Role};
use shop_domain::ids::{
    BrandId, LocationId, PrincipalId, RoleId, ShippingMethodId, ShippingZoneId, StoreId, TaxRateId,
    WebhookEndpointId,
};
use shop_domain::money::Currency;
use shop_domain::policy::Policy;
use shop_store::columns::{Capabilities, Countries, Subscriptions};
use shop_store::entities::{
    brands, locations, roles, shipping_methods, shipping_zones, stores, tax_rates, webhook_endpoints,
};

use super::{Each, Where};
use crate::ground::Ground;
use crate::history::{Site, Staff};
use crate::staff::{grant, principal};

/// Where Germany's store delivers besides Germany.
const NEIGHBOURS: [&str; 6] = ["AT", "BE", "FR", "LU", "NL", "PL"];

/// How every zone is delivered to.
struct Method {
    name: &'static str,
    carrier: &'static str,
    price_minor: i64,
    free_over_minor: Option<i64>,
    per_kg_minor: i64,
    max_weight_g: i64,
    days: (i64, i64),
}

const METHODS: [Method; 3] = [
    Method {
        name: "Standard",
        carrier: "Parcel post",
        price_minor: 490,
        free_over_minor: Some(15_000),
        per_kg_minor: 0,
        max_weight_g: 30_000,
        days: (2, 4),
    },
    Method {
        name: "Express",
        carrier: "Night courier",
        price_minor: 1_290,
        free_over_minor: None,
        per_kg_minor: 100,
        max_weight_g: 20_000,
        days: (1, 1),
    },
    Method {
        name: "Heavy goods",
        carrier: "Freight carrier",
        price_minor: 6_900,
        free_over_minor: None,
        per_kg_minor: 0,
        max_weight_g: 500_000,
        days: (5, 10),
    },
];

pub(crate) struct Org {
    pub(crate) founded_at: DateTime<Utc>,
    pub(crate) stores: Each<stores::Model>,
    locations: Each<LocationId>,
    methods: Vec<shipping_methods::Model>,
    tax_rates: Vec<tax_rates::Model>,
    requester: Staff,
    decider: Staff,
}

impl Org {
    pub(crate) fn site(&self, which: Where) -> Result<Site> {
        let store = self.stores.of(which).clone();
        Ok(Site {
            location_id: *self.locations.of(which),
            methods: self.methods.iter().filter(|row| row.store_id == store.id).cloned().collect(),
            tax_rates: self.tax_rates.iter().filter(|row| row.store_id == store.id).cloned().collect(),
            requester: self.requester.clone(),
            decider: self.decider.clone(),
            store,
        })
    }

    pub(crate) fn location(&self, which: Where) -> LocationId {
        *self.locations.of(which)
    }
}

pub(crate) fn build(ground: &mut Ground) -> Result<Org> {
    let founded_at = ground.now - TimeDelta::days(400);
    let loom = brand(ground, founded_at, "Lantern & Loom");
    let copper = brand(ground, founded_at, "Copper & Pine");
    let stores = Each {
        de: store(ground, founded_at, (loom, "Lantern & Loom Germany"), Currency::Eur, "DE"),
        gb: store(ground, founded_at, (loom, "Lantern & Loom UK"), Currency::Gbp, "GB"),
        us: store(ground, founded_at, (copper, "Copper & Pine US"), Currency::Usd, "US"),
    };
    let locations = Each {
        de: location(ground, founded_at, stores.de.id, "Leipzig warehouse", "DE"),
        gb: location(ground, founded_at, stores.gb.id, "Leeds warehouse", "GB"),
        us: location(ground, founded_at, stores.us.id, "Columbus warehouse", "US"),
    };
    let neighbours: Vec<&str> = ["DE"].into_iter().chain(NEIGHBOURS).collect();
    let mut methods = shipping(ground, founded_at, stores.de.id, ("Germany and neighbours", &neighbours), 0);
    methods.extend(shipping(ground, founded_at, stores.gb.id, ("United Kingdom", &["GB"]), 0));
    methods.extend(shipping(ground, founded_at, stores.us.id, ("United States", &["US"]), 200));
    let tax_rates = taxes(ground, founded_at, &stores);
    let (requester, decider) = staff(ground, founded_at, &stores.de)?;
    webhooks(ground, founded_at, decider.id);
    Ok(Org { founded_at, stores, locations, methods, tax_rates, requester, decider })
}

fn brand(ground: &mut Ground, at: DateTime<Utc>, name: &str) -> BrandId {
    let id = ground.draw.id(at, BrandId::new);
    ground.rows.brands.push(brands::Model { id, name: name.to_owned(), created_at: at });
    id
}

fn store(
    ground: &mut Ground,
    at: DateTime<Utc>,
    (brand_id, name): (BrandId, &str),
    currency: Currency,
    country: &str,
) -> stores::Model {
    // The British store trusts its customers: new goods leave before the old ones are back.
    let exchange_waits_for_return = country != "GB";
    let row = stores::Model {
        id: ground.draw.id(at, StoreId::new),
        brand_id,
        name: name.to_owned(),
        currency,
        country: country.to_owned(),
        policy: Policy { exchange_waits_for_return, ..Policy::default() },
        created_at: at,
        version: 1,
    };
    ground.rows.stores.push(row.clone());
    row
}

fn location(
    ground: &mut Ground,
    at: DateTime<Utc>,
    store_id: StoreId,
    name: &str,
    country: &str,
) -> LocationId {
    let id = ground.draw.id(at, LocationId::new);
    let (name, country) = (name.to_owned(), country.to_owned());
    ground.rows.locations.push(locations::Model { id, store_id, name, country });
    id
}

/// One zone with its three methods; `more_minor` is what distance adds.
fn shipping(
    ground: &mut Ground,
    at: DateTime<Utc>,
    store_id: StoreId,
    (zone, countries): (&str, &[&str]),
    more_minor: i64,
) -> Vec<shipping_methods::Model> {
    let zone_id = ground.draw.id(at, ShippingZoneId::new);
    ground.rows.shipping_zones.push(shipping_zones::Model {
        id: zone_id,
        store_id,
        name: zone.to_owned(),
        countries: Countries(countries.iter().map(|&country| country.to_owned()).collect()),
    });
    let mut methods = Vec::with_capacity(METHODS.len());
    for (position, method) in (0..).zip(METHODS) {
        let Method { name, carrier, price_minor, free_over_minor, per_kg_minor, max_weight_g, days } = method;
        methods.push(shipping_methods::Model {
            id: ground.draw.id(at, ShippingMethodId::new),
            zone_id,
            store_id,
            name: name.to_owned(),
            carrier: carrier.to_owned(),
            price_minor: price_minor + more_minor,
            free_over_minor,
            per_kg_minor,
            max_weight_g,
            days_min: days.0,
            days_max: days.1,
            position,
            is_active: true,
        });
    }
    ground.rows.shipping_methods.extend(methods.iter().cloned());
    methods
}

fn taxes(ground: &mut Ground, at: DateTime<Utc>, stores: &Each<stores::Model>) -> Vec<tax_rates::Model> {
    let (de, gb, us) = (stores.de.id, stores.gb.id, stores.us.id);
    let mut table = vec![
        (de, "DE", None, "standard", 1_900),
        (de, "DE", None, "shipping", 1_900),
        (gb, "GB", None, "standard", 2_000),
        (gb, "GB", None, "shipping", 2_000),
        (us, "US", None, "standard", 0),
        (us, "US", Some("CA"), "standard", 725),
        (us, "US", Some("NY"), "standard", 400),
        (us, "US", Some("NY"), "shipping", 400),
        (us, "US", Some("TX"), "standard", 625),
    ];
    table.extend(NEIGHBOURS.map(|country| (de, country, None, "standard", 2_000)));
    table.extend(NEIGHBOURS.map(|country| (de, country, None, "shipping", 2_000)));
    let rows: Vec<_> = table
        .into_iter()
        .map(|(store_id, country, region, category, rate_bps)| tax_rates::Model {
            id: ground.draw.id(at, TaxRateId::new),
            store_id,
            country: country.to_owned(),
            region: region.map(str::to_owned),
            category: category.to_owned(),
            rate_bps,
            starts_at: at,
        })
        .collect();
    ground.rows.tax_rates.extend(rows.iter().cloned());
    rows
}

/// Everybody with a fixed demo token but the shoppers; returns who asks for approvals and who decides them.
fn staff(ground: &mut Ground, at: DateTime<Utc>, store: &stores::Model) -> Result<(Staff, Staff)> {
    let (brand, store) = (Some(store.brand_id), Some(store.id));
    let requester = principal(ground, at, "support", Role::SupportAgent, (brand, store));
    let decider = principal(ground, at, "lead", Role::SupportLead, (brand, store));
    principal(ground, at, "manager", Role::StoreManager, (brand, store));
    principal(ground, at, "brand", Role::BrandManager, (brand, None));
    principal(ground, at, "finance", Role::Finance, (None, None));
    principal(ground, at, "auditor", Role::Auditor, (None, None));
    let admin = principal(ground, at, "admin", Role::Admin, (None, None));
    // Power over everything takes two.
    principal(ground, at, "director", Role::Admin, (None, None));
    principal(ground, at, "nobody", Role::None, (None, None));
    let desk = principal(ground, at, "desk", Role::None, (brand, store));
    let role = returns_desk(ground, at, &admin);
    grant(ground, at, (&desk, &admin), role, (brand, store))?;
    Ok((requester, decider))
}

/// A role that the tenant made for itself: who unpacks what comes back, and sees no money move.
fn returns_desk(ground: &mut Ground, at: DateTime<Utc>, by: &Staff) -> RoleId {
    use Capability as C;
    let id = ground.draw.id(at, RoleId::new);
    let capabilities = vec![
        C::CatalogRead,
        C::OrdersRead,
        C::FulfillmentRead,
        C::ReturnsRead,
        C::ReturnsWrite,
        C::ReturnsApprove,
    ];
    ground.rows.roles.push(roles::Model {
        id,
        name: "returns desk".to_owned(),
        capabilities: Capabilities(capabilities),
        brand_id: None,
        store_id: None,
        created_by: by.id,
        created_at: at,
        version: 1,
    });
    id
}

/// A subscription that sleeps: a seeded shop writes to nobody.
fn webhooks(ground: &mut Ground, at: DateTime<Utc>, created_by: PrincipalId) {
    ground.rows.webhook_endpoints.push(webhook_endpoints::Model {
        id: ground.draw.id(at, WebhookEndpointId::new),
        brand_id: None,
        store_id: None,
        url: "https://hooks.example.com/twinshop".to_owned(),
        description: "the warehouse's screen".to_owned(),
        events: Subscriptions(vec!["order.*".to_owned(), "return.received".to_owned()]),
        secret: "whsec_demo".to_owned(),
        is_active: false,
        failures_in_row: 0,
        last_delivered_at: None,
        last_failed_at: None,
        created_by,
        created_at: at,
        deleted_at: None,
        version: 1,
    });
}

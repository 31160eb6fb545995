//! Metrics for Prometheus, read off the worlds when they are asked for.

use actix_web::web::Data;
use actix_web::{HttpResponse, get};
use anyhow::Context as _;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use utoipa_actix_web::service_config::ServiceConfig;

use super::Plane;
use super::answer::Result;

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(metrics);
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfWorld {
    world: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfDoor {
    world: String,
    door: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfFault {
    world: String,
    fault: String,
}

/// Worlds, exchanges by door, effects at the gateway and faults, in OpenMetrics text.
#[utoipa::path(responses((status = 200, description = "The metrics.", content_type = "application/openmetrics-text")))]
#[get("/metrics")]
async fn metrics(plane: Data<Plane>) -> Result<HttpResponse> {
    let mut registry = Registry::with_prefix("twinshop");
    let (exchanges, faults, effects) = (
        Family::<OfDoor, Counter>::default(),
        Family::<OfFault, Counter>::default(),
        Family::<OfWorld, Counter>::default(),
    );
    let worlds = Gauge::<i64>::default();
    registry.register("worlds", "Worlds that are open", worlds.clone());
    registry.register("exchanges", "Calls and webhooks, as in the journal", exchanges.clone());
    registry.register("faults", "Faults that have struck", faults.clone());
    registry.register("gateway_effects", "Lines of the gateway's books", effects.clone());
    for open in plane.worlds.all() {
        worlds.inc();
        let name = &open.shop.world.name;
        for (door, count) in open.shop.world.journal.totals() {
            exchanges.get_or_create(&OfDoor { world: name.clone(), door }).inc_by(count);
        }
        for (rule, hits) in open.shop.world.faults.list() {
            let label = OfFault { world: name.clone(), fault: rule.fault };
            faults.get_or_create(&label).inc_by(hits.into());
        }
        if let Some(account) = &open.account {
            let lines = account.ledger_entries().context("reading the gateway's books")?.len();
            let label = OfWorld { world: name.clone() };
            effects.get_or_create(&label).inc_by(u64::try_from(lines).unwrap_or(u64::MAX));
        }
    }
    let mut text = String::new();
    encode(&mut text, &registry).context("writing the metrics")?;
    Ok(HttpResponse::Ok().content_type(OPEN_METRICS).body(text))
}

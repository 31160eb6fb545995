use reqwest::Url;
use serde::{Deserialize, Serialize};
use shop_domain::ids::{EventId, StoreId, WebhookEndpointId};
use shop_domain::limits;
use shop_domain::status::DeliveryStatus;
use shop_domain::webhooks::{EVERYTHING, TOPICS, is_subscription};

use crate::error::{Error, Result};

/// A new subscription.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CreateWebhookEndpoint)]
#[serde(deny_unknown_fields)]
pub struct Create {
    /// Where events are posted: http or https, without credentials. This machine is allowed.
    #[schema(example = "https://hooks.example.com/shop", max_length = 2000)]
    pub url: String,
    /// Event types (`order.placed`), whole topics (`refund.*`), or `*` for all; at most 50.
    #[schema(example = json!(["order.placed", "refund.*"]))]
    pub events: Vec<String>,
    /// What it is for.
    #[schema(example = "warehouse screen", max_length = 500)]
    pub description: Option<String>,
    /// Only events of this store; of all you see when absent.
    pub store_id: Option<StoreId>,
    /// Whether events are sent at all; they are when absent.
    pub is_active: Option<bool>,
}

/// A sample.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = SendTestWebhook)]
#[serde(deny_unknown_fields)]
pub struct SendTest {
    /// The type the sample pretends to be of.
    #[schema(example = "order.placed", max_length = 64)]
    pub event_type: String,
}

/// Which endpoints to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Filter {
    /// Only those that are, or are not, sent anything.
    pub is_active: Option<bool>,
}

/// Which deliveries to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DeliveryFilter {
    /// To one endpoint.
    pub endpoint_id: Option<WebhookEndpointId>,
    /// In one state.
    pub status: Option<DeliveryStatus>,
    /// Of one event.
    pub event_id: Option<EventId>,
}

/// A place that requests can be sent to, and that tells nobody a password.
pub(super) fn check_url(url: &str) -> Result<()> {
    let bad = |message: &str| Err(Error::invalid("/url", message));
    if url.len() > limits::URL_CHARS_MAX {
        return Err(Error::invalid(
            "/url",
            format!("a URL has at most {} characters", limits::URL_CHARS_MAX),
        ));
    }
    let Ok(parsed) = Url::parse(url) else { return bad("this is no URL such as https://example.com/hook") };
    if !matches!(parsed.scheme(), "http" | "https") || !parsed.has_host() {
        return bad("events are posted to http or https URLs");
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return bad("leave credentials out of the URL; verify the signature instead");
    }
    if parsed.fragment().is_some() {
        return bad("leave out what follows #; it is never sent");
    }
    Ok(())
}

pub(super) fn check_events(events: &[String]) -> Result<()> {
    if events.is_empty() || events.len() > limits::SUBSCRIPTIONS_MAX {
        let message = format!("name 1 to {} event types", limits::SUBSCRIPTIONS_MAX);
        return Err(Error::invalid("/events", message));
    }
    match events.iter().position(|event| !is_subscription(event)) {
        Some(at) => Err(Error::invalid(format!("/events/{at}"), what_there_is())),
        None => Ok(()),
    }
}

pub(super) fn check_type(kind: &str) -> Result<()> {
    if is_subscription(kind) && !kind.contains(EVERYTHING) {
        return Ok(());
    }
    Err(Error::invalid("/event_type", what_there_is()))
}

fn what_there_is() -> String {
    format!(
        "an event type is a topic and what happened, such as order.placed; topics are {}",
        TOPICS.join(", ")
    )
}

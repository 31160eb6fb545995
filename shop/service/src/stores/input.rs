use serde::{Deserialize, Serialize};
use shop_domain::ids::BrandId;
use shop_domain::limits;
use shop_domain::money::Currency;
use shop_domain::policy::Policy;

use crate::addresses::check_country;
use crate::error::{Error, Result};
use crate::text::must_fit;

/// The longest a policy lets anything take: ten years in days, and as many hours or minutes.
const POLICY_MAX: i64 = 3_650;

/// A new store.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CreateStore)]
#[serde(deny_unknown_fields)]
pub struct Create {
    /// The brand whose products it sells.
    pub brand_id: BrandId,
    #[schema(example = "Harbour Vienna", min_length = 1, max_length = 120)]
    pub name: String,
    /// Of all its prices.
    pub currency: Currency,
    /// Where it has its seat and its first location: an ISO 3166-1 alpha-2 code.
    #[schema(example = "AT")]
    pub country: String,
    /// Where it delivers; only to its own country when absent.
    #[schema(example = json!(["AT", "DE"]))]
    pub delivers_to: Option<Vec<String>>,
    /// Price of its first shipping method, in minor units of its currency.
    #[schema(example = 490, minimum = 0)]
    pub shipping_minor: i64,
    /// What it decides for itself; the usual policies when absent.
    pub policy: Option<Policy>,
}

/// Which stores to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Filter {
    /// Of one brand.
    pub brand_id: Option<BrandId>,
}

pub(super) fn check(input: &Create) -> Result<()> {
    must_fit(&input.name, limits::NAME_CHARS_MAX, "/name")?;
    check_country(&input.country, "/country")?;
    let countries = input.delivers_to.as_deref().unwrap_or_default();
    if input.delivers_to.is_some() && countries.is_empty() || countries.len() > limits::IDS_MAX {
        let message = format!("a store delivers to 1 to {} countries", limits::IDS_MAX);
        return Err(Error::invalid("/delivers_to", message));
    }
    for (at, country) in countries.iter().enumerate() {
        check_country(country, &format!("/delivers_to/{at}"))?;
    }
    if !(0..=limits::UNIT_PRICE_MINOR_MAX).contains(&input.shipping_minor) {
        let message = format!("shipping costs 0 to {} minor units", limits::UNIT_PRICE_MINOR_MAX);
        return Err(Error::invalid("/shipping_minor", message));
    }
    input.policy.as_ref().map_or(Ok(()), check_policy)
}

fn check_policy(policy: &Policy) -> Result<()> {
    for (field, value, min, max) in [
        ("return_window_days", policy.return_window_days, 0, POLICY_MAX),
        ("price_match_days", policy.price_match_days, 0, POLICY_MAX),
        ("refund_limit_minor", policy.refund_limit_minor, 0, limits::UNIT_PRICE_MINOR_MAX),
        ("consent_minutes", policy.consent_minutes, 1, POLICY_MAX),
        ("hold_minutes", policy.hold_minutes, 1, POLICY_MAX),
        ("approval_hours", policy.approval_hours, 1, POLICY_MAX),
    ] {
        if !(min..=max).contains(&value) {
            return Err(Error::invalid(format!("/policy/{field}"), format!("{field} is {min} to {max}")));
        }
    }
    for (field, is_empty) in [
        ("cancel_reasons", policy.cancel_reasons.is_empty()),
        ("refund_destinations", policy.refund_destinations.is_empty()),
    ] {
        if is_empty {
            return Err(Error::invalid(format!("/policy/{field}"), "name at least one"));
        }
    }
    Ok(())
}

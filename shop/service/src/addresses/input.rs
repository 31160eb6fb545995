use serde::{Deserialize, Serialize};
use shop_domain::address::Address;
use shop_domain::limits;

use crate::error::{Error, Result};

/// A new entry of the address book.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CreateCustomerAddress)]
#[serde(deny_unknown_fields)]
pub struct Create {
    /// What the customer calls it.
    #[schema(example = "Office", min_length = 1, max_length = 60)]
    pub label: String,
    /// Where it is.
    pub address: Address,
    /// Whether new carts use it.
    #[serde(default)]
    pub is_default: bool,
}

/// Changes to a saved address; what is absent stays.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = UpdateCustomerAddress)]
#[serde(deny_unknown_fields)]
pub struct Update {
    /// What the customer calls it.
    #[schema(example = "Home", min_length = 1, max_length = 60)]
    pub label: Option<String>,
    /// The whole new address.
    pub address: Option<Address>,
}

/// Lengths and the country code, field by field.
pub(crate) fn check_address(address: &Address, pointer: &str) -> Result<()> {
    let required = [
        ("name", &address.name),
        ("line1", &address.line1),
        ("city", &address.city),
        ("postal_code", &address.postal_code),
    ];
    for (field, text) in required {
        if text.trim().is_empty() || text.len() > limits::ADDRESS_LINE_CHARS_MAX {
            let message = format!("{field} has 1 to {} characters", limits::ADDRESS_LINE_CHARS_MAX);
            return Err(Error::invalid(format!("{pointer}/{field}"), message));
        }
    }
    for (field, text) in [("line2", &address.line2), ("region", &address.region)] {
        if text.len() > limits::ADDRESS_LINE_CHARS_MAX {
            return Err(Error::invalid(
                format!("{pointer}/{field}"),
                format!("{field} has at most {} characters", limits::ADDRESS_LINE_CHARS_MAX),
            ));
        }
    }
    check_country(&address.country, &format!("{pointer}/country"))
}

pub(crate) fn check_country(country: &str, pointer: &str) -> Result<()> {
    let is_code = country.len() == 2 && country.bytes().all(|byte| byte.is_ascii_uppercase());
    if !is_code {
        return Err(Error::invalid(pointer, "country is an ISO 3166-1 alpha-2 code such as DE"));
    }
    Ok(())
}

pub(crate) fn check_label(label: &str) -> Result<()> {
    if label.trim().is_empty() || label.len() > limits::CODE_CHARS_MAX {
        return Err(Error::invalid(
            "/label",
            format!("a label has 1 to {} characters", limits::CODE_CHARS_MAX),
        ));
    }
    Ok(())
}

use serde::{Deserialize, Serialize};
use shop_domain::ids::StoreId;
use shop_domain::limits;
use shop_domain::status::CustomerStatus;

use crate::error::{Error, Result};

/// A new customer account.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CreateCustomer)]
#[serde(deny_unknown_fields)]
pub struct Create {
    /// The store they buy in.
    pub store_id: StoreId,
    /// Not used by another account of the brand.
    #[schema(example = "ada@example.com", max_length = 254)]
    pub email: String,
    #[schema(example = "Ada", min_length = 1, max_length = 120)]
    pub first_name: String,
    #[schema(example = "Byron", min_length = 1, max_length = 120)]
    pub last_name: String,
    #[schema(example = "+49 40 123456", max_length = 32)]
    pub phone: Option<String>,
    /// At most 20.
    #[schema(example = json!(["vip"]))]
    pub tags: Option<Vec<String>>,
    /// Whether they agreed to marketing; they did not when absent.
    pub accepts_marketing: Option<bool>,
}

/// Changes to a customer; what is absent stays.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = UpdateCustomer)]
#[serde(deny_unknown_fields)]
pub struct Update {
    #[schema(example = "ada@example.com", max_length = 254)]
    pub email: Option<String>,
    #[schema(example = "Ada", min_length = 1, max_length = 120)]
    pub first_name: Option<String>,
    #[schema(example = "Byron", min_length = 1, max_length = 120)]
    pub last_name: Option<String>,
    /// Empty removes it.
    #[schema(example = "+49 40 123456", max_length = 32)]
    pub phone: Option<String>,
    /// All tags, at most 20; staff only.
    #[schema(example = json!(["vip"]))]
    pub tags: Option<Vec<String>>,
    pub accepts_marketing: Option<bool>,
}

/// Which customers to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Filter {
    /// With exactly this address.
    #[param(example = "ada@example.com")]
    pub email: Option<String>,
    /// With exactly this number.
    pub phone: Option<String>,
    /// With this tag.
    #[param(example = "vip")]
    pub tag: Option<String>,
    /// Called this, whatever the case.
    #[param(example = "Ada")]
    pub first_name: Option<String>,
    /// Called this, whatever the case.
    #[param(example = "Byron")]
    pub last_name: Option<String>,
    /// With this postal code in the address book; tells namesakes apart.
    #[param(example = "20457")]
    pub postal_code: Option<String>,
    /// In one state.
    pub status: Option<CustomerStatus>,
    /// Of one store.
    pub store_id: Option<StoreId>,
}

/// One `@` with something on both sides; whether mail arrives is for the mail to say.
pub(crate) fn check_email(email: &str) -> Result<()> {
    let is_address = email.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty() && host.contains('.') && !host.starts_with('.') && !host.contains('@')
    });
    let is_plain = !email.chars().any(|c| c.is_whitespace() || c.is_control());
    if is_address && is_plain && email.len() <= limits::EMAIL_CHARS_MAX {
        return Ok(());
    }
    let max = limits::EMAIL_CHARS_MAX;
    Err(Error::invalid(
        "/email",
        format!("an email address looks like ada@example.com, up to {max} characters"),
    ))
}

pub(super) fn check_name(name: &str, pointer: &str) -> Result<()> {
    if name.trim().is_empty() || name.len() > limits::NAME_CHARS_MAX {
        return Err(Error::invalid(
            pointer,
            format!("a name has 1 to {} characters", limits::NAME_CHARS_MAX),
        ));
    }
    Ok(())
}

pub(super) fn check_phone(phone: &str) -> Result<()> {
    if phone.len() > limits::PHONE_CHARS_MAX {
        let message = format!("a phone number has at most {} characters", limits::PHONE_CHARS_MAX);
        return Err(Error::invalid("/phone", message));
    }
    Ok(())
}

pub(super) fn check_tags(tags: &[String]) -> Result<()> {
    if tags.len() > limits::TAGS_MAX {
        return Err(Error::invalid("/tags", format!("at most {} tags", limits::TAGS_MAX)));
    }
    for (at, tag) in tags.iter().enumerate() {
        if tag.trim().is_empty() || tag.len() > limits::CODE_CHARS_MAX {
            let message = format!("a tag has 1 to {} characters", limits::CODE_CHARS_MAX);
            return Err(Error::invalid(format!("/tags/{at}"), message));
        }
    }
    Ok(())
}

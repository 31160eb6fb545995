use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use shop_domain::catalog::MediaKind;
use shop_domain::ids::{BrandId, CollectionId, StoreId};
use shop_domain::limits;
use shop_domain::money::Currency;
use shop_domain::status::ProductStatus;

use crate::error::{Error, Result};
use crate::text;

/// A new product, which nobody can buy yet.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CreateProduct)]
#[serde(deny_unknown_fields)]
pub struct Create {
    /// Whose product it is; your own brand when absent.
    pub brand_id: Option<BrandId>,
    #[schema(example = "Harbour mug", min_length = 1, max_length = 120)]
    pub title: String,
    #[schema(example = "Stoneware mug, 0.3 l.", min_length = 1, max_length = 4000)]
    pub description: String,
    /// The path of a category of `list_categories`.
    #[schema(example = "kitchen")]
    pub category: String,
    /// What can be chosen, and among which values; what its variants say when absent.
    #[serde(default)]
    #[schema(example = json!({"colour": ["blue", "red"]}))]
    pub options: BTreeMap<String, Vec<String>>,
    /// What buyers are told about returns.
    #[schema(example = "30 days", min_length = 1, max_length = 500)]
    pub return_policy: String,
}

/// Changes to a product; what is absent stays.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = UpdateProduct)]
#[serde(deny_unknown_fields)]
pub struct Update {
    #[schema(example = "Harbour mug", min_length = 1, max_length = 120)]
    pub title: Option<String>,
    #[schema(example = "Stoneware mug, 0.3 l.", min_length = 1, max_length = 4000)]
    pub description: Option<String>,
    /// The path of a category of `list_categories`.
    #[schema(example = "kitchen")]
    pub category: Option<String>,
    /// All that can be chosen; what the variants are must be among it.
    #[schema(example = json!({"colour": ["blue", "red"]}))]
    pub options: Option<BTreeMap<String, Vec<String>>>,
    /// What buyers are told about returns.
    #[schema(example = "30 days", min_length = 1, max_length = 500)]
    pub return_policy: Option<String>,
}

/// Where a product is to be sold.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = PublishProduct)]
#[serde(deny_unknown_fields)]
pub struct Publish {
    /// Stores of its brand; those that sell it already go on.
    #[schema(min_items = 1, max_items = 200)]
    pub store_ids: Vec<StoreId>,
}

/// An image or file.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = AddProductMedia)]
#[serde(deny_unknown_fields)]
pub struct AddMedia {
    pub kind: MediaKind,
    /// Where browsers find it; it is not fetched here.
    #[schema(example = "https://example.com/mug.jpg", max_length = 2000)]
    pub url: String,
    /// What it shows, in words.
    #[schema(example = "A blue mug on a table", min_length = 1, max_length = 500)]
    pub alt: String,
}

/// A new variant of a product.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CreateVariant)]
#[serde(deny_unknown_fields)]
pub struct CreateVariant {
    /// The shop's own code; no other variant has it.
    #[schema(example = "MUG-GREEN", min_length = 1, max_length = 64)]
    pub sku: String,
    #[schema(example = "Green mug", min_length = 1, max_length = 120)]
    pub title: String,
    /// A value for each option of the product.
    #[serde(default)]
    #[schema(example = json!({"colour": "green"}))]
    pub options: BTreeMap<String, String>,
    /// Base price of one unit, in minor units.
    #[schema(example = 1990, minimum = 0, maximum = 100_000_000)]
    pub price_minor: i64,
    /// Of the price; that of the product's other variants, or of the stores you work for, when absent.
    pub currency: Option<Currency>,
    /// Of one unit, in grams.
    #[schema(example = 400, minimum = 0, maximum = 10_000_000)]
    pub weight_g: i64,
    /// The category of tax rates; `standard` when absent.
    #[schema(example = "standard", max_length = 64)]
    pub tax_category: Option<String>,
    /// The number that scanners read.
    #[schema(example = "4006381333931", pattern = "^[0-9]{8,14}$")]
    pub barcode: Option<String>,
    /// Whether its stock is counted; otherwise any number can be bought. Counted when absent.
    pub is_tracked: Option<bool>,
}

/// Changes to a variant; what is absent stays.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = UpdateVariant)]
#[serde(deny_unknown_fields)]
pub struct UpdateVariant {
    /// The shop's own code; no other variant has it.
    #[schema(example = "MUG-GREEN", min_length = 1, max_length = 64)]
    pub sku: Option<String>,
    #[schema(example = "Green mug", min_length = 1, max_length = 120)]
    pub title: Option<String>,
    /// A value for each option of the product.
    #[schema(example = json!({"colour": "green"}))]
    pub options: Option<BTreeMap<String, String>>,
    /// Of one unit, in grams.
    #[schema(example = 400, minimum = 0, maximum = 10_000_000)]
    pub weight_g: Option<i64>,
    /// The number that scanners read; an empty text takes it away.
    #[schema(example = "4006381333931", pattern = "^([0-9]{8,14})?$")]
    pub barcode: Option<String>,
}

/// A new category.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CreateCategory)]
#[serde(deny_unknown_fields)]
pub struct CreateCategory {
    /// Its own part of the path.
    #[schema(example = "mugs", min_length = 1, max_length = 64)]
    pub name: String,
    /// The path of the category above; at the root when absent.
    #[schema(example = "kitchen")]
    pub parent: Option<String>,
}

/// Which products to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Filter {
    /// In one state; shoppers see published ones only.
    pub status: Option<ProductStatus>,
    /// In one category.
    #[param(example = "kitchen")]
    pub category: Option<String>,
    /// Of one brand.
    pub brand_id: Option<BrandId>,
    /// Sold in one store.
    pub store_id: Option<StoreId>,
    /// In one collection.
    pub collection_id: Option<CollectionId>,
}

/// What to search for. Everything that is sent must hold.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Search {
    /// Words; each must occur in the title, description or category, or in a variant's title or SKU.
    #[param(example = "blue mug", max_length = 200)]
    pub q: Option<String>,
    /// In one category.
    #[param(example = "kitchen")]
    pub category: Option<String>,
    /// Sold in one store.
    pub store_id: Option<StoreId>,
    /// A variant costs at least this, in minor units.
    #[param(example = 1000)]
    pub min_price_minor: Option<i64>,
    /// A variant costs at most this, in minor units.
    #[param(example = 3000)]
    pub max_price_minor: Option<i64>,
    /// Only products of which a variant can be bought now.
    #[serde(default)]
    pub is_available: Option<bool>,
}

/// The names and values of options: few, not empty, each once.
pub(super) fn check_options(options: &BTreeMap<String, Vec<String>>) -> Result<()> {
    if options.len() > limits::OPTIONS_MAX {
        return Err(Error::invalid(
            "/options",
            format!("a product has at most {} options", limits::OPTIONS_MAX),
        ));
    }
    for (name, values) in options {
        let pointer = format!("/options/{name}");
        text::must_fit(name, limits::CODE_CHARS_MAX, pointer.clone())?;
        if !(1..=limits::OPTION_VALUES_MAX).contains(&values.len()) {
            let message = format!("an option has 1 to {} values", limits::OPTION_VALUES_MAX);
            return Err(Error::invalid(pointer, message));
        }
        for (at, value) in values.iter().enumerate() {
            text::must_fit(value, limits::CODE_CHARS_MAX, format!("{pointer}/{at}"))?;
            if values.iter().take(at).any(|other| other == value) {
                return Err(Error::invalid(format!("{pointer}/{at}"), "each value is named once"));
            }
        }
    }
    Ok(())
}

/// The option values of one variant.
pub(super) fn check_choice(options: &BTreeMap<String, String>) -> Result<()> {
    let as_lists = options.iter().map(|(name, value)| (name.clone(), vec![value.clone()])).collect();
    check_options(&as_lists)
}

pub(super) fn check_weight(weight_g: i64) -> Result<()> {
    if (0..=limits::WEIGHT_G_MAX).contains(&weight_g) {
        return Ok(());
    }
    Err(Error::invalid("/weight_g", format!("a weight is 0 to {} grams", limits::WEIGHT_G_MAX)))
}

pub(super) fn check_barcode(barcode: &str) -> Result<()> {
    if (8..=14).contains(&barcode.len()) && barcode.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(());
    }
    Err(Error::invalid("/barcode", "a barcode has 8 to 14 digits"))
}

pub(super) fn check_url(url: &str) -> Result<()> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let is_plain = url.len() <= limits::URL_CHARS_MAX && url.bytes().all(|byte| byte.is_ascii_graphic());
    if is_plain && rest.is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_alphanumeric())) {
        return Ok(());
    }
    let max = limits::URL_CHARS_MAX;
    Err(Error::invalid(
        "/url",
        format!("an address such as https://example.com/mug.jpg, up to {max} characters"),
    ))
}

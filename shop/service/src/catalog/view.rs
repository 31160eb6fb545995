use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::catalog::MediaKind;
use shop_domain::ids::{BrandId, MediaId, ProductId, StoreId, VariantId};
use shop_domain::money::Currency;
use shop_domain::status::ProductStatus;
use shop_store::entities::{product_media, products, variants};

use crate::prices;

/// What is sold; its variants are what is bought.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Product)]
pub struct View {
    pub id: ProductId,
    pub brand_id: BrandId,
    #[schema(example = "Harbour mug")]
    pub title: String,
    pub description: String,
    #[schema(example = "kitchen")]
    pub category: String,
    pub status: ProductStatus,
    /// What can be chosen, and among which values.
    #[schema(example = json!({"colour": ["blue", "red"]}))]
    pub options: BTreeMap<String, Vec<String>>,
    /// From the cheapest to the dearest variant, one entry a currency.
    pub prices: Vec<PriceRange>,
    /// How many variants it has; `list_variants` names them.
    pub variant_count: usize,
    /// The stores that sell it while it is published.
    pub store_ids: Vec<StoreId>,
    /// Images and files, in the order they are shown.
    pub media: Vec<Media>,
    #[schema(example = "30 days")]
    pub return_policy: String,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// Grows with every change; the ETag.
    pub version: i64,
}

/// An image or file of a product.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ProductMedia)]
pub struct Media {
    pub id: MediaId,
    pub kind: MediaKind,
    #[schema(example = "https://example.com/mug.jpg")]
    pub url: String,
    /// What it shows, in words.
    #[schema(example = "A blue mug on a table")]
    pub alt: String,
}

/// Prices from the lowest to the highest, in minor units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PriceRange {
    pub currency: Currency,
    #[schema(example = 1990)]
    pub min_minor: i64,
    #[schema(example = 2490)]
    pub max_minor: i64,
}

/// One purchasable form of a product.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Variant)]
pub struct Variant {
    pub id: VariantId,
    pub product_id: ProductId,
    #[schema(example = "MUG-BLUE")]
    pub sku: String,
    /// The number that scanners read.
    #[schema(example = "4006381333931")]
    pub barcode: Option<String>,
    #[schema(example = "Blue mug")]
    pub title: String,
    #[schema(example = json!({"colour": "blue"}))]
    pub options: BTreeMap<String, String>,
    /// In minor units.
    #[schema(example = 1990)]
    pub price_minor: i64,
    /// What it cost before a sale, in minor units.
    pub compare_at_minor: Option<i64>,
    pub currency: Currency,
    pub weight_g: i64,
    #[schema(example = "standard")]
    pub tax_category: String,
    /// Whether one can be bought now: it is on sale and in stock.
    pub is_available: bool,
    /// Grows with every change; the ETag.
    pub version: i64,
}

/// A group of products.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Category)]
pub struct Category {
    /// From the root, parts joined by `/`: what the filter `category` takes.
    #[schema(example = "kitchen/mugs")]
    pub path: String,
    /// The last part.
    #[schema(example = "mugs")]
    pub name: String,
    /// The path of the category above; null at the root.
    #[schema(example = "kitchen")]
    pub parent: Option<String>,
    /// Products you can see in exactly this category.
    pub product_count: i64,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SearchResults {
    /// Products, by title.
    pub items: Vec<View>,
    /// Whether another page follows.
    pub has_more: bool,
    /// What to send as `cursor` for it.
    pub next_cursor: Option<String>,
    /// Of everything that was found, not only this page.
    pub facets: Facets,
}

/// How what was found divides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = SearchFacets)]
pub struct Facets {
    /// From the cheapest to the dearest variant, one entry a currency.
    pub prices: Vec<PriceRange>,
    /// Products of which a variant can be bought now.
    pub available: u64,
    /// Products of which none can.
    pub unavailable: u64,
    pub categories: Vec<CategoryCount>,
}

/// Products of one category.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct CategoryCount {
    #[schema(example = "kitchen")]
    pub path: String,
    pub products: i64,
}

impl View {
    pub(super) fn new(row: products::Model, variants: &[variants::Model], media: Vec<Media>) -> Self {
        let mut options = row.options.0;
        for (name, value) in variants.iter().flat_map(|variant| &variant.options.0) {
            let values = options.entry(name.clone()).or_default();
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
        Self {
            id: row.id,
            brand_id: row.brand_id,
            title: row.title,
            description: row.description,
            category: row.category,
            status: row.status,
            options,
            prices: ranges(variants),
            variant_count: variants.len(),
            store_ids: row.store_ids.0,
            media,
            return_policy: row.return_policy,
            created_at: row.created_at,
            updated_at: row.updated_at,
            version: row.version,
        }
    }
}

impl From<product_media::Model> for Media {
    fn from(row: product_media::Model) -> Self {
        Self { id: row.id, kind: row.kind, url: row.url, alt: row.alt }
    }
}

fn ranges(variants: &[variants::Model]) -> Vec<PriceRange> {
    let mut ranges: BTreeMap<Currency, (i64, i64)> = BTreeMap::new();
    for (currency, price) in variants.iter().flat_map(prices::base_prices) {
        let price = price.price_minor;
        let range = ranges.entry(currency).or_insert((price, price));
        *range = (Ord::min(range.0, price), Ord::max(range.1, price));
    }
    let range = |(currency, (min_minor, max_minor))| PriceRange { currency, min_minor, max_minor };
    ranges.into_iter().map(range).collect()
}

impl Variant {
    pub(super) fn new(row: variants::Model, is_available: bool) -> Self {
        Self {
            id: row.id,
            product_id: row.product_id,
            sku: row.sku,
            barcode: row.barcode,
            title: row.title,
            options: row.options.0,
            price_minor: row.price_minor,
            compare_at_minor: row.compare_at_minor,
            currency: row.currency,
            weight_g: row.weight_g,
            tax_category: row.tax_category,
            is_available,
            version: row.version,
        }
    }
}

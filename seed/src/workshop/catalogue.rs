//! Products and variants from the table, and how much of each is on the shelf.

use chrono::{DateTime, Utc};
use rand::RngExt;
use shop_domain::ids::{ProductId, VariantId};
use shop_domain::status::ProductStatus;
use shop_store::columns::{DeclaredOptions, Options, Prices, StoreIds};
use shop_store::entities::{inventory_levels, products, stores, variants};

use super::org::Org;
use super::products::{PRODUCTS, Product};
use super::{Each, Where};
use crate::ground::Ground;

/// Variants whose stock is part of a story: what is nearly gone, and what is gone while its sisters are there.
const SCARCE: [(&str, i64); 3] = [("Green mug", 2), ("Red mug", 0), ("Silver headphones", 0)];

/// Titles that keep their capital letter behind a colour.
const PROPER_NAMES: [&str; 2] = ["Bluetooth", "DAB"];

/// Fills the catalogue; returns what histories may sell, by store.
pub(super) fn build(ground: &mut Ground, org: &Org) -> Each<Vec<variants::Model>> {
    let mut stock = Each { de: Vec::new(), gb: Vec::new(), us: Vec::new() };
    let mut shelf = ground.draw.chance("shelf");
    for product in &PRODUCTS {
        for variant in make(ground, org.stores.of(product.sold_in), org.founded_at, product) {
            let scarce = SCARCE.iter().find(|(title, _)| *title == variant.title);
            let free = scarce.map_or_else(|| shelf.random_range(12..60), |(_, free)| *free);
            ground.rows.inventory_levels.push(inventory_levels::Model {
                variant_id: variant.id,
                location_id: org.location(product.sold_in),
                on_hand: free,
                reserved: 0,
                version: 1,
            });
            ground.rows.variants.push(variant.clone());
            match product.sold_in {
                Where::De => stock.de.push(variant),
                Where::Gb => stock.gb.push(variant),
                Where::Us => stock.us.push(variant),
            }
        }
    }
    stock
}

/// Whether an ordinary order may contain it: nothing scarce, and nothing that needs a lorry.
pub(super) fn is_ordinary(variant: &variants::Model) -> bool {
    variant.weight_g < 5_000 && !SCARCE.iter().any(|(title, _)| *title == variant.title)
}

pub(super) fn make(
    ground: &mut Ground,
    store: &stores::Model,
    at: DateTime<Utc>,
    product: &Product,
) -> Vec<variants::Model> {
    let id = ground.draw.id(at, ProductId::new);
    ground.rows.products.push(products::Model {
        id,
        external_id: None,
        brand_id: store.brand_id,
        title: product.title.to_owned(),
        description: product.about.to_owned(),
        category: product.category.to_owned(),
        options: DeclaredOptions::default(),
        status: ProductStatus::Published,
        store_ids: StoreIds(vec![store.id]),
        return_policy: "Back within 30 days, unused and with its tags.".to_owned(),
        created_at: at,
        updated_at: at,
        version: 1,
    });
    (0..)
        .zip(choices(product.options))
        .map(|(position, choice)| variants::Model {
            id: ground.draw.id(at, VariantId::new),
            external_id: None,
            product_id: id,
            position,
            sku: sku(product, &choice),
            barcode: None,
            title: title(product, &choice),
            options: Options(
                choice.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            ),
            price_minor: product.price_minor + product.step_minor * position,
            compare_at_minor: None,
            currency: store.currency,
            other_prices: Prices::default(),
            weight_g: product.weight_g,
            tax_category: "standard".to_owned(),
            is_sellable: true,
            is_tracked: true,
            created_at: at,
            version: 1,
        })
        .collect()
}

type Choice = Vec<(&'static str, &'static str)>;

/// Every combination of option values; one empty choice where there are no options.
fn choices(options: &[(&'static str, &'static [&'static str])]) -> Vec<Choice> {
    let mut all = vec![Choice::new()];
    for (name, values) in options {
        let with = |choice: &Choice| {
            let choice = choice.clone();
            values
                .iter()
                .map(move |value| choice.iter().copied().chain([(*name, *value)]).collect())
                .collect()
        };
        all = all.iter().flat_map(|choice: &Choice| -> Vec<Choice> { with(choice) }).collect();
    }
    all
}

/// `Blue mug` where only the colour differs, else `Linen shirt, white, M`.
fn title(product: &Product, choice: &Choice) -> String {
    if let [("color", color)] = choice.as_slice() {
        let mut letters = color.chars();
        let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
        let rest = letters.as_str();
        return match PROPER_NAMES.iter().any(|name| product.title.starts_with(name)) {
            true => format!("{first}{rest} {}", product.title),
            false => format!("{first}{rest} {}", product.title.to_lowercase()),
        };
    }
    let values = choice.iter().map(|(_, value)| *value);
    [product.title].into_iter().chain(values).collect::<Vec<_>>().join(", ")
}

/// `DE-LINEN-SHIRT-WHITE-M`.
fn sku(product: &Product, choice: &Choice) -> String {
    let words = [product.sold_in.country(), product.title].into_iter();
    let words = words.chain(choice.iter().map(|(_, value)| *value)).collect::<Vec<_>>().join(" ");
    let plain: String = words
        .to_uppercase()
        .chars()
        .filter(|letter| *letter != '\'')
        .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
        .collect();
    plain
}

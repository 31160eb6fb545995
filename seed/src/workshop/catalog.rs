//! What is not on sale: a product that is being written, and one that was taken out of the range; and what somebody
//! made for products: categories and pictures.

use anyhow::{Context, Result};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use shop_domain::catalog::{MediaKind, ProductEvent};
use shop_domain::ids::{MediaId, ProductId};
use shop_domain::status::ProductStatus;
use shop_store::columns::StoreIds;
use shop_store::entities::{categories, product_media, products, variants};

use super::catalogue::make;
use super::products::{PLANNED, RETIRED};
use super::{Cast, Where};
use crate::ground::Ground;

/// Made and still empty.
const CATEGORIES: [&str; 3] = ["garden", "garden/tools", "kitchen/baking"];
/// One that is on sale, with a picture.
const PICTURED: &str = "Toast rack";

/// Returns the variant of which nothing is sold any more.
pub(super) fn build(ground: &mut Ground, cast: &Cast) -> Result<variants::Model> {
    let at = ground.now - TimeDelta::days(20);
    for path in CATEGORIES {
        ground.rows.categories.push(categories::Model { path: path.to_owned(), created_at: at });
        ground.books.event(&ground.draw, at, "category.created", path, None, json!({ "path": path }));
    }
    planned(ground, cast)?;
    let pictured = cast.variant(PICTURED)?.product_id;
    media(ground, at, pictured, (MediaKind::Image, "toast-rack.jpg", "The rack with four slices in it"))?;
    media(ground, at, pictured, (MediaKind::File, "toast-rack-care.pdf", "How to polish it"))?;
    retired(ground, cast)
}

fn planned(ground: &mut Ground, cast: &Cast) -> Result<()> {
    let store = &cast.sites.of(Where::Gb).store;
    let at = ground.now - TimeDelta::days(2);
    let variants = make(ground, store, at, &PLANNED);
    let row = ground.rows.products.last_mut().context("a product that was just made")?;
    row.status = ProductStatus::Draft;
    row.store_ids = StoreIds::default();
    let (id, data) = (row.id, json!({ "brand_id": row.brand_id }));
    ground.books.event(&ground.draw, at, "product.created", id, None, data);
    for variant in &variants {
        let data = json!({ "product_id": id, "sku": variant.sku });
        ground.books.event(&ground.draw, at, "variant.created", variant.id, None, data);
    }
    ground.rows.variants.extend(variants);
    media(ground, at, id, (MediaKind::Image, "colander.jpg", "A cream colander on its foot"))
}

fn retired(ground: &mut Ground, cast: &Cast) -> Result<variants::Model> {
    let site = cast.sites.of(Where::Gb);
    let made_at = ground.now - TimeDelta::days(300);
    let variant = make(ground, &site.store, made_at, &RETIRED).into_iter().next();
    let variant = variant.context("a product with a variant")?;
    ground.rows.variants.push(variant.clone());
    let at = ground.now - TimeDelta::days(1);
    let row = product(ground, variant.product_id)?;
    row.status = row.status.after(ProductEvent::Archived)?;
    row.updated_at = at;
    row.version += 1;
    ground.books.event(&ground.draw, at, "product.archived", variant.product_id, None, json!({}));
    Ok(variant)
}

fn media(
    ground: &mut Ground,
    at: DateTime<Utc>,
    product_id: ProductId,
    (kind, file, alt): (MediaKind, &str, &str),
) -> Result<()> {
    let own = ground.rows.product_media.iter().filter(|row| row.product_id == product_id);
    let row = product_media::Model {
        id: ground.draw.id(at, MediaId::new),
        product_id,
        position: i64::try_from(own.count())?,
        kind,
        url: format!("https://media.example.com/{file}"),
        alt: alt.to_owned(),
        created_at: at,
    };
    let data = json!({ "media_id": row.id });
    ground.books.event(&ground.draw, at, "product.media_added", product_id, None, data);
    ground.rows.product_media.push(row);
    let row = product(ground, product_id)?;
    row.updated_at = at;
    row.version += 1;
    Ok(())
}

fn product(ground: &mut Ground, id: ProductId) -> Result<&mut products::Model> {
    ground.rows.products.iter_mut().find(|row| row.id == id).context("a product that was never made")
}

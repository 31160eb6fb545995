use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, QuerySelect,
    Set as To,
};
use serde_json::json;
use shop_domain::ids::{PriceListId, ProductId, VariantId};
use shop_domain::limits;
use shop_domain::money::Currency;
use shop_domain::operations::operation;
use shop_store::columns::Price;
use shop_store::entities::{price_list_entries, price_lists, products, stores as store_rows, variants};

use super::input::{Create, Entry, Set, check_amount, check_dates};
use super::read::views;
use super::unit::base_price;
use super::view::{BasePrice, PriceList};
use crate::error::{Error, Result};
use crate::start::Start;
use crate::{Ctx, Reply, catalog, events, stores, text};

/// Sets what a variant costs in one currency. Orders that were placed keep their prices.
///
/// # Errors
/// When the variant is out of sight or has moved on, no store of its brand trades in the currency, or a price is bad.
pub async fn set(ctx: &Ctx, id: VariantId, currency: Currency, input: Set) -> Result<Reply<BasePrice>> {
    let tx = match ctx.start(operation("set_variant_price")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (variant, product) = catalog::find_own_variant(ctx, &*tx, id).await?;
    ctx.must_match(variant.version)?;
    let Set { price_minor, compare_at_minor } = input;
    check_amount(price_minor, "/price_minor")?;
    if let Some(struck) = compare_at_minor {
        check_amount(struck, "/compare_at_minor")?;
        if struck <= price_minor {
            let message = "the price that is struck out is higher than the one that is paid";
            return Err(Error::invalid("/compare_at_minor", message));
        }
    }
    let sellers = store_rows::Entity::find()
        .filter(store_rows::Column::BrandId.eq(product.brand_id))
        .filter(store_rows::Column::Currency.eq(currency))
        .one(&*tx)
        .await?;
    if sellers.is_none() {
        let message = format!("no store of the brand trades in {currency}; see list_stores");
        return Err(Error::invalid("/currency", message));
    }
    let version = variant.version + 1;
    let (own, mut others) = (variant.currency, variant.other_prices.clone());
    let mut row = variant.into_active_model();
    if currency == own {
        row.price_minor = To(price_minor);
        row.compare_at_minor = To(compare_at_minor);
    } else {
        others.0.insert(currency, Price { price_minor, compare_at_minor });
        row.other_prices = To(others);
    }
    row.version = To(version);
    row.update(&*tx).await?;
    let data = json!({ "currency": currency, "price_minor": price_minor });
    events::record(&*tx, ctx, "variant.price_set", id, None, data).await?;
    let view = BasePrice { variant_id: id, currency, price_minor, compare_at_minor, version };
    tx.finish(ctx, id, view).await
}

/// Makes a price list.
///
/// # Errors
/// When the store is out of sight, a date is bad, or an entry is for what the store does not sell.
pub async fn create(ctx: &Ctx, input: Create) -> Result<Reply<PriceList>> {
    let tx = match ctx.start(operation("create_price_list")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let store = stores::choose(ctx, &*tx, input.store_id).await?;
    text::must_fit(&input.name, limits::NAME_CHARS_MAX, "/name")?;
    if let Some(tag) = &input.customer_tag {
        text::must_fit(tag, limits::CODE_CHARS_MAX, "/customer_tag")?;
    }
    check_dates(input.starts_at, input.ends_at)?;
    check_entries(&*tx, &store, &input.entries).await?;
    let row = price_lists::ActiveModel {
        id: To(ctx.id(PriceListId::new)),
        store_id: To(store.id),
        name: To(input.name),
        customer_tag: To(input.customer_tag),
        starts_at: To(input.starts_at),
        ends_at: To(input.ends_at),
        created_at: To(ctx.now()),
        version: To(1),
    };
    let row = row.insert(&*tx).await?;
    for entry in input.entries {
        let entry = price_list_entries::ActiveModel {
            price_list_id: To(row.id),
            variant_id: To(entry.variant_id),
            price_minor: To(entry.price_minor),
        };
        entry.insert(&*tx).await?;
    }
    let id = row.id;
    events::record(&*tx, ctx, "price_list.created", id, None, json!({ "store_id": store.id })).await?;
    let view = views(ctx, &*tx, vec![row]).await?.pop();
    let view = view.ok_or_else(|| Error::internal("a price list has vanished"))?;
    tx.finish(ctx, id, view).await
}

/// Each variant once, of the store's brand, with a base price in its currency.
async fn check_entries(
    tx: &impl ConnectionTrait,
    store: &store_rows::Model,
    entries: &[Entry],
) -> Result<()> {
    if !(1..=limits::IDS_MAX).contains(&entries.len()) {
        return Err(Error::invalid("/entries", format!("a list has 1 to {} prices", limits::IDS_MAX)));
    }
    let ids = entries.iter().map(|entry| entry.variant_id);
    let found = variants::Entity::find().filter(variants::Column::Id.is_in(ids)).all(tx).await?;
    let own: Vec<ProductId> = products::Entity::find()
        .filter(products::Column::BrandId.eq(store.brand_id))
        .filter(products::Column::Id.is_in(found.iter().map(|variant| variant.product_id)))
        .select_only()
        .column(products::Column::Id)
        .into_tuple()
        .all(tx)
        .await?;
    for (at, entry) in entries.iter().enumerate() {
        check_amount(entry.price_minor, format!("/entries/{at}/price_minor"))?;
        let pointer = format!("/entries/{at}/variant_id");
        let variant = found.iter().find(|variant| variant.id == entry.variant_id);
        let variant = variant.filter(|variant| own.contains(&variant.product_id));
        let Some(variant) = variant else {
            return Err(Error::invalid(pointer, "there is no such variant of the store's brand"));
        };
        if base_price(variant, store.currency).is_none() {
            let message =
                format!("{} has no price in {}; set_variant_price first", variant.sku, store.currency);
            return Err(Error::invalid(pointer, message));
        }
        if entries.iter().take(at).any(|other| other.variant_id == entry.variant_id) {
            return Err(Error::invalid(pointer, "each variant is named once"));
        }
    }
    Ok(())
}

//! What has come since the last order: collections, price lists, promotions that need no code, and a certificate. All
//! of it holds from the present on, so that every order of the past cost what it would have cost then.

use anyhow::{Context, Result};
use chrono::TimeDelta;
use shop_domain::collections::{PriceRange, Rule};
use shop_domain::ids::{BrandId, CollectionId, PriceListId, ProductId, PromotionId};
use shop_domain::promotions::PromotionKind;
use shop_domain::status::PromotionStatus;
use shop_store::columns::{ProductIds, Tags};
use shop_store::entities::{
    collections, price_list_entries, price_lists, promotions, stores, tax_exemptions, variants,
};

use super::{Cast, Where};
use crate::ground::Ground;

/// The tag of customers who sell on, and which of the shoppers has it.
const TRADE: (&str, usize) = ("trade", 3);
/// Which of the shoppers has a certificate: one in the United States.
const EXEMPT: usize = 2;
/// What trade customers and early birds pay, in hundredths of the base price.
const TRADE_PERCENT: i64 = 85;
const EARLY_PERCENT: i64 = 90;

pub(super) fn build(ground: &mut Ground, cast: &Cast) -> Result<()> {
    let kitchen = kitchen(ground, cast)?;
    let small = small_things(ground, cast);
    price_lists(ground, cast)?;
    promotions(ground, cast, kitchen, small);
    exemption(ground, cast)
}

/// Picked by hand, in Germany.
fn kitchen(ground: &mut Ground, cast: &Cast) -> Result<CollectionId> {
    let mut picked: Vec<ProductId> = Vec::new();
    for title in ["Blue mug", "White espresso cup", "Teapot, 0.8 l"] {
        picked.push(cast.variant(title)?.product_id);
    }
    let brand = cast.sites.of(Where::De).store.brand_id;
    Ok(collection(ground, brand, "Coffee and tea", picked, None))
}

/// By a rule, in the United Kingdom.
fn small_things(ground: &mut Ground, cast: &Cast) -> CollectionId {
    let store = &cast.sites.of(Where::Gb).store;
    let price = PriceRange { currency: store.currency, min_minor: None, max_minor: Some(2_000) };
    let rule = Rule { price: Some(price), ..Rule::default() };
    collection(ground, store.brand_id, "Under twenty pounds", Vec::new(), Some(rule))
}

fn collection(
    ground: &mut Ground,
    brand_id: BrandId,
    title: &str,
    picked: Vec<ProductId>,
    rule: Option<Rule>,
) -> CollectionId {
    let id = ground.draw.id(ground.now, CollectionId::new);
    ground.rows.collections.push(collections::Model {
        id,
        brand_id,
        title: title.to_owned(),
        product_ids: ProductIds(picked),
        rule,
        created_at: ground.now,
        version: 1,
    });
    id
}

/// One for trade customers, and one for everybody that begins in a week.
fn price_lists(ground: &mut Ground, cast: &Cast) -> Result<()> {
    let trader = cast.shopper(TRADE.1)?.customer.id;
    let row = ground.rows.customers.iter_mut().find(|row| row.id == trader);
    row.context("a shopper who is no customer")?.tags = Tags(vec![TRADE.0.to_owned()]);
    let now = ground.now;
    let (de, us) = (&cast.sites.of(Where::De).store, &cast.sites.of(Where::Us).store);
    let trade = price_lists::Model {
        customer_tag: Some(TRADE.0.to_owned()),
        starts_at: Some(now),
        ..list(ground, de, "Trade prices")
    };
    let goods: Vec<_> = ["Blue mug", "Green mug", "Red mug"]
        .map(|title| cast.variant(title))
        .into_iter()
        .collect::<Result<_>>()?;
    keep(ground, trade, goods.iter(), TRADE_PERCENT);
    let early = price_lists::Model {
        starts_at: Some(now + TimeDelta::days(7)),
        ends_at: Some(now + TimeDelta::days(14)),
        ..list(ground, us, "Early birds")
    };
    keep(ground, early, cast.stock.of(Where::Us).iter().take(5), EARLY_PERCENT);
    Ok(())
}

fn list(ground: &Ground, store: &stores::Model, name: &str) -> price_lists::Model {
    price_lists::Model {
        id: ground.draw.id(ground.now, PriceListId::new),
        store_id: store.id,
        name: name.to_owned(),
        customer_tag: None,
        starts_at: None,
        ends_at: None,
        created_at: ground.now,
        version: 1,
    }
}

fn keep<'a>(
    ground: &mut Ground,
    list: price_lists::Model,
    goods: impl Iterator<Item = &'a variants::Model>,
    percent: i64,
) {
    let entry = |variant: &variants::Model| price_list_entries::Model {
        price_list_id: list.id,
        variant_id: variant.id,
        price_minor: variant.price_minor * percent / 100,
    };
    ground.rows.price_list_entries.extend(goods.map(entry));
    ground.rows.price_lists.push(list);
}

/// Without codes: one that holds in the United Kingdom, one that begins in two weeks, and one that was switched off.
fn promotions(ground: &mut Ground, cast: &Cast, kitchen: CollectionId, small: CollectionId) {
    let (de, gb, us) =
        (&cast.sites.of(Where::De).store, &cast.sites.of(Where::Gb).store, &cast.sites.of(Where::Us).store);
    let (now, soon) = (ground.now, ground.now + TimeDelta::days(14));
    let rows = [
        promotions::Model {
            kind: PromotionKind::BuyXGetY,
            buy_quantity: 2,
            get_quantity: 1,
            collection_id: Some(small),
            usage_limit: Some(200),
            ..automatic(ground, gb, "The third small thing is free")
        },
        promotions::Model {
            kind: PromotionKind::Percentage,
            value: 1_000,
            collection_id: Some(kitchen),
            budget_minor: Some(100_000),
            starts_at: Some(soon),
            ends_at: Some(soon + TimeDelta::days(14)),
            ..automatic(ground, de, "Two weeks of coffee and tea")
        },
        promotions::Model {
            kind: PromotionKind::FreeShipping,
            min_subtotal_minor: 7_500,
            status: PromotionStatus::Disabled,
            starts_at: Some(now),
            ..automatic(ground, us, "Free shipping from 75")
        },
    ];
    ground.rows.promotions.extend(rows);
}

fn automatic(ground: &Ground, store: &stores::Model, name: &str) -> promotions::Model {
    promotions::Model {
        id: ground.draw.id(ground.now, PromotionId::new),
        store_id: Some(store.id),
        name: name.to_owned(),
        kind: PromotionKind::Fixed,
        value: 0,
        min_subtotal_minor: 0,
        buy_quantity: 0,
        get_quantity: 0,
        is_automatic: true,
        collection_id: None,
        usage_limit: None,
        used: 0,
        budget_minor: None,
        spent_minor: 0,
        status: PromotionStatus::Active,
        starts_at: Some(ground.now),
        ends_at: None,
        created_at: ground.now,
        version: 1,
    }
}

/// Of the state the customer lives in, for a year.
fn exemption(ground: &mut Ground, cast: &Cast) -> Result<()> {
    let shopper = cast.shopper(EXEMPT)?;
    let home = &shopper.addresses.first().context("a customer without an address")?.address;
    ground.rows.tax_exemptions.push(tax_exemptions::Model {
        customer_id: shopper.customer.id,
        certificate: "RESALE-20417".to_owned(),
        country: home.country.clone(),
        region: Some(home.region.clone()).filter(|region| !region.is_empty()),
        valid_until: Some(ground.now + TimeDelta::days(365)),
        created_at: ground.now,
        updated_at: ground.now,
        version: 1,
    });
    Ok(())
}

//! Products and variants: what can be bought.

use mcp_actions_engine::parts::{Candidate, Map};
use mcp_actions_engine::{Caller as _, Failure};
use serde_json::json;
use shop_domain::ids::{ProductId, VariantId};
use shop_service::catalog::{self, Search, Variant, View};

use super::words::Phrase;
use super::{Found, candidate, start, unclear, whole_page};
use crate::caller::Caller;
use crate::failure::failure;
use crate::wire::{block, object};

/// How many variants a question offers.
const CANDIDATES_MAX: usize = 8;
/// Of how many products the variants are looked at.
const PRODUCTS_MAX: usize = 10;

/// What the words may mean among the goods in sight: ids, SKUs, titles and options.
pub(crate) async fn variants(caller: &Caller, words: &str) -> Result<Found, Failure> {
    let ctx = caller.ctx();
    let words = words.trim();
    if let Ok(id) = words.parse::<VariantId>() {
        let found = catalog::variant(&ctx, id).await.ok();
        return Ok(
            found.map_or_else(Found::default, |variant| Found::only(named(&variant, 1.0, "it has this id")))
        );
    }
    if let Ok(id) = words.parse::<ProductId>() {
        let all =
            catalog::list_variants(&ctx, id, whole_page()).await.map(|page| page.items).unwrap_or_default();
        let all = all.iter().take(CANDIDATES_MAX);
        return Ok(Found::fitting(all.map(|variant| named(variant, 0.5, "it is of this product")).collect()));
    }
    let phrase = Phrase::of(words, ctx.now());
    if phrase.names.is_empty() {
        return Ok(Found::default());
    }
    let mut fitting = Vec::new();
    let mut near = Vec::new();
    for (product, variant) in shelf(caller, &phrase).await? {
        let text = text(&product, &variant);
        if variant.sku.eq_ignore_ascii_case(words) {
            return Ok(Found::only(named(&variant, 1.0, "it has this SKU")));
        }
        if phrase.fits(&text) {
            fitting.push(named(&variant, if variant.is_available { 0.6 } else { 0.4 }, "it fits all words"));
        } else {
            near.push((phrase.hits(&text), named(&variant, 0.1, "only some of the words fit")));
        }
    }
    if let [only] = fitting.as_mut_slice() {
        only.confidence = 0.9;
    }
    if fitting.is_empty() {
        near.sort_by_key(|(hits, _)| std::cmp::Reverse(*hits));
        let near_misses = near.into_iter().take(3).map(|(_, near)| near).collect();
        return Ok(Found { near_misses, ..Found::default() });
    }
    fitting.truncate(CANDIDATES_MAX);
    Ok(Found::fitting(fitting))
}

/// The variants of the products that mention any of the words, those that mention all of them first.
async fn shelf(caller: &Caller, phrase: &Phrase) -> Result<Vec<(View, Variant)>, Failure> {
    let all: Vec<&str> = phrase.names.iter().map(String::as_str).collect();
    let mut products: Vec<View> = Vec::new();
    for query in std::iter::once(all.join(" ")).chain(all.iter().map(|word| (*word).to_owned())) {
        let search = Search { q: Some(query), ..Search::default() };
        let found = catalog::search(&caller.ctx(), search, whole_page()).await.map_err(failure)?;
        for product in found.items {
            if products.len() < PRODUCTS_MAX && products.iter().all(|known| known.id != product.id) {
                products.push(product);
            }
        }
    }
    let mut shelf = Vec::new();
    for product in products {
        let own = catalog::list_variants(&caller.ctx(), product.id, whole_page()).await.map_err(failure)?;
        shelf.extend(own.items.into_iter().map(|variant| (product.clone(), variant)));
    }
    Ok(shelf)
}

fn text(product: &View, variant: &Variant) -> String {
    let options: Vec<&str> = variant.options.values().map(String::as_str).collect();
    format!("{} {} {} {}", product.title, variant.title, variant.sku, options.join(" "))
}

fn named(variant: &Variant, confidence: f64, reason: &str) -> Candidate {
    let label = format!("{} ({}), {} {}", variant.title, variant.sku, variant.price_minor, variant.currency);
    candidate("Variant", variant.id, label, confidence, reason)
}

/// One product with its variants.
pub(super) async fn product(caller: &Caller, reference: &str) -> Result<Map, Failure> {
    let ctx = caller.ctx();
    let id = match reference.trim().parse::<ProductId>() {
        Ok(id) => id,
        Err(_) => one_variant(caller, reference).await?.product_id,
    };
    let product = catalog::get(&ctx, id).await.map_err(failure)?;
    let variants = catalog::list_variants(&ctx, id, whole_page()).await.map_err(failure)?.items;
    let buyable = variants.iter().filter(|variant| variant.is_available);
    let buy = |variant: &Variant| start("checkout", variant.id, &format!("Buy {}", variant.title));
    let next: Vec<_> = buyable.take(CANDIDATES_MAX).map(buy).collect();
    Ok(whole(caller, "Product", block(&product), json!({ "variants": block(&variants) }), &next))
}

/// One variant.
pub(super) async fn variant(caller: &Caller, reference: &str) -> Result<Map, Failure> {
    let variant = one_variant(caller, reference).await?;
    let next = match variant.is_available {
        true => vec![start("checkout", variant.id, &format!("Buy {}", variant.title))],
        false => Vec::new(),
    };
    Ok(whole(caller, "Variant", block(&variant), json!({}), &next))
}

async fn one_variant(caller: &Caller, reference: &str) -> Result<Variant, Failure> {
    let found = variants(caller, reference).await?;
    let Some(id) = found.clear.as_ref().and_then(|clear| clear.id.parse().ok()) else {
        return Err(unclear("variant", reference, &found));
    };
    catalog::variant(&caller.ctx(), id).await.map_err(failure)
}

/// A view of the service as the whole view of an entity.
pub(super) fn whole(
    caller: &Caller,
    kind: &str,
    view: serde_json::Value,
    more: serde_json::Value,
    next: &[mcp_actions_engine::parts::NextAction],
) -> Map {
    let mut whole = object(json!({ "entity": kind }));
    whole.extend(object(view));
    whole.extend(object(more));
    whole.insert("observed_at".to_owned(), json!(caller.world().clock.now()));
    whole.insert("next_actions".to_owned(), block(&next));
    whole
}

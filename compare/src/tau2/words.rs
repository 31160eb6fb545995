//! Gold calls as intents: every id of the reference becomes the words a customer has for it.

use std::collections::BTreeMap;

use anyhow::Context as _;
use serde_json::Value;

use super::data::{Data, GoldCall, GoldTask};
use crate::intent::{
    AddressWords, CancelOrder, ChangeOrderAddress, ChangePayment, ChangeProfileAddress, ExchangeItems,
    Intent, Item, Means, ModifyItems, OrderWords, Pay, ReturnItems, Swap, Who,
};

/// The reference asks for no reason; the shop does.
const REASON: &str = "changed_mind";

/// What a task asks for. A task that writes nothing is still asked about its orders.
pub(super) fn intents(data: &Data, task: &GoldTask) -> anyhow::Result<Vec<Intent>> {
    let written: Vec<Intent> = task
        .gold()
        .iter()
        .map(|call| write(data, call))
        .filter_map(Result::transpose)
        .collect::<Result<_, _>>()?;
    if !written.is_empty() {
        return Ok(written);
    }
    let reads = task.gold().iter().filter(|call| call.name == "get_order_details");
    reads
        .map(|call| Ok(Intent::ReadOrder(OrderWords { order: text(&call.arguments, "order_id")? })))
        .collect()
}

fn write(data: &Data, call: &GoldCall) -> anyhow::Result<Option<Intent>> {
    let given = &call.arguments;
    let intent = match call.name.as_str() {
        "cancel_pending_order" => {
            let reason = text(given, "reason")?.replace(' ', "_");
            Intent::CancelOrder(CancelOrder { order: text(given, "order_id")?, reason })
        }
        "return_delivered_order_items" => Intent::ReturnItems(ReturnItems {
            order: text(given, "order_id")?,
            items: grouped(data, given, &ids(given, "item_ids"))?,
            reason: REASON.to_owned(),
            refund_to: Some(method(data, given)?),
        }),
        "exchange_delivered_order_items" => Intent::ExchangeItems(ExchangeItems {
            order: text(given, "order_id")?,
            swaps: swaps(data, given)?,
            reason: REASON.to_owned(),
            settle_with: Some(method(data, given)?),
        }),
        "modify_pending_order_items" => Intent::ModifyItems(ModifyItems {
            order: text(given, "order_id")?,
            swaps: swaps(data, given)?,
            settle_with: method(data, given)?,
        }),
        "modify_pending_order_payment" => Intent::ChangePayment(ChangePayment {
            order: text(given, "order_id")?,
            pay_with: method(data, given)?,
        }),
        "modify_pending_order_address" => Intent::ChangeOrderAddress(ChangeOrderAddress {
            order: text(given, "order_id")?,
            to: address(given)?,
        }),
        "modify_user_address" => Intent::ChangeProfileAddress(ChangeProfileAddress {
            who: Some(who(data, &text(given, "user_id")?)?),
            label: None,
            to: address(given)?,
        }),
        _ => return Ok(None),
    };
    Ok(Some(intent))
}

/// The same item twice is one thing in two units.
fn grouped(data: &Data, given: &Value, ids: &[String]) -> anyhow::Result<Vec<Item>> {
    let mut items: Vec<Item> = Vec::new();
    for id in ids {
        let item = ordered(data, given, id)?;
        let same = |known: &&mut Item| known.title == item.title && known.options == item.options;
        match items.iter_mut().find(same) {
            Some(known) => known.quantity += 1,
            None => items.push(item),
        }
    }
    Ok(items)
}

fn swaps(data: &Data, given: &Value) -> anyhow::Result<Vec<Swap>> {
    let pairs = ids(given, "item_ids").into_iter().zip(ids(given, "new_item_ids"));
    pairs
        .map(|(old, new)| Ok(Swap { item: ordered(data, given, &old)?, to: options(variant(data, &new)?) }))
        .collect()
}

/// An item as it stands in the order: its name and options.
fn ordered(data: &Data, given: &Value, id: &str) -> anyhow::Result<Item> {
    let items = data.db["orders"][text(given, "order_id")?]["items"].as_array();
    let in_order = items.into_iter().flatten().find(|item| item["item_id"] == id);
    match in_order {
        Some(item) => Ok(Item { title: text(item, "name")?, options: options(item), quantity: 1 }),
        // The gold call may name a thing that is not in the order; the shop must refuse it by its words too.
        None => {
            let variant = variant(data, id)?;
            let product = products(data).find(|product| product["variants"].get(id).is_some());
            let title = text(product.context("a variant without a product")?, "name")?;
            Ok(Item { title, options: options(variant), quantity: 1 })
        }
    }
}

fn products(data: &Data) -> impl Iterator<Item = &Value> {
    data.db["products"].as_object().into_iter().flat_map(|products| products.values())
}

fn variant<'a>(data: &'a Data, id: &str) -> anyhow::Result<&'a Value> {
    let mut found = products(data).filter_map(|product| product["variants"].get(id));
    found.next().with_context(|| format!("no product has the item {id}"))
}

fn options(thing: &Value) -> BTreeMap<String, String> {
    let options = thing["options"].as_object().into_iter().flatten();
    options.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}

/// "My Mastercard ending in 9212", "PayPal", "the gift card".
fn method(data: &Data, given: &Value) -> anyhow::Result<Pay> {
    let order = &data.db["orders"][text(given, "order_id")?];
    let user = &data.db["users"][text(order, "user_id")?];
    let id = text(given, "payment_method_id")?;
    let method = &user["payment_methods"][id.as_str()];
    let with = match method["source"].as_str().unwrap_or_default() {
        "credit_card" => Means::Card,
        "paypal" => Means::Paypal,
        "gift_card" => Means::GiftCard,
        other => anyhow::bail!("{id} is a {other:?}, which has no words"),
    };
    Ok(Pay { with, last4: method["last_four"].as_str().map(str::to_owned), amount_minor: None })
}

fn address(given: &Value) -> anyhow::Result<AddressWords> {
    let country = match text(given, "country")?.as_str() {
        "USA" => "US".to_owned(),
        other => other.to_owned(),
    };
    Ok(AddressWords {
        line1: text(given, "address1")?,
        line2: text(given, "address2")?,
        city: text(given, "city")?,
        region: text(given, "state")?,
        postal_code: text(given, "zip")?,
        country,
    })
}

fn who(data: &Data, id: &str) -> anyhow::Result<Who> {
    let user = &data.db["users"][id];
    Ok(Who {
        first_name: text(&user["name"], "first_name")?,
        last_name: text(&user["name"], "last_name")?,
        postal_code: text(&user["address"], "zip")?,
    })
}

fn ids(given: &Value, name: &str) -> Vec<String> {
    let list = given[name].as_array().into_iter().flatten();
    list.filter_map(|id| id.as_str().map(str::to_owned)).collect()
}

fn text(value: &Value, name: &str) -> anyhow::Result<String> {
    Ok(value[name].as_str().with_context(|| format!("there is no {name} in {value}"))?.to_owned())
}

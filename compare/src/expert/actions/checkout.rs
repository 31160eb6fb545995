//! Checkout in one patch.

use anyhow::anyhow;
use serde_json::{Map, Value, json};

use super::{carry_out, finish, succeeded};
use crate::expert::{Session, is_meant};
use crate::intent::{Checkout, Item, Pay};

pub(super) async fn checkout(session: &mut Session<'_>, words: &Checkout) -> anyhow::Result<()> {
    let ready = fill_checkout(session, words).await?;
    let Some(other) = &words.if_declined else { return carry_out(session, ready).await };
    let view = session.confirm(&ready).await?;
    let view = finish(session, view).await?;
    if view["reason"] != "payment_declined" && view["status"] != "failed" {
        return succeeded(view).map(|_| ());
    }
    let reopened = session.primitive("recover_action", json!({ "action_id": view["action_id"] })).await?;
    let ready = session.advance(&reopened, payment(std::slice::from_ref(other))).await?;
    carry_out(session, ready).await
}

/// Everything the person said, in one patch, up to the point where money would move.
pub(crate) async fn fill_checkout(session: &mut Session<'_>, words: &Checkout) -> anyhow::Result<Value> {
    let titles: Vec<&str> = words.items.iter().map(|item| item.title.as_str()).collect();
    let view = session.start("checkout", Some(&titles.join(" and ")), json!({})).await?;
    let mut patch = Map::new();
    let mut items = Vec::new();
    for item in &words.items {
        items.push(choice(&view, item, words.if_sold_out.as_ref())?);
    }
    patch.insert("items".to_owned(), items.into());
    let labelled = |entry: &&Value| {
        entry["label"].as_str().is_some_and(|label| label.eq_ignore_ascii_case(&words.address))
    };
    let address = view["addresses"].as_array().into_iter().flatten().find(labelled);
    let address = address.ok_or_else(|| anyhow!("there is no address called {}", words.address))?;
    patch.insert("address_id".to_owned(), address["id"].clone());
    if let Some(code) = &words.coupon {
        patch.insert("coupon_id".to_owned(), code.as_str().into());
    }
    patch.extend(payment(&words.pay).as_object().cloned().unwrap_or_default());
    session.advance(&view, Value::Object(patch)).await
}

/// An entry of `items` that is meant, or the one that was named in case it is sold out.
fn choice(view: &Value, item: &Item, otherwise: Option<&Item>) -> anyhow::Result<Value> {
    let all = view["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    let find = |item: &Item| all.iter().find(|entry| is_meant(item, &entry["name"], &entry["options"]));
    let found = find(item).or_else(|| otherwise.and_then(find));
    let found = found.ok_or_else(|| anyhow!("there is no {} among the items", item.title))?;
    Ok(json!({ "id": found["id"], "quantity": item.quantity }))
}

fn payment(pay: &[Pay]) -> Value {
    match pay {
        [one] => json!({ "payment_type": one.with.payment_type() }),
        several => {
            let part =
                |pay: &Pay| json!({ "payment_type": pay.with.payment_type(), "amount": pay.amount_minor });
            json!({ "payments": several.iter().map(part).collect::<Vec<_>>() })
        }
    }
}

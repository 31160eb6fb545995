//! Checkout in one patch: items by words, an address by its label, a coupon by its code.

use anyhow::{Context as _, anyhow};
use serde_json::{Map, Value, json};

use super::{carry_out, errors, finish, succeeded};
use crate::expert::Session;
use crate::intent::{Checkout, Item, Pay};

pub(super) async fn checkout(session: &mut Session<'_>, words: &Checkout) -> anyhow::Result<()> {
    let ready = fill_checkout(session, words).await?;
    let Some(other) = &words.if_declined else { return carry_out(session, ready).await };
    let view = session.confirm(&ready).await?;
    if view["reason"] != "payment_declined" {
        let view = finish(session, view).await?;
        return succeeded(view).map(|_| ());
    }
    let reopened = session.primitive("recover_action", json!({ "action_id": view["action_id"] })).await?;
    let ready = session.advance(&reopened, payment(std::slice::from_ref(other))).await?;
    carry_out(session, ready).await
}

/// Everything the person said, in one patch, up to the point where money would move.
pub(crate) async fn fill_checkout(session: &mut Session<'_>, words: &Checkout) -> anyhow::Result<Value> {
    let mut patch = Map::new();
    patch.insert("address_id".to_owned(), words.address.as_str().into());
    if let Some(code) = &words.coupon {
        patch.insert("coupon_id".to_owned(), code.as_str().into());
    }
    patch.extend(payment(&words.pay).as_object().cloned().unwrap_or_default());
    let target = match words.items.as_slice() {
        [only] if only.quantity == 1 => spoken(only),
        several => {
            let items = named(session, several).await?;
            let first = items.first().map(|item| item["id"].clone());
            patch.insert("items".to_owned(), items.into());
            first.as_ref().and_then(Value::as_str).context("nothing to buy")?.to_owned()
        }
    };
    let view = session.start("checkout", Some(&target), Value::Object(patch)).await?;
    match &words.if_sold_out {
        Some(other) if is_sold_out(&view) => {
            let instead = suggested(&view, other)?;
            session.advance(&view, json!({ "items": instead })).await
        }
        Some(_) | None => Ok(view),
    }
}

/// Several things, or several of one: each is looked up by its words first.
async fn named(session: &mut Session<'_>, items: &[Item]) -> anyhow::Result<Vec<Value>> {
    let mut found = Vec::new();
    for item in items {
        let seen =
            session.primitive("get_context", json!({ "entity": "Variant", "ref": spoken(item) })).await?;
        let variant = succeeded(seen)?;
        found.push(json!({ "id": variant["id"], "quantity": item.quantity }));
    }
    Ok(found)
}

/// An item as a person says it.
pub(super) fn spoken(item: &Item) -> String {
    let options = item.options.values().map(String::as_str);
    [item.title.as_str()].into_iter().chain(options).collect::<Vec<_>>().join(" ")
}

fn is_sold_out(view: &Value) -> bool {
    errors(view).any(|error| error["code"] == "out_of_stock")
}

/// The suggestion that is what was named in case it is sold out; it can be sent as it is.
fn suggested(view: &Value, other: &Item) -> anyhow::Result<Value> {
    let mut suggestions =
        errors(view).flat_map(|error| error["suggestions"].as_array().into_iter().flatten());
    let title = other.title.to_lowercase();
    let meant = suggestions
        .find(|one| one["label"].as_str().is_some_and(|label| label.to_lowercase().starts_with(&title)));
    meant
        .map(|one| one["value"].clone())
        .ok_or_else(|| anyhow!("{} is not among the alternatives", other.title))
}

fn payment(pay: &[Pay]) -> Value {
    match pay {
        [one] => json!({ "payment_type": one.with.payment_type() }),
        several => json!({ "payments": several.iter().map(part).collect::<Vec<_>>() }),
    }
}

/// One part of a split; the one without an amount pays the rest.
fn part(pay: &Pay) -> Value {
    match pay.amount_minor {
        Some(amount) => json!({ "payment_type": pay.with.payment_type(), "amount": amount }),
        None => json!({ "payment_type": pay.with.payment_type() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intent::Means;

    #[test]
    fn a_split_leaves_the_rest_to_the_part_without_an_amount() {
        let pay = |with, amount_minor| Pay { with, last4: None, amount_minor };
        let split = payment(&[pay(Means::GiftCard, Some(500)), pay(Means::Card, None)]);
        assert_eq!(
            split["payments"],
            json!([{ "payment_type": "gift_card", "amount": 500 }, { "payment_type": "card" }])
        );
        assert_eq!(payment(&[pay(Means::StoreCredit, None)]), json!({ "payment_type": "balance" }));
    }

    #[test]
    fn the_alternative_that_was_named_is_taken_as_it_was_suggested() {
        let view = json!({ "validation_errors": [{ "code": "out_of_stock", "suggestions": [
            { "label": "Green mug instead", "value": [1] }, { "label": "Blue mug instead", "value": [2] } ] }] });
        assert!(is_sold_out(&view));
        let item = |title: &str| Item { title: title.into(), options: Default::default(), quantity: 1 };
        assert_eq!(suggested(&view, &item("blue mug")).unwrap(), json!([2]));
        assert!(suggested(&view, &item("white mug")).is_err());
    }
}

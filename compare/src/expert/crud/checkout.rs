//! Source 1's chain: find, address, stock, shipping, coupon, order, payment, and what to do when the bank is silent.

use anyhow::{anyhow, bail};
use serde_json::{Value, json};

use super::{Found, answered, find, items, pick, text, without_nulls};
use crate::expert::{Session, refusal};
use crate::intent::{Checkout, Item, Pay};

/// Calls of one step at most; after that somebody else must look.
const TRIES_MAX: usize = 4;

pub(super) async fn checkout(session: &mut Session<'_>, words: &Checkout) -> anyhow::Result<()> {
    let order = place(session, words).await?;
    let mut waiting = words.if_declined.clone();
    for pay in &words.pay {
        match settle(session, &order, pay).await {
            Err(error) if is_declined(&error) => {
                let other = waiting.take().ok_or(error)?;
                settle(session, &order, &Pay { amount_minor: pay.amount_minor, ..other }).await?;
            }
            settled => settled?,
        }
    }
    Ok(())
}

/// An order with one payment opened on it, for clients that go on in their own way.
pub(crate) async fn open_payment(session: &mut Session<'_>, words: &Checkout) -> anyhow::Result<Found> {
    let order = place(session, words).await?;
    let pay = words.pay.first().ok_or_else(|| anyhow!("nothing to pay with"))?;
    open(session, &order, pay).await
}

/// From words to an order that is not paid.
async fn place(session: &mut Session<'_>, words: &Checkout) -> anyhow::Result<Found> {
    let mut chosen = Vec::new();
    for item in &words.items {
        chosen.push((available(session, item, words.if_sold_out.as_ref()).await?, item.quantity));
    }
    let mut cart = session.write("create_cart", json!({})).await?;
    let id = cart.id()?.to_owned();
    for (variant, quantity) in chosen {
        let item = json!({ "cart_id": id, "variant_id": variant["id"], "quantity": quantity });
        cart = session.write("add_cart_item", item).await?;
    }
    let book =
        session.read("list_customer_addresses", json!({ "customer_id": cart.body["customer_id"] })).await?;
    let is_meant = |address: &Value| {
        address["label"].as_str().is_some_and(|label| label.eq_ignore_ascii_case(&words.address))
    };
    let address = pick(items(&book.body), &words.address, is_meant)?;
    session.write("set_cart_shipping_address", json!({ "cart_id": id, "address_id": address["id"] })).await?;
    let options = session.read("list_cart_shipping_options", json!({ "cart_id": id })).await?;
    let cheapest = items(&options.body).iter().min_by_key(|option| option["price_minor"].as_i64());
    let cheapest = cheapest.ok_or_else(|| anyhow!("nothing ships to {}", words.address))?;
    let choice = json!({ "cart_id": id, "shipping_method_id": cheapest["shipping_method_id"] });
    cart = session.write("select_cart_shipping_option", choice).await?;
    if let Some(code) = &words.coupon {
        cart = session.write("apply_cart_coupon", json!({ "cart_id": id, "code": code })).await?;
    }
    session.write_at("place_order_from_cart", json!({ "cart_id": id }), &cart).await
}

/// What was asked for, or what was named in case it is sold out.
async fn available(
    session: &mut Session<'_>,
    item: &Item,
    otherwise: Option<&Item>,
) -> anyhow::Result<Value> {
    let variant = find::variant(session, item).await?;
    match otherwise {
        Some(other) if variant["is_available"] != true => find::variant(session, other).await,
        Some(_) | None => Ok(variant),
    }
}

/// Opens a payment with what was named. A kind alone means the customer's usual one of that kind.
async fn open(session: &mut Session<'_>, order: &Found, pay: &Pay) -> anyhow::Result<Found> {
    let mut arguments = json!({ "order_id": order.id()?, "amount_minor": pay.amount_minor });
    match &pay.last4 {
        None => arguments["instrument"] = pay.with.instrument().into(),
        Some(_) => {
            let method = find::method(session, &order.body["customer_id"], pay).await?;
            arguments["payment_method_id"] = method["id"].clone();
        }
    }
    session.write("create_payment", without_nulls(arguments)).await
}

/// Opens, holds and takes one payment.
async fn settle(session: &mut Session<'_>, order: &Found, pay: &Pay) -> anyhow::Result<()> {
    let payment = open(session, order, pay).await?;
    take(session, payment).await
}

/// Holds and takes what was opened.
pub(super) async fn take(session: &mut Session<'_>, payment: Found) -> anyhow::Result<()> {
    let held = by_the_book(session, "authorize_payment", payment, "authorized").await?;
    by_the_book(session, "capture_payment", held, "captured").await?;
    Ok(())
}

/// One call that moves money. Without an answer nothing is sent again before the gateway was asked.
async fn by_the_book(
    session: &mut Session<'_>,
    tool: &str,
    mut payment: Found,
    wanted: &str,
) -> anyhow::Result<Found> {
    for _ in 0..TRIES_MAX {
        let id = text(&payment.body, "id")?.to_owned();
        let arguments =
            json!({ "payment_id": id, "if_match": payment.version()?, "idempotency_key": session.key() });
        let error = match answered(session.client.call(tool, arguments).await?) {
            Ok(found) => return Ok(found),
            Err(error) => error,
        };
        if refusal(&error).is_none_or(|refusal| refusal.reason != "outcome_unknown") {
            return Err(error);
        }
        payment = session.write("sync_payment_status", json!({ "payment_id": id })).await?;
        if payment.body["status"] == wanted {
            return Ok(payment);
        }
    }
    bail!("{tool} never came to an end")
}

fn is_declined(error: &anyhow::Error) -> bool {
    refusal(error).is_some_and(|refusal| refusal.reason == "payment_declined")
}

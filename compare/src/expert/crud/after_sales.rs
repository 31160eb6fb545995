//! After-sales: reading the order's state and choosing, among look-alikes, the one operation that is right for it.

use serde_json::{Value, json};

use super::{Found, find, items, pick, text, without_nulls};
use crate::expert::{Session, refusal};
use crate::intent::{
    CancelOrder, ExchangeItems, Means, OrderCoupon, OrderItems, OrderWords, Pay, RefundReturned, ReturnItems,
};

pub(super) async fn track(session: &mut Session<'_>, words: &OrderWords) -> anyhow::Result<()> {
    let order = find::order(session, &words.order).await?;
    session.read("get_order_tracking", json!({ "order_id": order.id()? })).await?;
    Ok(())
}

/// Cancelling stops the order and leaves its money where it is: a hold is released, a capture is given back.
pub(super) async fn cancel(session: &mut Session<'_>, words: &CancelOrder) -> anyhow::Result<()> {
    let order = find::order(session, &words.order).await?;
    let id = order.id()?.to_owned();
    let stop = json!({ "order_id": id, "reason": words.reason });
    let stopped = session.write_at("cancel_order", stop, &order).await?;
    if stopped.body["payment_status"] == "authorized" {
        let payments = session.read("list_payments", json!({ "order_id": id })).await?;
        for payment in items(&payments.body).iter().filter(|payment| payment["status"] == "authorized") {
            let held = Found { body: payment.clone() };
            session.write_at("void_payment", json!({ "payment_id": held.id()? }), &held).await?;
        }
        return Ok(());
    }
    let refund = json!({ "order_id": id, "reason": words.reason });
    signed_off(session, "refund_unshipped_items", &id, refund, &stopped).await
}

pub(super) async fn refund_unshipped(session: &mut Session<'_>, words: &OrderItems) -> anyhow::Result<()> {
    let order = find::order(session, &words.order).await?;
    let id = order.id()?.to_owned();
    let lines = find::units(&order.body, &words.items)?;
    let arguments = json!({ "order_id": id, "lines": lines, "reason": "no_longer_needed" });
    signed_off(session, "refund_unshipped_items", &id, arguments, &order).await
}

pub(super) async fn lost_refund(session: &mut Session<'_>, words: &OrderWords) -> anyhow::Result<()> {
    let order = lost(session, words).await?;
    let id = order.id()?.to_owned();
    signed_off(session, "refund_without_return", &id, json!({ "order_id": id, "reason": "lost" }), &order)
        .await
}

pub(super) async fn lost_replacement(session: &mut Session<'_>, words: &OrderWords) -> anyhow::Result<()> {
    let order = lost(session, words).await?;
    let id = order.id()?.to_owned();
    let lines = order.body["lines"].as_array().into_iter().flatten();
    let lines: Vec<Value> =
        lines.map(|line| json!({ "line_id": line["id"], "quantity": line["shipped_quantity"] })).collect();
    let arguments = json!({ "order_id": id, "reason": "The carrier lost the parcel.", "lines": lines });
    signed_off(session, "send_replacement", &id, arguments, &order).await
}

/// The order of a parcel that never came. Neither remedy is open before the carrier's failure is on record.
async fn lost(session: &mut Session<'_>, words: &OrderWords) -> anyhow::Result<Found> {
    let order = find::order(session, &words.order).await?;
    if order.body["fulfillment_status"] == "exception" {
        return Ok(order);
    }
    let parcels = session.read("list_fulfillments", json!({ "order_id": order.id()? })).await?;
    let parcel = pick(items(&parcels.body), "on its way", |parcel| parcel["status"] == "in_transit")?;
    session
        .write("report_delivery_exception", json!({ "fulfillment_id": parcel["id"], "kind": "lost" }))
        .await?;
    find::order(session, &words.order).await
}

pub(super) async fn refund_keep(session: &mut Session<'_>, words: &OrderItems) -> anyhow::Result<()> {
    let order = find::order(session, &words.order).await?;
    let id = order.id()?.to_owned();
    let lines = find::units(&order.body, &words.items)?;
    let arguments = json!({ "order_id": id, "reason": "damaged", "lines": lines });
    signed_off(session, "refund_without_return", &id, arguments, &order).await
}

pub(super) async fn request_return(session: &mut Session<'_>, words: &ReturnItems) -> anyhow::Result<()> {
    let order = find::order(session, &words.order).await?;
    let id = order.id()?.to_owned();
    let mut arguments =
        json!({ "order_id": id, "reason": words.reason, "lines": find::units(&order.body, &words.items)? });
    if let Some(pay) = &words.refund_to {
        let (to, method) = destination(session, &order, pay).await?;
        arguments["refund_to"] = to.into();
        arguments["refund_method_id"] = method;
    }
    signed_off(session, "request_return", &id, without_nulls(arguments), &order).await
}

/// Where money goes, and on which method exactly.
async fn destination(
    session: &mut Session<'_>,
    order: &Found,
    pay: &Pay,
) -> anyhow::Result<(&'static str, Value)> {
    let to = match pay.with {
        Means::StoreCredit => return Ok(("store_credit", Value::Null)),
        Means::GiftCard => "gift_card",
        Means::Card | Means::Paypal => "original_method",
    };
    let method = find::method(session, &order.body["customer_id"], pay).await?;
    Ok((to, method["id"].clone()))
}

pub(super) async fn refund_returned(session: &mut Session<'_>, words: &RefundReturned) -> anyhow::Result<()> {
    let order = find::order(session, &words.order).await?;
    let returns = session.read("list_returns", json!({ "order_id": order.id()? })).await?;
    let back = pick(items(&returns.body), "back", |entry| {
        entry["status"] == "received" || entry["status"] == "inspected"
    })?;
    let mut back = Found { body: back.clone() };
    if back.body["status"] == "received" {
        let lines = back.body["lines"].as_array().into_iter().flatten();
        let grades: Value = lines
            .map(|line| json!({ "line_id": line["line_id"], "quantity": line["received"], "grade": "restock" }))
            .collect();
        let inspect = json!({ "return_id": back.id()?, "grades": grades });
        back = session.write_at("inspect_return_items", inspect, &back).await?;
    }
    let to = match words.refund_to.with {
        Means::StoreCredit => "store_credit",
        Means::GiftCard => "gift_card",
        Means::Card | Means::Paypal => "original_method",
    };
    let id = back.id()?.to_owned();
    signed_off(session, "refund_returned_items", &id, json!({ "return_id": id, "destination": to }), &back)
        .await
}

pub(super) async fn exchange(session: &mut Session<'_>, words: &ExchangeItems) -> anyhow::Result<()> {
    let order = find::order(session, &words.order).await?;
    let id = order.id()?.to_owned();
    let mut lines = Vec::new();
    for swap in &words.swaps {
        for (line, units) in find::lines(&order.body, std::slice::from_ref(&swap.item))? {
            let new = find::form(session, &line, &swap.to).await?;
            lines.push(json!({ "line_id": line["id"], "quantity": units, "variant_id": new["id"] }));
        }
    }
    let mut arguments = json!({ "order_id": id, "reason": words.reason, "lines": lines });
    if let Some(pay) = &words.settle_with {
        let method = find::method(session, &order.body["customer_id"], pay).await?;
        arguments["settle_with"] = json!({ "payment_method_id": method["id"] });
    }
    signed_off(session, "request_exchange", &id, arguments, &order).await
}

pub(super) async fn shipping_fee(session: &mut Session<'_>, words: &OrderWords) -> anyhow::Result<()> {
    let order = find::order(session, &words.order).await?;
    let id = order.id()?.to_owned();
    signed_off(session, "refund_shipping_fee", &id, json!({ "order_id": id }), &order).await
}

pub(super) async fn shipping_difference(session: &mut Session<'_>, words: &OrderWords) -> anyhow::Result<()> {
    let order = find::order(session, &words.order).await?;
    let id = order.id()?.to_owned();
    signed_off(session, "refund_shipping_difference", &id, json!({ "order_id": id }), &order).await
}

/// Pays the gap between what the order cost and what it would have cost with the code.
pub(super) async fn missed_coupon(session: &mut Session<'_>, words: &OrderCoupon) -> anyhow::Result<()> {
    let order = find::order(session, &words.order).await?;
    let id = order.id()?.to_owned();
    let lines = order.body["lines"].as_array().into_iter().flatten();
    let items: Vec<Value> =
        lines.map(|line| json!({ "variant_id": line["variant_id"], "quantity": line["quantity"] })).collect();
    let basket = json!({
        "items": items, "address": order.body["shipping_address"], "coupon_code": words.coupon,
        "shipping_method_id": order.body["shipping_method_id"],
    });
    let quote = session.read("quote_price", basket).await?;
    let total = |value: &Value| value["total_minor"].as_i64().unwrap_or(0);
    let arguments = json!({
        "order_id": id, "reason": "missed_coupon", "coupon_code": words.coupon,
        "amount_minor": total(&order.body) - total(&quote.body),
    });
    signed_off(session, "refund_price_adjustment", &id, arguments, &order).await
}

/// Does it, and where a second person must agree asks for exactly that, waits, and does it again.
pub(super) async fn signed_off(
    session: &mut Session<'_>,
    tool: &str,
    subject: &str,
    mut arguments: Value,
    at: &Found,
) -> anyhow::Result<()> {
    let error = match session.write_at(tool, arguments.clone(), at).await {
        Ok(_) => return Ok(()),
        Err(error) => error,
    };
    if refusal(&error).is_none_or(|refusal| refusal.reason != "approval_pending") {
        return Err(error);
    }
    let mut input = arguments.clone();
    if let Some(fields) = input.as_object_mut() {
        fields
            .retain(|name, _| !name.ends_with("order_id") && name != "return_id" && name != "fulfillment_id");
    }
    let ask = json!({ "operation": tool, "subject": subject, "input": input, "reason": "The customer asks for it." });
    let asked = session.write("request_approval", ask).await?;
    session.outside.approve_waiting().await?;
    arguments["approval_id"] = text(&asked.body, "id")?.into();
    session.write_at(tool, arguments, at).await.map(|_| ())
}

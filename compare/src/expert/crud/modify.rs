//! An order that is paid and still here: other items through an edit, another payment in the place of the first.

use serde_json::{Value, json};

use super::after_sales::signed_off;
use super::checkout::take;
use super::{Found, find, items, pick};
use crate::expert::Session;
use crate::intent::{ChangePayment, Means, ModifyItems, Swap};

/// Stages every swap and commits all at once. The commit moves no money: what the order costs more is paid
/// afterwards, what it costs less goes back.
pub(super) async fn swap_items(session: &mut Session<'_>, words: &ModifyItems) -> anyhow::Result<()> {
    let order = find::order(session, &words.order).await?;
    let id = order.id()?.to_owned();
    // Before anything is changed: an order that costs more and cannot be paid would stay in debt.
    let method = find::method(session, &order.body["customer_id"], &words.settle_with).await?;
    let mut edit = session.write_at("begin_order_edit", json!({ "order_id": id }), &order).await?;
    for swap in &words.swaps {
        edit = stage(session, &order, edit, swap).await?;
    }
    let difference = edit.body["difference_minor"].as_i64().unwrap_or(0);
    let commit = json!({ "edit_id": edit.id()?, "agreed_difference_minor": difference });
    let done = session.write_at("commit_order_edit", commit, &edit).await?;
    if difference > 0 {
        let open = json!({ "order_id": id, "payment_method_id": method["id"] });
        let payment = session.write("create_payment", open).await?;
        return take(session, payment).await;
    }
    if difference < 0 {
        let mut back = json!({ "order_id": id, "reason": "order_edit" });
        if words.settle_with.with == Means::GiftCard {
            back["destination"] = "gift_card".into();
            back["gift_card_id"] = method["gift_card_id"].clone();
        }
        let now = Found { body: json!({ "version": done.body["order_version"] }) };
        return signed_off(session, "refund_price_adjustment", &id, back, &now).await;
    }
    Ok(())
}

/// The whole of a line is replaced, which keeps its place; some units of it become a line of their own.
async fn stage(
    session: &mut Session<'_>,
    order: &Found,
    mut edit: Found,
    swap: &Swap,
) -> anyhow::Result<Found> {
    let id = edit.id()?.to_owned();
    for (line, units) in find::lines(&order.body, std::slice::from_ref(&swap.item))? {
        let new = find::form(session, &line, &swap.to).await?;
        let mut add = json!({ "edit_id": id, "variant_id": new["id"], "quantity": units });
        let all = line["quantity"].as_i64().unwrap_or(0);
        if units == all {
            add["replaces_line_id"] = line["id"].clone();
        } else {
            let fewer = json!({ "edit_id": id, "line_id": line["id"], "quantity": all - units });
            session.write("change_order_edit_quantity", fewer).await?;
        }
        edit = session.write("add_order_edit_item", add).await?;
    }
    Ok(edit)
}

/// The new payment first, then the old one back: an order is never without its money.
pub(super) async fn replace_payment(session: &mut Session<'_>, words: &ChangePayment) -> anyhow::Result<()> {
    let order = find::order(session, &words.order).await?;
    let id = order.id()?.to_owned();
    let method = find::method(session, &order.body["customer_id"], &words.pay_with).await?;
    let paid = session.read("list_payments", json!({ "order_id": id })).await?;
    let is_live = |payment: &Value| payment["status"] == "captured" || payment["status"] == "authorized";
    let old = Found { body: pick(items(&paid.body), "what it was paid with", is_live)?.clone() };
    let open = json!({ "order_id": id, "payment_method_id": method["id"], "replaces_payment_id": old.id()? });
    let payment = session.write("create_payment", open).await?;
    take(session, payment).await?;
    if old.body["status"] == "authorized" {
        session.write_at("void_payment", json!({ "payment_id": old.id()? }), &old).await?;
        return Ok(());
    }
    let now = find::order(session, &words.order).await?;
    let back = json!({ "order_id": id, "reason": "payment_replaced", "payment_id": old.id()? });
    signed_off(session, "refund_price_adjustment", &id, back, &now).await
}

use mcp_actions_engine::parts::Verification;
use mcp_actions_engine::{Caller as _, Done, LookUp};
use serde_json::json;
use shop_domain::status::{ExchangeStatus, FulfillmentStatus, OrderStatus, RefundStatus, ReturnStatus};
use shop_service::{Error, exchanges, fulfillments, orders, refunds, returns};

use super::{Act, Deed, Fruit, Kept};
use crate::caller::Caller;
use crate::wire::reference;

/// Who says so.
pub(crate) const GATEWAY: &str = "payment gateway";
pub(crate) const SHOP: &str = "shop";

/// Asks whether a deed was done, and whether it still stands. Sends nothing.
///
/// # Errors
/// Whatever kept us from looking; nothing was learned then.
pub(crate) async fn look(act: &Act<'_>) -> Result<LookUp, Error> {
    if act.deed.is_refund() {
        return look_at_refunds(act).await;
    }
    let Some(fruit) = done_before(act).await? else { return Ok(nothing(act.caller, SHOP)) };
    let (stands, word) = now(act, &fruit).await?;
    if stands {
        return Ok(LookUp::Found(left_behind(act.caller, &fruit)));
    }
    let verification = verification(act.caller, &word, None, SHOP);
    Ok(LookUp::Differs { verification, message: format!("it was done, and it is {word} since") })
}

/// What the deed came to under its key, if it was done.
pub(super) async fn done_before(act: &Act<'_>) -> Result<Option<Fruit>, Error> {
    let ctx = act.ctx(&act.part, None);
    let operation = act.deed.operation();
    Ok(match act.deed {
        Deed::Cancel(..) => ctx.answered(operation).await?.map(Box::new).map(Fruit::Order),
        Deed::ChangeAddress(..) => ctx.answered(operation).await?.map(Box::new).map(Fruit::Requoted),
        Deed::Return(..) | Deed::Inspect(..) => {
            ctx.answered(operation).await?.map(Box::new).map(Fruit::Return)
        }
        Deed::Exchange(..) => ctx.answered(operation).await?.map(Box::new).map(Fruit::Exchange),
        Deed::Replace(..) | Deed::ReportException(..) => {
            ctx.answered(operation).await?.map(Box::new).map(Fruit::Parcel)
        }
        Deed::Redirect(..) => ctx.answered(operation).await?.map(Box::new).map(Fruit::Redirected),
        Deed::Profile(_, ref deed) => deed.answered(&ctx).await?.map(Fruit::Profile),
        Deed::RefundUnshipped(..)
        | Deed::RefundKept(..)
        | Deed::RefundReturned(..)
        | Deed::RefundShippingFee(..)
        | Deed::RefundShippingDifference(..)
        | Deed::AdjustPrice(..) => ctx.answered(operation).await?.map(Fruit::Refunds),
    })
}

/// Whether what was done still stands, with the word for where it is now.
async fn now(act: &Act<'_>, fruit: &Fruit) -> Result<(bool, String), Error> {
    let ctx = act.caller.ctx();
    Ok(match (&act.deed, fruit) {
        (Deed::ChangeAddress(_, wanted), Fruit::Requoted(done)) => {
            let order = orders::get(&ctx, done.order.id).await?;
            let is_there = order.shipping_address == wanted.address;
            (is_there, format!("going to {}", order.shipping_address.one_line()))
        }
        (Deed::Redirect(_, wanted), Fruit::Redirected(done)) => {
            let parcel = fulfillments::get(&ctx, done.fulfillment.id).await?;
            (parcel.destination == wanted.address, format!("going to {}", parcel.destination.one_line()))
        }
        (Deed::Profile(customer, deed), Fruit::Profile(kept)) => {
            (deed.stands(&ctx, *customer, kept).await?, "something else".to_owned())
        }
        (_, Fruit::Order(order)) => {
            let order = orders::get(&ctx, order.id).await?;
            (order.status == OrderStatus::Cancelled, order.status.to_string())
        }
        (_, Fruit::Return(row)) => {
            let row = returns::get(&ctx, row.id).await?;
            let is_closed = matches!(row.status, ReturnStatus::Rejected | ReturnStatus::Cancelled);
            (!is_closed, row.status.to_string())
        }
        (_, Fruit::Exchange(row)) => {
            let row = exchanges::get(&ctx, row.id).await?;
            (row.status != ExchangeStatus::Cancelled, row.status.to_string())
        }
        (_, Fruit::Parcel(parcel)) => {
            let parcel = fulfillments::get(&ctx, parcel.id).await?;
            (parcel.status != FulfillmentStatus::Cancelled, parcel.status.to_string())
        }
        (_, Fruit::Requoted(_) | Fruit::Refunds(_) | Fruit::Redirected(_) | Fruit::Profile(_)) => {
            (true, String::new())
        }
    })
}

/// The gateway's word counts, not ours.
async fn look_at_refunds(act: &Act<'_>) -> Result<LookUp, Error> {
    let ctx = act.ctx(&act.part, None);
    let Some(seen) = refunds::observe(&ctx, act.deed.operation()).await? else {
        return Ok(nothing(act.caller, SHOP));
    };
    let (batch, Some(paid)) = (&seen.batch, seen.paid_minor) else { return Ok(LookUp::StillUnknown) };
    let is_claimed = batch.refunds.iter().any(|refund| refund.status == RefundStatus::Succeeded);
    if paid == batch.total_minor && is_claimed {
        return Ok(LookUp::Found(left_behind(act.caller, &Fruit::Refunds(seen.batch))));
    }
    if !is_claimed {
        return Ok(nothing(act.caller, GATEWAY));
    }
    let currency = batch.currency;
    Ok(LookUp::Differs {
        verification: verification(act.caller, "differs", Some((paid, currency.to_string())), GATEWAY),
        message: format!("{paid} {currency} went back, not the {} agreed to", batch.total_minor),
    })
}

/// What a deed left behind, for the record.
pub(crate) fn left_behind(caller: &Caller, fruit: &Fruit) -> Done {
    match fruit {
        Fruit::Refunds(batch) => refunded(caller, batch),
        Fruit::Order(order) => plain(caller, "Order", order.id, order.status.as_str()),
        Fruit::Requoted(done) => Done {
            value: json!({ "difference": done.difference_minor }),
            ..plain(caller, "Order", done.order.id, "address_changed")
        },
        Fruit::Return(row) => plain(caller, "Return", row.id, row.status.as_str()),
        Fruit::Exchange(row) => Done {
            refs: [Some(reference("Exchange", row.id)), row.return_id.map(|id| reference("Return", id))]
                .into_iter()
                .flatten()
                .collect(),
            ..plain(caller, "Exchange", row.id, row.status.as_str())
        },
        Fruit::Parcel(parcel) => plain(caller, "Fulfillment", parcel.id, parcel.status.as_str()),
        Fruit::Redirected(done) => Done {
            value: json!({ "fee": done.fee_minor }),
            ..plain(caller, "Fulfillment", done.fulfillment.id, "redirected")
        },
        Fruit::Profile(Kept::Customer(row)) => plain(caller, "Customer", row.id, "profile_changed"),
        Fruit::Profile(Kept::Address(row)) => plain(caller, "Address", row.id, "profile_changed"),
        Fruit::Profile(Kept::Method(row)) => plain(caller, "PaymentMethod", row.id, "profile_changed"),
    }
}

fn plain(caller: &Caller, kind: &str, id: impl ToString, status: &str) -> Done {
    let id = id.to_string();
    Done {
        refs: vec![reference(kind, &id)],
        external_id: None,
        verification: Some(verification(caller, status, None, SHOP)),
        value: json!({ "id": id }),
    }
}

fn refunded(caller: &Caller, batch: &refunds::Batch) -> Done {
    let gateway_ref = batch.refunds.iter().find_map(|refund| refund.gateway_ref.clone());
    let source = if gateway_ref.is_some() { GATEWAY } else { SHOP };
    let amount = (batch.total_minor, batch.currency.to_string());
    Done {
        refs: batch.refunds.iter().map(|refund| reference("Refund", refund.id)).collect(),
        external_id: gateway_ref.or_else(|| batch.refunds.first().map(|refund| refund.id.to_string())),
        verification: Some(verification(caller, "refunded", Some(amount), source)),
        value: json!({ "refunded": batch.total_minor }),
    }
}

pub(crate) fn nothing(caller: &Caller, source: &str) -> LookUp {
    LookUp::NotFound { observed_at: caller.world().clock.now(), source: source.to_owned() }
}

fn verification(caller: &Caller, status: &str, amount: Option<(i64, String)>, source: &str) -> Verification {
    let (amount, currency) = amount.unzip();
    Verification {
        status: status.to_owned(),
        amount,
        currency,
        observed_at: caller.world().clock.now(),
        source: source.to_owned(),
    }
}

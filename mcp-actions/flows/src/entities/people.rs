//! Customers and their carts.

use mcp_actions_engine::Failure;
use mcp_actions_engine::parts::Map;
use serde_json::json;
use shop_domain::governance::Scope;
use shop_domain::ids::{CartId, CustomerId};
use shop_domain::status::CartStatus;
use shop_service::{addresses, carts, checkout, credit, customers, orders, payment_methods};

use super::goods::whole;
use super::{mentions, no_such, start, whole_page};
use crate::caller::Caller;
use crate::failure::failure;
use crate::wire::block;

/// How many orders a customer's view shows.
const ORDERS_MAX: i64 = 10;

/// One customer: address book, ways to pay, credit and latest orders. A shopper is always their own.
pub(super) async fn customer(caller: &Caller, reference: &str) -> Result<Map, Failure> {
    let ctx = caller.ctx();
    let id = match (reference.trim().parse::<CustomerId>(), ctx.principal.scope) {
        (Ok(id), _) => id,
        (Err(_), Scope::Customer(own)) if mentions(reference, &["me", "my", "myself", "i"]) => own,
        (Err(_), _) => by_email(caller, reference).await?,
    };
    let customer = customers::get(&ctx, id).await.map_err(failure)?;
    let book = addresses::list(&ctx, id, whole_page()).await.map_err(failure)?.items;
    let methods = payment_methods::list(&ctx, id, whole_page()).await.map_err(failure)?.items;
    let credit = credit::balance(&ctx, id).await.map_err(failure)?;
    let latest = shop_service::PageQuery { limit: Some(ORDERS_MAX), ..whole_page() };
    let latest = orders::list_for_customer(&ctx, id, latest).await.map_err(failure)?.items;
    let order = |order: &orders::View| {
        json!({ "id": order.id, "number": order.number, "status": super::headline(order), "total": order.total_minor,
            "currency": order.currency, "placed_at": order.placed_at })
    };
    let more = json!({
        "addresses": block(&book),
        "payment_methods": block(&methods),
        "store_credit": block(&credit.accounts),
        "orders": latest.iter().map(order).collect::<Vec<_>>(),
    });
    let next = [start("update_profile", id, "Change contact, addresses or ways to pay")];
    Ok(whole(caller, "Customer", block(&customer), more, &next))
}

async fn by_email(caller: &Caller, reference: &str) -> Result<CustomerId, Failure> {
    let filter =
        customers::Filter { email: Some(reference.trim().to_lowercase()), ..customers::Filter::default() };
    let found = customers::list(&caller.ctx(), filter, whole_page()).await.map_err(failure)?.items;
    match found.as_slice() {
        [only] => Ok(only.id),
        _ => Err(no_such("customer", reference)),
    }
}

/// One cart, with what stands between it and an order.
pub(super) async fn cart(caller: &Caller, reference: &str) -> Result<Map, Failure> {
    let ctx = caller.ctx();
    let id = match reference.trim().parse::<CartId>() {
        Ok(id) => id,
        Err(_) => {
            let open = checkout::open_carts(&ctx).await.map_err(failure)?;
            open.first().map(|cart| cart.id).ok_or_else(|| no_such("cart", reference))?
        }
    };
    let cart = carts::get(&ctx, id).await.map_err(failure)?;
    let next = match cart.status {
        CartStatus::Open if !cart.lines.is_empty() => vec![start("checkout", id, "Buy what is in it")],
        CartStatus::Open | CartStatus::Ordered | CartStatus::Abandoned => Vec::new(),
    };
    Ok(whole(caller, "Cart", block(&cart), json!({}), &next))
}

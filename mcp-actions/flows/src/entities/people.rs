//! Customers and their carts.

use mcp_actions_engine::parts::{Candidate, Map};
use mcp_actions_engine::{Failure, Opened, Reason};
use serde_json::json;
use shop_domain::address::Address;
use shop_domain::governance::Scope;
use shop_domain::ids::{CartId, CustomerId};
use shop_domain::status::CartStatus;
use shop_service::customers::{self, Known};
use shop_service::{addresses, carts, checkout, credit, orders, payment_methods};

use super::goods::whole;
use super::words::plain;
use super::{Found, candidate, mentions, no_such, opened, start, unclear, whole_page};
use crate::caller::Caller;
use crate::failure::failure;
use crate::wire::block;

/// How many customers a question offers.
const CANDIDATES_MAX: usize = 5;
/// How many orders a customer's view shows.
const ORDERS_MAX: i64 = 10;

/// Words that speak of a profile and not of whose it is.
const EMPTY: &[&str] = &[
    "account",
    "address",
    "addresses",
    "book",
    "card",
    "change",
    "contact",
    "customer",
    "customer's",
    "default",
    "details",
    "email",
    "e-mail",
    "i",
    "me",
    "mine",
    "myself",
    "name",
    "named",
    "number",
    "own",
    "payment",
    "phone",
    "profile",
    "update",
    "user",
    "zip",
];

/// What the words may mean among the customers in sight. A shopper sees one, their own.
pub(crate) async fn find(caller: &Caller, words: &str) -> Result<Found, Failure> {
    let ctx = caller.ctx();
    let words = words.trim();
    if let Ok(id) = words.parse::<CustomerId>() {
        return Ok(match customers::get(&ctx, id).await {
            Ok(customer) => Found::only(known(&customer, 1.0, "it has this id")),
            Err(_) => Found::default(),
        });
    }
    let mut said = plain(words);
    said.retain(|word| !EMPTY.contains(&word.as_str()));
    if let Scope::Customer(own) = ctx.principal.scope {
        let own = customers::get(&ctx, own).await.map_err(failure)?;
        return Ok(match spoken_of(&own, &[], &said) == said.len() {
            true => Found::only(known(&own, 1.0, "it is the caller's own profile")),
            false => Found {
                near_misses: vec![known(&own, 0.1, "it is the only profile in sight")],
                ..Found::default()
            },
        });
    }
    let all = customers::named(&ctx, words, &said).await.map_err(failure)?;
    if let Some(only) = all.iter().find(|it| it.external_id.as_deref() == Some(words)) {
        return Ok(Found::only(known(&only.customer, 1.0, "it has this id in another shop")));
    }
    let fits = |it: &&Known| spoken_of(&it.customer, &it.addresses, &said) == said.len();
    let fitting: Vec<&Known> = all.iter().filter(fits).take(CANDIDATES_MAX).collect();
    if fitting.is_empty() {
        let near = all.iter().take(3).map(|it| known(&it.customer, 0.1, "only some of the words fit"));
        return Ok(Found { near_misses: near.collect(), ..Found::default() });
    }
    let confidence = if fitting.len() == 1 { 0.9 } else { 0.5 };
    let named = |it: &Known| known(&it.customer, confidence, "it fits all words");
    Ok(Found::fitting(fitting.into_iter().map(named).collect()))
}

/// The customers that a search speaks of. A shopper's “my” means whatever follows, so only their id or email is them.
pub(super) async fn named_in(caller: &Caller, words: &str) -> Result<Found, Failure> {
    let is_staff = !matches!(caller.ctx().principal.scope, Scope::Customer(_));
    let is_name = words.contains('@') || words.trim().parse::<CustomerId>().is_ok();
    if !is_staff && !is_name {
        return Ok(Found::default());
    }
    find(caller, words).await
}

/// The open carts that a search speaks of.
pub(super) async fn carts_in(caller: &Caller, words: &str) -> Result<Vec<Candidate>, Failure> {
    let ctx = caller.ctx();
    let cart = |id: CartId, label: String, confidence| candidate("Cart", id, label, confidence, "it is open");
    if let Ok(id) = words.trim().parse::<CartId>() {
        let found = checkout::cart(&ctx, id).await.ok();
        return Ok(found.map(|found| cart(found.id, contents(&found), 1.0)).into_iter().collect());
    }
    if !mentions(words, &["cart", "basket"]) {
        return Ok(Vec::new());
    }
    let open = checkout::open_carts(&ctx).await.map_err(failure)?;
    let confidence = if open.len() == 1 { 0.9 } else { 0.5 };
    Ok(open.iter().map(|found| cart(found.id, contents(found), confidence)).collect())
}

fn contents(cart: &checkout::Cart) -> String {
    let items = cart.items.iter().map(|item| format!("{} × {}", item.quantity, item.title));
    let items: Vec<String> = items.collect();
    if items.is_empty() { "an empty cart".to_owned() } else { format!("the cart with {}", items.join(", ")) }
}

/// How many of the words a customer is spoken of by.
fn spoken_of(customer: &customers::View, book: &[Address], said: &[String]) -> usize {
    let mut names = vec![customer.email.to_lowercase()];
    names.extend(customer.phone.iter().cloned());
    names.extend(plain(&format!("{} {}", customer.first_name, customer.last_name)));
    names.extend(book.iter().flat_map(|address| plain(&format!("{} {}", address.city, address.postal_code))));
    said.iter().filter(|word| names.contains(word)).count()
}

fn known(customer: &customers::View, confidence: f64, reason: &str) -> Candidate {
    let label = format!("{} {}, {}", customer.first_name, customer.last_name, customer.email);
    candidate("Customer", customer.id, label, confidence, reason)
}

/// Begins an action about the customer that the words mean, where that is clear; without words, about the caller.
pub(crate) async fn open(caller: &Caller, target: Option<&str>) -> Result<Opened, Failure> {
    let target = target.map(str::trim).unwrap_or_default();
    let is_staff = !matches!(caller.ctx().principal.scope, Scope::Customer(_));
    if is_staff && target.is_empty() {
        let words = "staff change a customer's profile: name the customer by id, email or name as target";
        return Err(Failure::new(Reason::ValidationFailed, words));
    }
    Ok(opened(find(caller, target).await?, "customers in sight", "id, email, phone and name"))
}

/// One customer: address book, ways to pay, credit and latest orders. A shopper is always their own.
pub(super) async fn customer(caller: &Caller, reference: &str) -> Result<Map, Failure> {
    let ctx = caller.ctx();
    let id = match (reference.trim().parse::<CustomerId>(), ctx.principal.scope) {
        (Ok(id), _) => id,
        (Err(_), Scope::Customer(own)) if mentions(reference, &["me", "my", "myself", "i"]) => own,
        (Err(_), _) => {
            let found = find(caller, reference).await?;
            let clear = found.clear.as_ref().and_then(|clear| clear.id.parse().ok());
            clear.ok_or_else(|| unclear("customer", reference, &found))?
        }
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

//! The same work against the floor, REST and both doors.

use anyhow::ensure;
use serde_json::{Value, json};
use twinshop_testkit::{Mcp, Rest};

use crate::Options;
use crate::load::{Taken, drive};
use crate::process::Server;

/// Units of the one thing that is bought: more than any run buys.
const SHELF: i64 = 1_000_000;

/// One kind of work, on each server that does it.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub(crate) bare: Taken,
    pub(crate) rest: Option<Taken>,
    pub(crate) crud: Taken,
    pub(crate) actions: Taken,
}

/// Reading one order.
pub(crate) async fn reads(options: &Options, bare: &Server, shop: &Server) -> anyhow::Result<Row> {
    let floor = Rest::new(bare.url("rest")?, "-")?;
    let path = format!("/order/{}", bare.url("order")?);
    let bare_taken = drive(
        options.requests,
        options.connections,
        || bare.cpu_us(),
        |_| async { ok(&floor.get(&path).send().await?) },
    )
    .await?;
    let rest = Rest::new(shop.url("rest")?, shop.token("ada")?)?;
    let order = rest.get("/v1/orders?number=%231001").send().await?;
    let id = order.text("/items/0/id").to_owned();
    let path = format!("/v1/orders/{id}");
    let rest_taken = drive(
        options.requests,
        options.connections,
        || shop.cpu_us(),
        |_| async { ok(&rest.get(&path).send().await?) },
    )
    .await?;
    let crud = Mcp::new(shop.url("mcp_crud")?, shop.token("ada")?)?;
    let arguments = json!({ "order_id": id });
    let crud_taken = drive(
        options.requests,
        options.connections,
        || shop.cpu_us(),
        |_| async { succeeded(&crud.call("get_order", arguments.clone()).await?) },
    )
    .await?;
    let actions = Mcp::new(shop.url("mcp_actions")?, shop.token("agent")?)?;
    let arguments = json!({ "entity": "Order", "ref": id });
    let actions_taken = drive(
        options.requests,
        options.connections,
        || shop.cpu_us(),
        |_| async { succeeded(&actions.call("get_context", arguments.clone()).await?) },
    )
    .await?;
    Ok(Row { bare: bare_taken, rest: Some(rest_taken), crud: crud_taken, actions: actions_taken })
}

/// From a basket to captured money.
pub(crate) async fn checkouts(options: &Options, bare: &Server, shop: &Server) -> anyhow::Result<Row> {
    let calls = (options.requests / 20).max(10);
    let floor = Rest::new(bare.url("rest")?, "-")?;
    let bare_taken = drive(
        calls,
        options.connections,
        || bare.cpu_us(),
        |_| async { ok(&floor.post("/checkout", json!({})).send().await?) },
    )
    .await?;
    let rest = Rest::new(shop.url("rest")?, shop.token("ada")?)?;
    let basket = Basket::find(&rest, &Rest::new(shop.url("rest")?, shop.token("admin")?)?).await?;
    let rest_taken =
        drive(calls, options.connections, || shop.cpu_us(), |nth| buy_by_rest(&rest, &basket, nth)).await?;
    let crud = Mcp::new(shop.url("mcp_crud")?, shop.token("ada")?)?;
    let crud_taken =
        drive(calls, options.connections, || shop.cpu_us(), |nth| buy_by_tools(&crud, &basket, nth)).await?;
    let actions = Mcp::new(shop.url("mcp_actions")?, shop.token("agent")?)?;
    let actions_taken =
        drive(calls, options.connections, || shop.cpu_us(), |nth| buy_by_action(&actions, &basket, nth))
            .await?;
    Ok(Row { bare: bare_taken, rest: Some(rest_taken), crud: crud_taken, actions: actions_taken })
}

/// The tools of the CRUD door, for the floor to list.
pub(crate) async fn tools(shop: &Server) -> anyhow::Result<Vec<Value>> {
    Mcp::new(shop.url("mcp_crud")?, shop.token("ada")?)?.tools().await
}

/// Listing the tools; the floor is a plain server with the same list.
pub(crate) async fn tool_lists(options: &Options, bare: &Server, shop: &Server) -> anyhow::Result<Row> {
    let calls = (options.requests / 10).max(10);
    let list = async |door: &Mcp| -> anyhow::Result<()> {
        ensure!(!door.tools().await?.is_empty(), "no tools");
        Ok(())
    };
    let floor = Mcp::new(bare.url("mcp")?, "-")?;
    let crud = Mcp::new(shop.url("mcp_crud")?, shop.token("ada")?)?;
    let actions = Mcp::new(shop.url("mcp_actions")?, shop.token("agent")?)?;
    Ok(Row {
        bare: drive(calls, options.connections, || bare.cpu_us(), |_| list(&floor)).await?,
        rest: None,
        crud: drive(calls, options.connections, || shop.cpu_us(), |_| list(&crud)).await?,
        actions: drive(calls, options.connections, || shop.cpu_us(), |_| list(&actions)).await?,
    })
}

/// What is bought, over and over; its shelf is filled beforehand.
struct Basket {
    store: String,
    customer: String,
    variant: String,
    address: String,
}

impl Basket {
    async fn find(rest: &Rest, manager: &Rest) -> anyhow::Result<Self> {
        let order = rest.get("/v1/orders?number=%231001").send().await?;
        let customer = order.text("/items/0/customer_id").to_owned();
        let addresses = rest.get(&format!("/v1/customers/{customer}/addresses")).send().await?;
        let variant = order.text("/items/0/lines/0/variant_id").to_owned();
        let levels = manager.get(&format!("/v1/inventory/levels?variant_id={variant}")).send().await?;
        let location = levels.text("/items/0/location_id");
        let shelf = format!("/v1/inventory/levels/{variant}/{location}");
        let counted = manager.put(&shelf, json!({ "on_hand": SHELF })).key("bench-shelf");
        ok(&counted.if_match(levels.number("/items/0/version")).send().await?)?;
        Ok(Self {
            store: order.text("/items/0/store_id").to_owned(),
            customer,
            variant,
            address: addresses.text("/items/0/id").to_owned(),
        })
    }
}

async fn buy_by_rest(rest: &Rest, basket: &Basket, nth: usize) -> anyhow::Result<()> {
    let cart = rest
        .post("/v1/carts", json!({ "store_id": basket.store, "customer_id": basket.customer }))
        .send()
        .await?;
    let cart = format!("/v1/carts/{}", cart.text("/id"));
    let line = json!({ "variant_id": basket.variant, "quantity": 1 });
    ok(&rest.post(&format!("{cart}/items"), line).send().await?)?;
    ok(&rest
        .put(&format!("{cart}/shipping-address"), json!({ "address_id": basket.address }))
        .send()
        .await?)?;
    let options = rest.get(&format!("{cart}/shipping-options")).send().await?;
    let method = json!({ "shipping_method_id": options.text("/items/0/shipping_method_id") });
    let chosen = rest.put(&format!("{cart}/shipping-option"), method).send().await?;
    let placed = rest.post(&format!("{cart}/place-order"), json!({})).if_match(chosen.number("/version"));
    let placed = placed.key(&format!("rest-{nth}-place")).send().await?;
    ok(&placed)?;
    let payments = format!("/v1/orders/{}/payments", placed.text("/id"));
    let payment = rest.post(&payments, json!({ "instrument": "card" })).send().await?;
    let path = format!("/v1/payments/{}", payment.text("/id"));
    let held = rest.post(&format!("{path}/authorize"), json!({})).if_match(payment.number("/version"));
    let held = held.key(&format!("rest-{nth}-authorize")).send().await?;
    let taken = rest.post(&format!("{path}/capture"), json!({})).if_match(held.number("/version"));
    ok(&taken.key(&format!("rest-{nth}-capture")).send().await?)
}

async fn buy_by_tools(door: &Mcp, basket: &Basket, nth: usize) -> anyhow::Result<()> {
    let call = async |tool: &str, arguments: Value| door.call(tool, arguments).await;
    let key = |step: &str| format!("crud-{nth}-{step}");
    let cart =
        call("create_cart", json!({ "store_id": basket.store, "customer_id": basket.customer })).await?;
    let cart = cart.text("/body/id").to_owned();
    call("add_cart_item", json!({ "cart_id": cart, "variant_id": basket.variant, "quantity": 1 })).await?;
    call("set_cart_shipping_address", json!({ "cart_id": cart, "address_id": basket.address })).await?;
    let options = call("list_cart_shipping_options", json!({ "cart_id": cart })).await?;
    let method = options.text("/body/items/0/shipping_method_id");
    let chosen =
        call("select_cart_shipping_option", json!({ "cart_id": cart, "shipping_method_id": method })).await?;
    let version = chosen.number("/body/version").to_string();
    let placed = call(
        "place_order_from_cart",
        json!({ "cart_id": cart, "if_match": version, "idempotency_key": key("place") }),
    )
    .await?;
    let payment =
        call("create_payment", json!({ "order_id": placed.text("/body/id"), "instrument": "card" })).await?;
    let id = payment.text("/body/id").to_owned();
    let version = payment.number("/body/version").to_string();
    let held = call(
        "authorize_payment",
        json!({ "payment_id": id, "if_match": version, "idempotency_key": key("hold") }),
    )
    .await?;
    let version = held.number("/body/version").to_string();
    succeeded(
        &call(
            "capture_payment",
            json!({ "payment_id": id, "if_match": version, "idempotency_key": key("take") }),
        )
        .await?,
    )
}

async fn buy_by_action(door: &Mcp, basket: &Basket, nth: usize) -> anyhow::Result<()> {
    let patch = json!({
        "items": [{ "id": basket.variant, "quantity": 1 }],
        "address_id": basket.address,
        "payment_type": "card",
    });
    let ready = door.call("start_action", json!({ "capability": "checkout", "patch": patch })).await?;
    let action = ready.text("/action_id");
    let confirm =
        json!({ "action_id": action, "approval": "approved", "idempotency_key": format!("bench-{nth}") });
    door.call("confirm_action", confirm).await?;
    let done = door.call("verify_action", json!({ "action_id": action })).await?;
    ensure!(done.text("/status") == "completed", "{}", done.body);
    Ok(())
}

fn ok(reply: &twinshop_testkit::Reply) -> anyhow::Result<()> {
    ensure!((200..300).contains(&reply.status), "{} {}", reply.status, reply.body);
    Ok(())
}

fn succeeded(reply: &twinshop_testkit::ToolReply) -> anyhow::Result<()> {
    ensure!(!reply.is_error, "{}", reply.body);
    Ok(())
}

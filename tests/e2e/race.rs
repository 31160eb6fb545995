//! Finite stock under a crowd: 200 checkouts for 50 units, through both doors at once.

use serde_json::json;
use twinshop_testkit::{Mcp, Rest, Twinshop};

use crate::shop;

const UNITS: i64 = 50;
const CROWD: usize = 200;

/// What everybody wants, and who they are.
#[derive(Clone)]
struct Wanted {
    variant: String,
    store: String,
    customer: String,
}

/// A buyer one call before the units are theirs.
struct Buyer {
    door: Mcp,
    nth: usize,
    /// An action or a cart, and its version.
    at: (String, i64),
    is_by_action: bool,
    address: String,
}

/// Goes to the last step before stock is held, with the seven tools.
async fn start_by_action(door: Mcp, wanted: Wanted, nth: usize) -> Buyer {
    let patch = json!({ "items": [{ "id": wanted.variant, "quantity": 1 }], "payment_type": "card" });
    let started =
        door.call("start_action", json!({ "capability": "checkout", "patch": patch })).await.unwrap();
    let at = (started.text("/action_id").to_owned(), started.number("/version"));
    Buyer { door, nth, at, is_by_action: true, address: started.text("/addresses/0/id").to_owned() }
}

/// Goes to the last step before stock is held, with the two hundred tools.
async fn start_by_tools(door: Mcp, wanted: Wanted, nth: usize) -> Buyer {
    let Wanted { variant, store, customer } = wanted;
    let cart = door.call("create_cart", json!({ "store_id": store, "customer_id": customer })).await.unwrap();
    let cart_id = cart.text("/body/id");
    let add = json!({ "cart_id": cart_id, "variant_id": variant, "quantity": 1 });
    door.call("add_cart_item", add).await.unwrap();
    let addresses = door.call("list_customer_addresses", json!({ "customer_id": customer })).await.unwrap();
    let address = addresses.text("/body/items/0/id").to_owned();
    let to = json!({ "cart_id": cart_id, "address_id": address });
    door.call("set_cart_shipping_address", to).await.unwrap();
    let options = door.call("list_cart_shipping_options", json!({ "cart_id": cart_id })).await.unwrap();
    let method = options.text("/body/items/0/shipping_method_id");
    let choose = json!({ "cart_id": cart_id, "shipping_method_id": method });
    let chosen = door.call("select_cart_shipping_option", choose).await.unwrap();
    assert!(!chosen.is_error, "{}", chosen.body);
    Buyer {
        door,
        nth,
        at: (cart_id.to_owned(), chosen.number("/body/version")),
        is_by_action: false,
        address,
    }
}

impl Buyer {
    /// Whether one unit was bought and paid; whoever is too late must hear that there is none left.
    async fn buys(self) -> bool {
        if self.is_by_action { self.buys_by_action().await } else { self.buys_by_tools().await }
    }

    async fn buys_by_action(self) -> bool {
        let (action, version) = &self.at;
        let patch = json!({ "address_id": self.address });
        let arguments = json!({ "action_id": action, "version": version, "patch": patch });
        let ready = self.door.call("advance_action", arguments).await.unwrap();
        if ready.text("/status") != "ready_for_confirmation" {
            assert_eq!(ready.text("/reason"), "out_of_stock", "{}", ready.body);
            return false;
        }
        let key = format!("race-{}", self.nth);
        let confirm = json!({ "action_id": action, "approval": "approved", "idempotency_key": key });
        self.door.call("confirm_action", confirm).await.unwrap();
        let done = self.door.call("verify_action", json!({ "action_id": action })).await.unwrap();
        done.text("/status") == "completed"
    }

    async fn buys_by_tools(self) -> bool {
        let key = |step: &str| format!("race-{}-{step}", self.nth);
        let (cart, version) = &self.at;
        let place =
            json!({ "cart_id": cart, "if_match": version.to_string(), "idempotency_key": key("place") });
        let placed = self.door.call("place_order_from_cart", place).await.unwrap();
        if placed.is_error {
            assert_eq!(placed.text("/body/code"), "out_of_stock", "{}", placed.body);
            return false;
        }
        let pay = json!({ "order_id": placed.text("/body/id"), "instrument": "card" });
        let mut payment = self.door.call("create_payment", pay).await.unwrap();
        for step in ["authorize", "capture"] {
            let arguments = json!({
                "payment_id": payment.text("/body/id"),
                "if_match": payment.number("/body/version").to_string(),
                "idempotency_key": key(step),
            });
            payment = self.door.call(&format!("{step}_payment"), arguments).await.unwrap();
        }
        payment.text("/body/status") == "captured"
    }
}

/// A variant of which exactly so many units are to be had.
async fn limited(shop: &Twinshop, admin: &Rest) -> Wanted {
    let order = shop.rest("ada").unwrap().get("/v1/orders?number=%231001").send().await.unwrap();
    let wanted = Wanted {
        variant: order.text("/items/0/lines/0/variant_id").to_owned(),
        store: order.text("/items/0/store_id").to_owned(),
        customer: order.text("/items/0/customer_id").to_owned(),
    };
    let path = format!("/v1/inventory/levels?variant_id={}", wanted.variant);
    let levels = admin.get(&path).send().await.unwrap();
    let mut left = UNITS;
    for level in levels.body["items"].as_array().unwrap() {
        let count = json!({ "on_hand": level["reserved"].as_i64().unwrap() + left });
        let path =
            format!("/v1/inventory/levels/{}/{}", wanted.variant, level["location_id"].as_str().unwrap());
        let counted = admin
            .put(&path, count)
            .if_match(level["version"].as_i64().unwrap())
            .key(&path)
            .send()
            .await
            .unwrap();
        assert_eq!(counted.status, 200, "{}", counted.body);
        left = 0;
    }
    assert_eq!(available(admin, &wanted).await, UNITS);
    wanted
}

async fn available(admin: &Rest, wanted: &Wanted) -> i64 {
    let path = format!("/v1/variants/{}/availability", wanted.variant);
    admin.get(&path).send().await.unwrap().number("/available")
}

/// What the gateway has taken, by its own books.
async fn captures(shop: &Twinshop) -> usize {
    let lines = shop.admin().unwrap().gateway_ledger().await.unwrap();
    lines.iter().filter(|line| line["effect"]["kind"] == "captured").count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_checkouts_for_fifty_units_pay_fifty_orders() {
    let shop = shop(&[]).await;
    let admin = shop.rest("admin").unwrap();
    let wanted = limited(&shop, &admin).await;
    let before = captures(&shop).await;
    let mut arriving = tokio::task::JoinSet::new();
    for nth in 0..CROWD {
        let (actions, crud) = (shop.actions("agent").unwrap(), shop.crud("ada").unwrap());
        let wanted = wanted.clone();
        arriving.spawn(async move {
            match nth % 2 {
                0 => start_by_action(actions, wanted, nth).await,
                _ => start_by_tools(crud, wanted, nth).await,
            }
        });
    }
    let buyers = arriving.join_all().await;
    assert_eq!(available(&admin, &wanted).await, UNITS, "nobody holds any yet");
    let ends = buyers.into_iter().map(Buyer::buys).collect::<tokio::task::JoinSet<_>>().join_all().await;
    let paid = ends.into_iter().filter(|paid| *paid).count();
    assert_eq!(paid, usize::try_from(UNITS).unwrap(), "orders paid");

    assert_eq!(captures(&shop).await - before, usize::try_from(UNITS).unwrap(), "charges taken");
    assert_eq!(available(&admin, &wanted).await, 0);
    let books = admin.get("/v1/reports/ledger").send().await.unwrap();
    assert_eq!(books.number("/sum_minor"), 0);
    let reconciled = admin.get("/v1/reports/payment-reconciliation").send().await.unwrap();
    let differences = reconciled.body["differences"].as_array().unwrap();
    assert!(
        differences.iter().all(|d| d["is_unknown"] == true),
        "seeded unknowns aside: {}",
        reconciled.body
    );
}

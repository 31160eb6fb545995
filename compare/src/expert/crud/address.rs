//! Addresses: of an order, of a parcel on its way, of the address book. They are three things.

use serde_json::{Value, json};

use super::{Found, find, items, pick};
use crate::expert::Session;
use crate::intent::{AddressWords, ChangeOrderAddress, ChangeProfileAddress, Who};

/// Before it is shipped the order is changed; after that only the carrier can help.
pub(super) async fn of_order(session: &mut Session<'_>, words: &ChangeOrderAddress) -> anyhow::Result<()> {
    let order = find::order(session, &words.order).await?;
    let address = dictated(&words.to, &order.body["shipping_address"]["name"]);
    if order.body["fulfillment_status"] != "shipped" {
        let change = json!({ "order_id": order.id()?, "address": address });
        session.write_at("change_order_delivery_address", change, &order).await?;
        return Ok(());
    }
    let parcels = session.read("list_fulfillments", json!({ "order_id": order.id()? })).await?;
    let parcel = pick(items(&parcels.body), "on its way", |parcel| parcel["status"] == "in_transit")?;
    let redirect = json!({ "fulfillment_id": parcel["id"], "address": address });
    session.write_at("redirect_shipment", redirect, &Found { body: parcel.clone() }).await?;
    Ok(())
}

pub(super) async fn of_profile(
    session: &mut Session<'_>,
    words: &ChangeProfileAddress,
) -> anyhow::Result<()> {
    let customer = match &words.who {
        Some(who) => somebody(session, who).await?,
        None => {
            // A shopper finds their own id on anything of theirs.
            let found = session.read("list_orders", json!({ "limit": 1 })).await?;
            pick(items(&found.body), "mine", |_| true)?["customer_id"].clone()
        }
    };
    let book = session.read("list_customer_addresses", json!({ "customer_id": customer })).await?;
    let is_meant = |entry: &Value| match &words.label {
        Some(label) => entry["label"].as_str().is_some_and(|known| known.eq_ignore_ascii_case(label)),
        None => entry["is_default"] == true,
    };
    let saved = pick(items(&book.body), "that address", is_meant)?;
    let address = dictated(&words.to, &saved["address"]["name"]);
    let update = json!({ "customer_id": customer, "address_id": saved["id"], "address": address });
    session.write("update_customer_address", update).await?;
    Ok(())
}

/// A customer by name; the postal code tells namesakes apart.
async fn somebody(session: &mut Session<'_>, who: &Who) -> anyhow::Result<Value> {
    let mut named = json!({ "first_name": who.first_name, "last_name": who.last_name });
    let mut found = session.read("list_customers", named.clone()).await?;
    if items(&found.body).len() > 1 {
        named["postal_code"] = who.postal_code.as_str().into();
        found = session.read("list_customers", named).await?;
    }
    Ok(pick(items(&found.body), &format!("{who:?}"), |_| true)?["id"].clone())
}

/// The words as an address; the name on it stays.
fn dictated(words: &AddressWords, name: &Value) -> Value {
    json!({
        "name": name, "line1": words.line1, "line2": words.line2, "city": words.city, "region": words.region,
        "postal_code": words.postal_code, "country": words.country,
    })
}

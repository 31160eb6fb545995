//! Where orders go, and what that costs: end states from rows and from the gateway's own books.

mod deciding;
mod redirecting;
mod settling;

use mcp_actions_engine::parts::Tool;
use mcp_actions_engine::{Outcome, Reason, Status, View};
use serde_json::{Value, json};
use shop_domain::address::Address;
use shop_domain::ids::{AddressId, OrderId};
use shop_service::testing::hamburg;
use shop_service::{addresses, fulfillments, orders};

use crate::testing::{Desk, codes, id, node, offers, summary, tools};

pub(super) const FLOW: &str = "change_delivery_address";

/// What a blue mug costs with shipping in Germany, and in Austria, where no tax is due here.
const IN_GERMANY: i64 = (1_990 + 378) + (490 + 93);
const IN_AUSTRIA: i64 = 1_990 + 490;

fn vienna() -> Address {
    Address {
        city: "Vienna".into(),
        postal_code: "1010".into(),
        country: "AT".into(),
        ..hamburg("Ada Byron")
    }
}

/// An entry of Ada's address book.
async fn saved(desk: &Desk, label: &str, address: Address) -> AddressId {
    let input = addresses::Create { label: label.to_owned(), address, is_default: false };
    let ctx = desk.shop.ctx(&desk.shop.ada.principal);
    addresses::create(&ctx, desk.shop.ada.customer, input).await.unwrap().view.id
}

async fn book(desk: &Desk) -> Vec<addresses::View> {
    let ctx = desk.shop.ctx(&desk.shop.ada.principal);
    addresses::list(&ctx, desk.shop.ada.customer, crate::entities::whole_page()).await.unwrap().items
}

/// An order of Ada's to Vienna that nobody has paid.
async fn to_vienna(desk: &Desk) -> orders::View {
    let t = &desk.shop;
    let order = t.placed(&[(t.goods.blue_mug, 1)]).await;
    let to = orders::ChangeAddress { address: vienna(), shipping_method_id: None, approval_id: None };
    orders::change_address(&t.ctx(&t.ada.principal), order.id, to).await.unwrap().view.order
}

async fn start(desk: &Desk, order: OrderId, patch: Value) -> View {
    desk.start(FLOW, Some(&order.to_string()), patch).await
}

async fn parcels(desk: &Desk, order: OrderId) -> Vec<fulfillments::View> {
    super::desk::parcels(&desk.ada, order).await.unwrap()
}

fn capabilities(view: &View) -> Vec<&str> {
    let args = view.next_actions.iter().filter_map(|next| next.args.as_ref());
    args.filter_map(|args| args.get("capability")?.as_str()).collect()
}

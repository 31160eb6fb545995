//! Profiles, changed over a real shop: end states from rows.

mod addresses;
mod asking;
mod contact;
mod methods;
mod undoing;

use mcp_actions_engine::parts::Tool;
use mcp_actions_engine::{Outcome, Reason, Status, View};
use serde_json::{Value, json};
use shop_service::testing::hamburg;
use shop_service::{addresses as book, customers, payment_methods};

use crate::entities::whole_page;
use crate::testing::{Desk, codes, id, node, offers, summary, tools};

const FLOW: &str = "update_profile";

async fn start(desk: &Desk, patch: Value) -> View {
    desk.start(FLOW, None, patch).await
}

async fn ada(desk: &Desk) -> customers::View {
    customers::get(&desk.shop.ctx(&desk.shop.admin), desk.shop.ada.customer).await.unwrap()
}

async fn entries(desk: &Desk) -> Vec<book::View> {
    let ctx = desk.shop.ctx(&desk.shop.admin);
    book::list(&ctx, desk.shop.ada.customer, whole_page()).await.unwrap().items
}

async fn methods(desk: &Desk) -> Vec<payment_methods::View> {
    let ctx = desk.shop.ctx(&desk.shop.admin);
    payment_methods::list(&ctx, desk.shop.ada.customer, whole_page()).await.unwrap().items
}

fn quay() -> Value {
    json!({ "line1": "5 Quay", "city": "Bremen", "postal_code": "28195", "country": "Germany" })
}

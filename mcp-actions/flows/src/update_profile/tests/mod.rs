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
use crate::testing::{Desk, id, node, offers, tools};

const FLOW: &str = "update_profile";

async fn start(desk: &Desk, patch: Value) -> View {
    desk.start(FLOW, None, patch).await
}

async fn done(desk: &Desk, ready: &View) -> View {
    assert_eq!(node(ready), "CONFIRM_PROFILE", "{ready:?}");
    let submitted = desk.confirm(ready, &format!("confirm {}", id(ready))).await;
    assert_eq!(
        (submitted.outcome, node(&submitted)),
        (Outcome::Success, "PROFILE_SUBMITTED"),
        "{submitted:?}"
    );
    let done = desk.verify(ready).await;
    assert_eq!((done.status, done.next_actions.len()), (Some(Status::Completed), 0), "{done:?}");
    done
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

fn codes(view: &View) -> Vec<(&str, Reason)> {
    view.validation_errors.iter().map(|error| (error.field.as_str(), error.code)).collect()
}

fn summary(view: &View) -> &mcp_actions_engine::Map {
    view.summary.as_ref().unwrap_or_else(|| panic!("no summary: {view:?}"))
}

fn quay() -> Value {
    json!({ "line1": "5 Quay", "city": "Bremen", "postal_code": "28195", "country": "Germany" })
}

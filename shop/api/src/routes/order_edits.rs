use actix_web::web::{Json, Path};
use actix_web::{get, patch, post};
use serde::Deserialize;
use shop_domain::ids::{OrderEditId, OrderId, OrderLineId};
use shop_domain::operations::operation;
use shop_service::order_edits::{self, AddItem, ChangeQuantity, Commit, View};
use utoipa::IntoParams;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(begin_order_edit).service(get_order_edit).service(add_order_edit_item);
    config.service(change_order_edit_quantity).service(commit_order_edit).service(discard_order_edit);
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct OrderPath {
    /// Which order.
    order_id: OrderId,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct EditPath {
    /// Which order edit.
    edit_id: OrderEditId,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct LinePath {
    /// Which order edit.
    edit_id: OrderEditId,
    /// Which line of it.
    line_id: OrderLineId,
}

/// Open an edit session on an unfulfilled order.
///
/// Precondition: the order goes on, goods of it are still here, and no other edit of it is open. Postcondition: a
/// staged copy of its items. The order itself changes with `commit_order_edit` and not before.
#[utoipa::path(params(OrderPath), responses((status = 201, description = "The new edit.", body = View)))]
#[post("/v1/orders/{order_id}/edits")]
async fn begin_order_edit(caller: Caller, path: Path<OrderPath>) -> Result<View> {
    let path = path.into_inner();
    let write = |ctx| async move { order_edits::begin(&ctx, path.order_id).await };
    caller.write(operation("begin_order_edit"), write).await.map(Answer::created)
}

/// Staged changes and the resulting price difference.
///
/// Changes nothing. While the edit is open it is quoted anew each time; a closed one says what it came to.
#[utoipa::path(params(EditPath), responses((status = 200, description = "The edit.", body = View)))]
#[get("/v1/order-edits/{edit_id}")]
async fn get_order_edit(caller: Caller, path: Path<EditPath>) -> Result<View> {
    caller.read(|ctx| async move { order_edits::get(&ctx, path.edit_id).await }).await.map(Answer::view)
}

/// Stage a new line.
///
/// Precondition: the edit is open and the variant is sold. Postcondition: one more staged line, at today's price. With
/// `replaces_line_id` it is another variant of that line's product, has its position and discount, and that line is
/// taken out. The order is as it was.
#[utoipa::path(params(EditPath), request_body = AddItem, responses((status = 201, description = "The edit as it is now.", body = View)))]
#[post("/v1/order-edits/{edit_id}/items")]
async fn add_order_edit_item(caller: Caller, path: Path<EditPath>, body: Json<AddItem>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { order_edits::add_item(&ctx, path.edit_id, body).await };
    caller.write(operation("add_order_edit_item"), write).await.map(Answer::created)
}

/// Stage a new quantity; zero removes the line.
///
/// Precondition: the edit is open; a line keeps what has shipped, and one of which money went back stays as it is.
/// Postcondition: the staged line has the quantity, at its agreed price. The order is as it was.
#[utoipa::path(params(LinePath), request_body = ChangeQuantity, responses((status = 200, description = "The edit as it is now.", body = View)))]
#[patch("/v1/order-edits/{edit_id}/items/{line_id}")]
async fn change_order_edit_quantity(
    caller: Caller,
    path: Path<LinePath>,
    body: Json<ChangeQuantity>,
) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write =
        |ctx| async move { order_edits::change_quantity(&ctx, path.edit_id, path.line_id, body).await };
    caller.write(operation("change_order_edit_quantity"), write).await.map(Answer::ok)
}

/// Apply the staged changes; a balance may become due or owed.
///
/// Precondition: the edit is open and at the version in If-Match, and the order's lines are those it began with.
/// Postcondition: lines, held stock, totals and books are the staged ones, and no money has moved: pay what is due with
/// `create_payment` or `create_payment_link`, give back what is owed with `refund_price_adjustment` (`order_edit`).
#[utoipa::path(params(EditPath), request_body = Commit, responses((status = 200, description = "The edit as it was committed.", body = View)))]
#[post("/v1/order-edits/{edit_id}/commit")]
async fn commit_order_edit(caller: Caller, path: Path<EditPath>, body: Json<Commit>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { order_edits::commit(&ctx, path.edit_id, body).await };
    caller.write(operation("commit_order_edit"), write).await.map(Answer::ok)
}

/// Drop the staged changes.
///
/// Precondition: the edit is open. Postcondition: it is closed; the order was never changed.
#[utoipa::path(params(EditPath), responses((status = 200, description = "The edit as it was.", body = View)))]
#[post("/v1/order-edits/{edit_id}/discard")]
async fn discard_order_edit(caller: Caller, path: Path<EditPath>) -> Result<View> {
    let path = path.into_inner();
    let write = |ctx| async move { order_edits::discard(&ctx, path.edit_id).await };
    caller.write(operation("discard_order_edit"), write).await.map(Answer::ok)
}

use actix_web::web::{Json, Path, Query};
use actix_web::{delete, get, patch, post, put};
use serde::Deserialize;
use shop_domain::ids::{CartId, CartLineId};
use shop_domain::operations::operation;
use shop_service::carts::{
    self, AddItem, ApplyCoupon, ApplyGiftCard, ApplyStoreCredit, Create, PlaceOrder, SelectShipping,
    SetAddress, TotalsView, UpdateItem, View,
};
use shop_service::{Page, PageQuery, orders, shipping};
use utoipa::IntoParams;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(create_cart).service(get_cart).service(add_cart_item).service(update_cart_item);
    config.service(remove_cart_item).service(apply_cart_coupon).service(set_cart_shipping_address);
    config.service(list_cart_shipping_options).service(select_cart_shipping_option);
    config.service(apply_cart_gift_card).service(apply_cart_store_credit);
    config.service(calculate_cart_totals).service(place_order_from_cart);
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct CartPath {
    /// Which cart.
    cart_id: CartId,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct LinePath {
    /// Which cart.
    cart_id: CartId,
    /// Which of its lines.
    line_id: CartLineId,
}

/// Open an empty cart for a guest or customer in one store.
///
/// Precondition: the customer is within your scope. Postcondition: an open cart without lines. A guest's cart is seen
/// by staff of the store only.
#[utoipa::path(request_body = Create, responses((status = 201, description = "The new cart.", body = View)))]
#[post("/v1/carts")]
async fn create_cart(caller: Caller, body: Json<Create>) -> Result<View> {
    let body = body.into_inner();
    let write = |ctx| async move { carts::create(&ctx, body).await };
    caller.write(operation("create_cart"), write).await.map(Answer::created)
}

/// Lines, discounts, shipping choice and totals.
///
/// Changes nothing. Prices are those of now; `available` of a line is a warning and no promise.
#[utoipa::path(params(CartPath), responses((status = 200, description = "The cart.", body = View)))]
#[get("/v1/carts/{cart_id}")]
async fn get_cart(caller: Caller, path: Path<CartPath>) -> Result<View> {
    caller.read(|ctx| async move { carts::get(&ctx, path.cart_id).await }).await.map(Answer::view)
}

/// Add a variant and quantity.
///
/// Precondition: the cart is open and the variant is sold in its store. Postcondition: the units are added to those
/// that are in the cart already. Reserves nothing: see `create_reservation`.
#[utoipa::path(params(CartPath), request_body = AddItem, responses((status = 201, description = "The cart as it is now.", body = View)))]
#[post("/v1/carts/{cart_id}/items")]
async fn add_cart_item(caller: Caller, path: Path<CartPath>, body: Json<AddItem>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { carts::add_item(&ctx, path.cart_id, body).await };
    caller.write(operation("add_cart_item"), write).await.map(Answer::created)
}

/// Change a line's quantity.
///
/// Precondition: the cart is open. Postcondition: the line has exactly this quantity; units held for more go back.
#[utoipa::path(params(LinePath), request_body = UpdateItem, responses((status = 200, description = "The cart as it is now.", body = View)))]
#[patch("/v1/carts/{cart_id}/items/{line_id}")]
async fn update_cart_item(caller: Caller, path: Path<LinePath>, body: Json<UpdateItem>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { carts::update_item(&ctx, path.cart_id, path.line_id, body).await };
    caller.write(operation("update_cart_item"), write).await.map(Answer::ok)
}

/// Drop a line.
///
/// Precondition: the cart is open. Postcondition: the line is gone; units held for it go back.
#[utoipa::path(params(LinePath), responses((status = 200, description = "The cart as it is now.", body = View)))]
#[delete("/v1/carts/{cart_id}/items/{line_id}")]
async fn remove_cart_item(caller: Caller, path: Path<LinePath>) -> Result<View> {
    let path = path.into_inner();
    let write = |ctx| async move { carts::remove_item(&ctx, path.cart_id, path.line_id).await };
    caller.write(operation("remove_cart_item"), write).await.map(Answer::ok)
}

/// Apply a coupon code.
///
/// Precondition: the cart is open and the code can be used for it now. Postcondition: this coupon and no other; with
/// null none. A use is counted when the order is placed. Changes no order: see `refund_price_adjustment`.
#[utoipa::path(params(CartPath), request_body = ApplyCoupon, responses((status = 200, description = "The cart as it is now.", body = View)))]
#[post("/v1/carts/{cart_id}/coupons")]
async fn apply_cart_coupon(caller: Caller, path: Path<CartPath>, body: Json<ApplyCoupon>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { carts::apply_coupon(&ctx, path.cart_id, body).await };
    caller.write(operation("apply_cart_coupon"), write).await.map(Answer::ok)
}

/// Set where the cart will ship.
///
/// Precondition: the cart is open and the store delivers there. Postcondition: the cart has its own copy of the
/// address; a shipping method that does not go there is taken back. Changes no order: see
/// `change_order_delivery_address`.
#[utoipa::path(params(CartPath), request_body = SetAddress, responses((status = 200, description = "The cart as it is now.", body = View)))]
#[put("/v1/carts/{cart_id}/shipping-address")]
async fn set_cart_shipping_address(
    caller: Caller,
    path: Path<CartPath>,
    body: Json<SetAddress>,
) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { carts::set_shipping_address(&ctx, path.cart_id, body).await };
    caller.write(operation("set_cart_shipping_address"), write).await.map(Answer::ok)
}

/// Shipping methods and prices for this cart and address.
///
/// Precondition: the cart has an address. Changes nothing. Cheapest first, before tax and coupons.
#[utoipa::path(params(CartPath, PageQuery), responses((status = 200, description = "One page.", body = Page<shipping::Rate>)))]
#[get("/v1/carts/{cart_id}/shipping-options")]
async fn list_cart_shipping_options(
    caller: Caller,
    path: Path<CartPath>,
    page: Query<PageQuery>,
) -> Result<Page<shipping::Rate>> {
    caller
        .read(|ctx| async move { carts::list_shipping_options(&ctx, path.cart_id, page.into_inner()).await })
        .await
        .map(Answer::view)
}

/// Choose a shipping method.
///
/// Precondition: the cart is open and the method goes to its address at its weight. Changes no order: see
/// `change_order_shipping_option`.
#[utoipa::path(params(CartPath), request_body = SelectShipping, responses((status = 200, description = "The cart as it is now.", body = View)))]
#[put("/v1/carts/{cart_id}/shipping-option")]
async fn select_cart_shipping_option(
    caller: Caller,
    path: Path<CartPath>,
    body: Json<SelectShipping>,
) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { carts::select_shipping_option(&ctx, path.cart_id, body).await };
    caller.write(operation("select_cart_shipping_option"), write).await.map(Answer::ok)
}

/// Pay part of the cart with a gift card code.
///
/// Precondition: the card has something on it. Postcondition: the card is noted on the cart, and nothing is taken from
/// it: that is done by a payment of the order with this `gift_card_id`.
#[utoipa::path(params(CartPath), request_body = ApplyGiftCard, responses((status = 200, description = "The cart as it is now.", body = View)))]
#[post("/v1/carts/{cart_id}/gift-cards")]
async fn apply_cart_gift_card(
    caller: Caller,
    path: Path<CartPath>,
    body: Json<ApplyGiftCard>,
) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { carts::apply_gift_card(&ctx, path.cart_id, body).await };
    caller.write(operation("apply_cart_gift_card"), write).await.map(Answer::ok)
}

/// Use an amount of the customer's store credit.
///
/// Precondition: the customer has that much. Postcondition: the amount is noted on the cart, and nothing is taken: that
/// is done by a payment of the order with the instrument `store_credit`.
#[utoipa::path(params(CartPath), request_body = ApplyStoreCredit, responses((status = 200, description = "The cart as it is now.", body = View)))]
#[put("/v1/carts/{cart_id}/store-credit")]
async fn apply_cart_store_credit(
    caller: Caller,
    path: Path<CartPath>,
    body: Json<ApplyStoreCredit>,
) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { carts::apply_store_credit(&ctx, path.cart_id, body).await };
    caller.write(operation("apply_cart_store_credit"), write).await.map(Answer::ok)
}

/// Recompute items, discounts, shipping, tax and amount due.
///
/// Changes nothing. `problems` says what stands between this cart and an order.
#[utoipa::path(params(CartPath), responses((status = 200, description = "What it would cost now.", body = TotalsView)))]
#[post("/v1/carts/{cart_id}/totals")]
async fn calculate_cart_totals(caller: Caller, path: Path<CartPath>) -> Result<TotalsView> {
    caller
        .read(|ctx| async move { carts::calculate_totals(&ctx, path.cart_id).await })
        .await
        .map(Answer::view)
}

/// Turn the cart into an order and reserve stock; does not charge.
///
/// Precondition: the cart has lines, an address and a shipping method, and all of it can be had now. Postcondition: a
/// pending order whose units nobody else can buy; the cart is `ordered`. To pay: `create_payment`.
#[utoipa::path(params(CartPath), request_body = PlaceOrder, responses((status = 201, description = "The new order.", body = orders::View)))]
#[post("/v1/carts/{cart_id}/place-order")]
async fn place_order_from_cart(
    caller: Caller,
    path: Path<CartPath>,
    body: Json<PlaceOrder>,
) -> Result<orders::View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { carts::place_order(&ctx, path.cart_id, body).await };
    caller.write(operation("place_order_from_cart"), write).await.map(Answer::created)
}

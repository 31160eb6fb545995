use actix_web::web::{Json, Path, Query};
use actix_web::{get, post, put};
use serde::Deserialize;
use shop_domain::ids::{LocationId, ReservationId, TransferId, VariantId};
use shop_domain::operations::operation;
use shop_service::inventory::{
    self, Adjust, Adjustment, Availability, Create, CreateTransfer, Filter, Level, LevelFilter, Location,
    LocationFilter, ReceiveTransfer, SetLevel, Transfer, View,
};
use shop_service::{Page, PageQuery};
use utoipa::IntoParams;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(get_variant_availability).service(list_inventory_levels).service(list_locations);
    config.service(list_reservations).service(create_reservation).service(release_reservation);
    config.service(set_inventory_level).service(adjust_inventory);
    config.service(create_inventory_transfer).service(receive_inventory_transfer);
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct VariantPath {
    /// Which variant.
    variant_id: VariantId,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct LevelPath {
    /// Of which variant.
    variant_id: VariantId,
    /// At which location.
    location_id: LocationId,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct TransferPath {
    /// Which transfer.
    transfer_id: TransferId,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct ReservationPath {
    /// Which reservation.
    reservation_id: ReservationId,
}

/// Sellable quantity and earliest ship date for one variant.
///
/// Changes nothing and holds nothing. `available` is null when the stock of the variant is not counted.
#[utoipa::path(params(VariantPath), responses((status = 200, description = "What can be had.", body = Availability)))]
#[get("/v1/variants/{variant_id}/availability")]
async fn get_variant_availability(caller: Caller, path: Path<VariantPath>) -> Result<Availability> {
    caller
        .read(|ctx| async move { inventory::availability(&ctx, path.variant_id).await })
        .await
        .map(Answer::view)
}

/// On-hand, reserved and available per variant and location.
///
/// Changes nothing. By variant, then location; only locations of the stores you work for.
#[utoipa::path(params(LevelFilter, PageQuery), responses((status = 200, description = "One page.", body = Page<Level>)))]
#[get("/v1/inventory/levels")]
async fn list_inventory_levels(
    caller: Caller,
    filter: Query<LevelFilter>,
    page: Query<PageQuery>,
) -> Result<Page<Level>> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller.read(|ctx| async move { inventory::list_levels(&ctx, filter, page).await }).await.map(Answer::view)
}

/// Warehouses and shops that hold stock.
///
/// Changes nothing. Oldest first; only those of the stores you work for.
#[utoipa::path(params(LocationFilter, PageQuery), responses((status = 200, description = "One page.", body = Page<Location>)))]
#[get("/v1/locations")]
async fn list_locations(
    caller: Caller,
    filter: Query<LocationFilter>,
    page: Query<PageQuery>,
) -> Result<Page<Location>> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller
        .read(|ctx| async move { inventory::list_locations(&ctx, filter, page).await })
        .await
        .map(Answer::view)
}

/// Units held for carts, orders or exchanges.
///
/// Changes nothing. Newest first; those that have ended are kept, with how they ended.
#[utoipa::path(params(Filter, PageQuery), responses((status = 200, description = "One page.", body = Page<View>)))]
#[get("/v1/inventory/reservations")]
async fn list_reservations(
    caller: Caller,
    filter: Query<Filter>,
    page: Query<PageQuery>,
) -> Result<Page<View>> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller
        .read(|ctx| async move { inventory::list_reservations(&ctx, filter, page).await })
        .await
        .map(Answer::view)
}

/// Hold units for a cart until an expiry time.
///
/// Precondition: the cart is open and enough units are free. Postcondition: nobody else can buy them until they are
/// ordered from this cart, released, or the time is up.
#[utoipa::path(request_body = Create, responses((status = 201, description = "The new reservation.", body = View)))]
#[post("/v1/inventory/reservations")]
async fn create_reservation(caller: Caller, body: Json<Create>) -> Result<View> {
    let body = body.into_inner();
    let write = |ctx| async move { inventory::create(&ctx, body).await };
    caller.write(operation("create_reservation"), write).await.map(Answer::created)
}

/// Give held units back to available stock.
///
/// Precondition: the reservation is active and a cart's; units of an order are freed by cancelling it. Postcondition:
/// the units can be bought again.
#[utoipa::path(params(ReservationPath), responses((status = 200, description = "The reservation as it is now.", body = View)))]
#[post("/v1/inventory/reservations/{reservation_id}/release")]
async fn release_reservation(caller: Caller, path: Path<ReservationPath>) -> Result<View> {
    let path = path.into_inner();
    let write = |ctx| async move { inventory::release_reservation(&ctx, path.reservation_id).await };
    caller.write(operation("release_reservation"), write).await.map(Answer::ok)
}

/// Overwrite the counted quantity (stock-take).
///
/// Precondition: the stock of the variant is counted, the location is its brand's, and at least as many units were
/// counted as are reserved. Postcondition: that many are on the shelf; reservations stay as they are.
#[utoipa::path(params(LevelPath), request_body = SetLevel, responses((status = 200, description = "The level as it is now.", body = Level)))]
#[put("/v1/inventory/levels/{variant_id}/{location_id}")]
async fn set_inventory_level(caller: Caller, path: Path<LevelPath>, body: Json<SetLevel>) -> Result<Level> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write =
        |ctx| async move { inventory::set_level(&ctx, path.variant_id, path.location_id, body).await };
    caller.write(operation("set_inventory_level"), write).await.map(Answer::ok)
}

/// Add or remove units with a reason (damage, shrink, found).
///
/// Precondition: the reason fits the sign of `delta`, and no unit is taken away that somebody holds. Postcondition: the
/// count is `delta` units higher, and the change is written down with its reason.
#[utoipa::path(request_body = Adjust, responses((status = 201, description = "The change.", body = Adjustment)))]
#[post("/v1/inventory/adjustments")]
async fn adjust_inventory(caller: Caller, body: Json<Adjust>) -> Result<Adjustment> {
    let body = body.into_inner();
    let write = |ctx| async move { inventory::adjust(&ctx, body).await };
    caller.write(operation("adjust_inventory"), write).await.map(Answer::created)
}

/// Start moving units between two locations.
///
/// Precondition: enough units are free at the first location, and both are of the variants' brand. Postcondition: they
/// have left its shelf, and cannot be sold until the other location books them in.
#[utoipa::path(request_body = CreateTransfer, responses((status = 201, description = "The new transfer.", body = Transfer)))]
#[post("/v1/inventory/transfers")]
async fn create_inventory_transfer(caller: Caller, body: Json<CreateTransfer>) -> Result<Transfer> {
    let body = body.into_inner();
    let write = |ctx| async move { inventory::create_transfer(&ctx, body).await };
    caller.write(operation("create_inventory_transfer"), write).await.map(Answer::created)
}

/// Book in the units that arrived.
///
/// Precondition: the transfer is not closed, and no more units are named than are still expected. Postcondition: the
/// units are on the shelf of the second location; the transfer is `received` once all arrived or `is_final` was sent.
#[utoipa::path(params(TransferPath), request_body = ReceiveTransfer, responses((status = 200, description = "The transfer as it is now.", body = Transfer)))]
#[post("/v1/inventory/transfers/{transfer_id}/receive")]
async fn receive_inventory_transfer(
    caller: Caller,
    path: Path<TransferPath>,
    body: Json<ReceiveTransfer>,
) -> Result<Transfer> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { inventory::receive_transfer(&ctx, path.transfer_id, body).await };
    caller.write(operation("receive_inventory_transfer"), write).await.map(Answer::ok)
}

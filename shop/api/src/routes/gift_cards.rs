use actix_web::web::{Json, Path, Query};
use actix_web::{get, post};
use serde::Deserialize;
use shop_domain::ids::GiftCardId;
use shop_domain::operations::operation;
use shop_service::gift_cards::{self, BalanceView, Check, Disable, Filter, Issue, Redeem, View};
use shop_service::{Page, PageQuery};
use utoipa::IntoParams;
use utoipa_actix_web::service_config::ServiceConfig;

use crate::answer::{Answer, Result};
use crate::caller::Caller;

pub(super) fn routes(config: &mut ServiceConfig) {
    config.service(list_gift_cards).service(get_gift_card).service(issue_gift_card);
    config.service(check_gift_card_balance).service(redeem_gift_card).service(disable_gift_card);
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct GiftCardPath {
    /// Which card.
    gift_card_id: GiftCardId,
}

/// Gift cards with state and last four characters.
///
/// Changes nothing. Newest first.
#[utoipa::path(params(Filter, PageQuery), responses((status = 200, description = "One page.", body = Page<View>)))]
#[get("/v1/gift-cards")]
async fn list_gift_cards(
    caller: Caller,
    filter: Query<Filter>,
    page: Query<PageQuery>,
) -> Result<Page<View>> {
    let (filter, page) = (filter.into_inner(), page.into_inner());
    caller.read(|ctx| async move { gift_cards::list(&ctx, filter, page).await }).await.map(Answer::view)
}

/// Balance and use history.
///
/// Changes nothing. The full code is never shown.
#[utoipa::path(params(GiftCardPath), responses((status = 200, description = "The card.", body = View)))]
#[get("/v1/gift-cards/{gift_card_id}")]
async fn get_gift_card(caller: Caller, path: Path<GiftCardPath>) -> Result<View> {
    caller.read(|ctx| async move { gift_cards::get(&ctx, path.gift_card_id).await }).await.map(Answer::view)
}

/// Create a card with a starting balance.
///
/// Precondition: above the policy's limit for one customer and day, or for nobody in particular, a second person's
/// approval. Postcondition: an active card. Its code is in this answer and nowhere else.
#[utoipa::path(request_body = Issue, responses((status = 201, description = "The new card, with its code.", body = View)))]
#[post("/v1/gift-cards")]
async fn issue_gift_card(caller: Caller, body: Json<Issue>) -> Result<View> {
    let body = body.into_inner();
    let write = |ctx| async move { gift_cards::issue(&ctx, body).await };
    caller.write(operation("issue_gift_card"), write).await.map(Answer::created)
}

/// Balance from a full code (rate limited).
///
/// Changes nothing. Twenty tries an hour, hits and misses alike; then `rate_limited`.
#[utoipa::path(request_body = Check, responses((status = 200, description = "What the code is worth.", body = BalanceView)))]
#[post("/v1/gift-cards/balance-checks")]
async fn check_gift_card_balance(caller: Caller, body: Json<Check>) -> Result<BalanceView> {
    let body = body.into_inner();
    caller.read(|ctx| async move { gift_cards::check(&ctx, body).await }).await.map(Answer::view)
}

/// Move the balance into the customer's store credit.
///
/// Precondition: the card is active, something on it is free, and it is at the version in If-Match. Postcondition:
/// the free balance is store credit; the card is spent unless payments still hold a part of it.
#[utoipa::path(params(GiftCardPath), request_body = Redeem, responses((status = 200, description = "The card as it is now.", body = View)))]
#[post("/v1/gift-cards/{gift_card_id}/redeem")]
async fn redeem_gift_card(caller: Caller, path: Path<GiftCardPath>, body: Json<Redeem>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { gift_cards::redeem(&ctx, path.gift_card_id, body).await };
    caller.write(operation("redeem_gift_card"), write).await.map(Answer::ok)
}

/// Void the card; the remaining balance is lost.
///
/// Precondition: the card is active, no payment holds a part of it, and it is at the version in If-Match. Postcondition:
/// the card is void for good. To pay its balance out to the customer instead, `redeem_gift_card`.
#[utoipa::path(params(GiftCardPath), request_body = Disable, responses((status = 200, description = "The card as it is now.", body = View)))]
#[post("/v1/gift-cards/{gift_card_id}/disable")]
async fn disable_gift_card(caller: Caller, path: Path<GiftCardPath>, body: Json<Disable>) -> Result<View> {
    let (path, body) = (path.into_inner(), body.into_inner());
    let write = |ctx| async move { gift_cards::disable(&ctx, path.gift_card_id, body).await };
    caller.write(operation("disable_gift_card"), write).await.map(Answer::ok)
}

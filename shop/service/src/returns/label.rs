use sea_orm::{ActiveModelTrait, IntoActiveModel, Set};
use serde_json::json;
use shop_domain::ids::ReturnId;
use shop_domain::ledger as books;
use shop_domain::operations::operation;
use shop_domain::reasons::PostagePayer;
use shop_domain::returns::ReturnEvent;

use super::read::{find, view};
use super::view::View;
use super::write::after;
use crate::error::Result;
use crate::start::Start;
use crate::{Ctx, Reply, events, fulfillments, ledger, orders};

/// Orders the parcel back: the carrier collects it with a label that the shop has paid, or that the customer pays
/// at the door where the reason is theirs.
///
/// # Errors
/// When the return is not approved or has a label, or no carrier is known.
pub async fn create_label(ctx: &Ctx, id: ReturnId) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("create_return_label")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let (row, order) = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    let status = after(&row, ReturnEvent::SentBack)?;
    let lines = orders::lines_of(&*tx, order.id).await?;
    let units = row.lines.0.iter().filter_map(|returned| {
        let line = lines.iter().find(|line| line.id == returned.line_id)?;
        Some((line.variant_id, returned.quantity))
    });
    let units: Vec<_> = units.collect();
    let (_, price) = fulfillments::postage(&*tx, &order, &units).await?;
    let price = match row.reason.postage_payer() {
        PostagePayer::Shop => price,
        PostagePayer::Customer => 0,
    };
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.status = Set(status);
    row.label_tracking = Set(Some(fulfillments::tracking_number(ctx, &id.to_string())));
    row.label_minor = Set(Some(price));
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    let row = row.update(&*tx).await?;
    ledger::post(&*tx, ctx, &books::label_bought(price)?, ledger::Refs::order(&order), "return label")
        .await?;
    let data = json!({ "amount_minor": price });
    events::record(&*tx, ctx, "return.label_created", id, Some(order.id), data).await?;
    let view = view(&*tx, row).await?;
    tx.finish(ctx, id, view).await
}

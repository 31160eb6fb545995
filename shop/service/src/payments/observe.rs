use chrono::{DateTime, Utc};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use shop_domain::ids::PaymentId;
use shop_domain::operations::operation;
use shop_domain::payments::Tender;
use shop_domain::status::AttemptOutcome;
use shop_gateway::Lookup;
use shop_gateway::wire::PaymentStatus;
use shop_store::entities::attempts as attempt_rows;

use super::read::{find, view};
use super::view::View;
use crate::Ctx;
use crate::attempts::{self, Sought};
use crate::error::Result;

/// What the shop believes about a payment, beside what is so.
#[derive(Clone, Debug)]
pub struct Observation {
    pub payment: View,
    pub truth: Truth,
    pub observed_at: DateTime<Utc>,
}

/// What is so. Amounts are in minor units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// The shop's own money: its rows are the truth.
    Own,
    /// The gateway has it like this.
    Gateway { authorized_minor: i64, captured_minor: i64, refunded_minor: i64, is_voided: bool },
    /// The gateway knows nothing of it.
    Absent,
    /// The gateway did not answer.
    Silent,
}

/// Asks the gateway about a payment. A call of ours whose answer was missing is settled when the gateway knows it;
/// nothing is sent and nothing is fenced.
///
/// # Errors
/// When the payment is out of sight, or somebody is calling the gateway for it right now.
pub async fn observe(ctx: &Ctx, id: PaymentId) -> Result<Observation> {
    ctx.may(operation("get_payment"))?;
    let row = find(ctx, ctx.read()?, id).await?;
    let mut truth = Truth::Own;
    if Tender::from(row.instrument) == Tender::Gateway {
        truth = ask(ctx, id).await?;
    }
    Ok(Observation { payment: view(ctx.read()?, id).await?, truth, observed_at: ctx.now() })
}

async fn ask(ctx: &Ctx, id: PaymentId) -> Result<Truth> {
    let open = attempt_rows::Entity::find()
        .filter(attempt_rows::Column::PaymentId.eq(id))
        .filter(attempt_rows::Column::RefundId.is_null())
        .filter(attempt_rows::Column::Outcome.is_in([AttemptOutcome::Pending, AttemptOutcome::Unknown]))
        .all(ctx.read()?)
        .await?;
    for attempt in open {
        match attempts::seek(ctx, attempt.id).await? {
            Sought::Settled | Sought::Absent => {}
            Sought::Silent => return Ok(Truth::Silent),
        }
    }
    let Some(charge) = view(ctx.read()?, id).await?.charge_id else { return Ok(Truth::Absent) };
    Ok(match ctx.gateway()?.lookup(&charge).await {
        Lookup::Found(found) => Truth::Gateway {
            authorized_minor: found.authorized_minor,
            captured_minor: found.captured_minor,
            refunded_minor: found.refunded_minor,
            is_voided: found.status == PaymentStatus::Voided,
        },
        Lookup::NotFound => Truth::Absent,
        Lookup::Unavailable => Truth::Silent,
    })
}

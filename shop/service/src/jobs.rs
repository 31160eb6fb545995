//! Work that waits for its time: settling, expiries, resumed actions. Rows, so that a restart loses none.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use futures::future::join_all;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, SimpleExpr};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Set};
use shop_domain::ids::JobId;
use shop_domain::limits;
use shop_store::entities::jobs;
use shop_world::clock::lease_now_ms;

use crate::error::Result;
use crate::shop::Shop;

/// What a job is about; the word is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Look up an attempt whose outcome is missing.
    Settle,
    /// Look whether a bank has sent a refund back.
    WatchRefund,
    /// Go on with an action whose step was settled or approved, or that a crash left.
    ResumeAction,
    /// Let an action expire.
    ExpireAction,
    /// Give back what a holder did not use in time.
    ExpireHolds,
    /// Let an approval expire.
    ExpireApproval,
    /// Send a webhook endpoint what waits for it.
    DeliverWebhooks,
}

/// Which jobs wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// The shop's own, one after the other.
    Own,
    /// Those that wait for strangers, several at once: a stranger who does not answer holds up nobody else.
    Strangers,
}

impl Lane {
    const fn at_once(self) -> usize {
        match self {
            Self::Own => 1,
            Self::Strangers => limits::WEBHOOKS_AT_ONCE,
        }
    }

    fn holds(self, kind: jobs::Column) -> SimpleExpr {
        let strangers = [Kind::DeliverWebhooks.as_str()];
        match self {
            Self::Own => kind.is_not_in(strangers),
            Self::Strangers => kind.is_in(strangers),
        }
    }
}

impl Kind {
    const ALL: [Self; 7] = [
        Self::Settle,
        Self::WatchRefund,
        Self::ResumeAction,
        Self::ExpireAction,
        Self::ExpireHolds,
        Self::ExpireApproval,
        Self::DeliverWebhooks,
    ];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Settle => "settle",
            Self::WatchRefund => "watch_refund",
            Self::ResumeAction => "resume_action",
            Self::ExpireAction => "expire_action",
            Self::ExpireHolds => "expire_holds",
            Self::ExpireApproval => "expire_approval",
            Self::DeliverWebhooks => "deliver_webhooks",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// What became of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Done,
    Again(DateTime<Utc>),
}

/// Who does the jobs: the composition root joins the service's and the flows'.
#[async_trait]
pub trait Worker: Send + Sync {
    /// Does one job; must be safe to repeat.
    async fn run(&self, shop: &Arc<Shop>, kind: Kind, subject: &str) -> Result<Next>;
}

/// Adds a job in the transaction of what made it necessary. One job a kind and subject: the earlier time wins, and one
/// that is being done at this moment is done again.
pub async fn enqueue(
    tx: &impl ConnectionTrait,
    shop: &Shop,
    kind: Kind,
    subject: impl ToString,
    due_at: DateTime<Utc>,
) -> Result<()> {
    let id = JobId::new(shop.world.ids.next("job"));
    let row = jobs::ActiveModel {
        id: Set(id),
        kind: Set(kind.as_str().to_owned()),
        subject: Set(subject.to_string()),
        due_at: Set(due_at),
        tries: Set(0),
        lease_until_ms: Set(0),
        lease_owner: Set(None),
        created_at: Set(shop.world.clock.now()),
    };
    let stored = |column: jobs::Column| Expr::col((jobs::Entity, column));
    let runs = stored(jobs::Column::LeaseUntilMs)
        .gte(lease_now_ms())
        .and(stored(jobs::Column::LeaseOwner).eq(owner(shop)));
    let is_earlier = stored(jobs::Column::DueAt).gt(due_at).or(runs.clone());
    let due = Expr::case(is_earlier, Expr::value(due_at)).finally(stored(jobs::Column::DueAt));
    // The new id tells the one who does it now that it was put again.
    let id = Expr::case(runs, Expr::value(id)).finally(stored(jobs::Column::Id));
    let conflict = OnConflict::columns([jobs::Column::Kind, jobs::Column::Subject])
        .value(jobs::Column::DueAt, due)
        .value(jobs::Column::Id, id)
        .to_owned();
    jobs::Entity::insert(row).on_conflict(conflict).exec_without_returning(tx).await?;
    shop.wake.notify_one();
    Ok(())
}

/// Who holds the leases of this process.
fn owner(shop: &Shop) -> String {
    shop.world.boot.to_string()
}

/// Does everything that is due, oldest first, until nothing is; returns how many jobs ran.
///
/// # Errors
/// When the database does not answer. A job's own failure only postpones it.
pub async fn run_due(shop: &Arc<Shop>, worker: &dyn Worker) -> Result<usize> {
    let own = run_lane(shop, worker, Lane::Own).await?;
    Ok(own + run_lane(shop, worker, Lane::Strangers).await?)
}

/// The same for the jobs of one lane.
///
/// # Errors
/// When the database does not answer.
pub async fn run_lane(shop: &Arc<Shop>, worker: &dyn Worker, lane: Lane) -> Result<usize> {
    let mut ran = 0;
    while ran < limits::JOBS_PER_DRAIN_MAX {
        let mut batch = Vec::with_capacity(lane.at_once());
        while batch.len() < lane.at_once()
            && let Some(job) = claim(shop, lane).await?
        {
            batch.push(job);
        }
        if batch.is_empty() {
            break;
        }
        ran += batch.len();
        for ended in join_all(batch.iter().map(|job| run(shop, worker, job))).await {
            ended?;
        }
    }
    Ok(ran)
}

async fn run(shop: &Arc<Shop>, worker: &dyn Worker, job: &jobs::Model) -> Result<()> {
    let next = match Kind::parse(&job.kind) {
        Some(kind) => worker.run(shop, kind, &job.subject).await,
        None => Ok(Next::Done),
    };
    let next = next.unwrap_or_else(|error| {
        tracing::warn!(kind = job.kind, subject = job.subject, %error, "a job failed and will be tried again");
        Next::Again(shop.world.clock.now() + backoff(job.tries))
    });
    finish(shop, job, next).await
}

/// When the next job is due.
///
/// # Errors
/// When the database does not answer.
pub async fn next_due(shop: &Shop) -> Result<Option<DateTime<Utc>>> {
    let next = jobs::Entity::find().order_by_asc(jobs::Column::DueAt).limit(1).one(shop.db.reader()).await?;
    Ok(next.map(|job| job.due_at))
}

/// 1 s, 2 s, 4 s … up to five minutes.
#[must_use]
pub fn backoff(tries: i64) -> chrono::TimeDelta {
    let doublings = u32::try_from(tries.clamp(0, 8)).unwrap_or(8);
    chrono::TimeDelta::seconds(Ord::min(2_i64.pow(doublings), 300))
}

async fn claim(shop: &Shop, lane: Lane) -> Result<Option<jobs::Model>> {
    let tx = shop.db.begin().await?;
    let owner = owner(shop);
    // A lease of an earlier boot is dead: the process that held it is gone.
    let is_free = jobs::Column::LeaseUntilMs
        .lt(lease_now_ms())
        .or(jobs::Column::LeaseOwner.is_null())
        .or(jobs::Column::LeaseOwner.ne(&owner));
    let job = jobs::Entity::find()
        .filter(jobs::Column::DueAt.lte(shop.world.clock.now()))
        .filter(is_free)
        .filter(lane.holds(jobs::Column::Kind))
        .order_by_asc(jobs::Column::DueAt)
        .order_by_asc(jobs::Column::Id)
        .limit(1)
        .one(&*tx)
        .await?;
    let Some(job) = job else { return Ok(None) };
    let leased = jobs::ActiveModel {
        id: Set(job.id),
        lease_until_ms: Set(lease_now_ms() + limits::LEASE_MS),
        lease_owner: Set(Some(owner)),
        tries: Set(job.tries + 1),
        ..Default::default()
    };
    jobs::Entity::update(leased).exec(&*tx).await?;
    tx.commit().await?;
    Ok(Some(job))
}

/// A job that was put again while it ran stays, at the time it was put for.
async fn finish(shop: &Shop, job: &jobs::Model, next: Next) -> Result<()> {
    let tx = shop.db.begin().await?;
    let is_as_it_was = match next {
        Next::Done => {
            let done = jobs::Entity::delete_many().filter(jobs::Column::Id.eq(job.id));
            done.exec(&*tx).await?.rows_affected > 0
        }
        Next::Again(at) => {
            let later = jobs::Entity::update_many()
                .col_expr(jobs::Column::DueAt, at.into())
                .col_expr(jobs::Column::LeaseUntilMs, 0.into())
                .filter(jobs::Column::Id.eq(job.id));
            later.exec(&*tx).await?.rows_affected > 0
        }
    };
    if !is_as_it_was {
        let free = jobs::Entity::update_many()
            .col_expr(jobs::Column::LeaseUntilMs, 0.into())
            .filter(jobs::Column::Kind.eq(&job.kind))
            .filter(jobs::Column::Subject.eq(&job.subject));
        free.exec(&*tx).await?;
    }
    tx.commit().await?;
    Ok(())
}

#[cfg(test)]
mod tests;

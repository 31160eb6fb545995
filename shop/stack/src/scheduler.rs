//! One scheduler per process runs the jobs of all its open worlds.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use shop_service::jobs::{self, Kind, Lane, Next, Worker};
use shop_service::{Ctx, Result, Shop, approvals, attempts, inventory, refunds, webhooks};
use tokio_util::sync::CancellationToken;

use crate::worlds::{OpenWorld, Worlds};

/// How often worlds are looked at when nothing wakes the scheduler.
pub(crate) const TICK: Duration = Duration::from_millis(250);

/// Does the service's jobs, and hands the actions' jobs to the flows.
pub(crate) struct Jobs {
    pub(crate) actions: mcp_actions_flows::Engines,
}

#[async_trait]
impl Worker for Jobs {
    async fn run(&self, shop: &Arc<Shop>, kind: Kind, subject: &str) -> Result<Next> {
        let ctx = Ctx::system(Arc::clone(shop));
        match kind {
            Kind::Settle => match subject.parse() {
                Ok(id) => attempts::settle_later(&ctx, id).await,
                Err(_) => Ok(Next::Done),
            },
            Kind::WatchRefund => match subject.parse() {
                Ok(id) => refunds::watch(&ctx, id).await,
                Err(_) => Ok(Next::Done),
            },
            Kind::ExpireHolds => inventory::expire(shop, subject).await,
            Kind::ExpireApproval => match subject.parse() {
                Ok(id) => approvals::expire(shop, &ctx, id).await.map(|()| Next::Done),
                Err(_) => Ok(Next::Done),
            },
            Kind::DeliverWebhooks => match subject.parse() {
                Ok(id) => webhooks::deliver(&ctx, id).await,
                Err(_) => Ok(Next::Done),
            },
            Kind::ResumeAction => self.actions.resume(&ctx, subject).await,
            Kind::ExpireAction => self.actions.expire(&ctx, subject).await,
        }
    }
}

impl Jobs {
    /// Does what is due at the gateway, delivers what it has to tell, and does the shop's due jobs, until there is
    /// nothing more; returns how many jobs ran.
    ///
    /// # Errors
    /// When the books or the database cannot be used.
    pub(crate) async fn drain(&self, open: &OpenWorld) -> anyhow::Result<usize> {
        let mut ran = 0;
        loop {
            let mut told = 0;
            if let Some(account) = &open.account {
                account.tick()?;
                told = account.deliver().await;
            }
            let now = jobs::run_due(&open.shop, self).await?;
            ran += now;
            if told + now == 0 {
                return Ok(ran);
            }
        }
    }
}

/// Runs due jobs until told to stop. A frozen world's jobs run only when somebody drains it.
pub(crate) async fn run(worlds: Arc<Worlds>, worker: Arc<Jobs>, stop: CancellationToken) {
    tokio::join!(
        run_lane(&worlds, &worker, Lane::Own, &stop),
        run_lane(&worlds, &worker, Lane::Strangers, &stop)
    );
}

async fn run_lane(worlds: &Worlds, worker: &Jobs, lane: Lane, stop: &CancellationToken) {
    loop {
        for open in worlds.all() {
            if open.shop.world.clock.is_frozen() {
                continue;
            }
            if lane == Lane::Own
                && let Some(Err(error)) = open.account.as_ref().map(|account| account.tick())
            {
                tracing::warn!(world = open.shop.world.name, %error, "the gateway's books could not be used");
            }
            if let Err(error) = jobs::run_lane(&open.shop, worker, lane).await {
                tracing::warn!(world = open.shop.world.name, %error, "jobs could not be run");
            }
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(TICK) => {}
        }
    }
}

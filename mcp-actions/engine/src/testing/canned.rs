//! What every flow with effects has to pass, whatever its business is.

use std::sync::Arc;

use async_trait::async_trait;
use shop_world::Moment;

use crate::advance::AdvanceCall;
use crate::confirm::{Approval, ConfirmCall};
use crate::engine::Engine;
use crate::flow::Caller;
use crate::node::DONE;
use crate::parts::Tool;
use crate::reason::{Outcome, Reason};
use crate::record::Status;
use crate::recover::RecoverCall;
use crate::start::StartCall;
use crate::store::Store;
use crate::testing::Crashing;
use crate::view::View;

/// Far more writes than any flow makes.
const WRITES_MAX: usize = 64;
/// How often the same call is repeated while it may be.
const RETRIES_MAX: usize = 3;

/// One fresh world with a flow in it. Consent is the agent's word there.
#[async_trait]
pub trait Stage<C: Caller>: Send + Sync {
    fn ctx(&self) -> &C;
    fn store(&self) -> Arc<dyn Store<C>>;
    /// A process over a store of this world; a second one is what a restart brings.
    fn engine(&self, store: Arc<dyn Store<C>>) -> Engine<C>;
    /// A start that reaches the confirm node in one call.
    fn start(&self) -> StartCall;
    /// How often the outside effect happened and was not undone.
    async fn times_done(&self) -> usize;
    /// How much is reserved.
    async fn reserved(&self) -> usize;
}

/// Confirms what a view shows, with a key.
#[must_use]
pub fn approve(view: &View, key: &str) -> ConfirmCall {
    ConfirmCall {
        action_id: view.action_id.clone().unwrap_or_default(),
        approval: Approval::Approved,
        idempotency_key: key.to_owned(),
        version: None,
        include_schema: false,
    }
}

/// Start, confirm, verify.
pub async fn happy_path<C: Caller>(stage: &dyn Stage<C>) -> View {
    let engine = stage.engine(stage.store());
    let ready = engine.start(stage.ctx(), stage.start()).await;
    assert_eq!(ready.status, Some(Status::ReadyForConfirmation), "{ready:?}");
    assert_eq!(stage.times_done().await, 0, "nothing happens before confirm");
    let submitted = engine.confirm(stage.ctx(), approve(&ready, "happy")).await;
    assert_eq!(submitted.outcome, Outcome::Success, "{submitted:?}");
    assert_eq!(submitted.status, Some(Status::Submitted));
    let done = verify(&engine, stage, &ready).await;
    assert_eq!((done.outcome, done.status), (Outcome::Success, Some(Status::Completed)), "{done:?}");
    assert_eq!(done.node.as_deref(), Some(DONE));
    assert!(done.next_actions.is_empty());
    assert_eq!(stage.times_done().await, 1);
    done
}

/// A second confirm, under the same key or a new one, does nothing.
pub async fn confirming_twice_acts_once<C: Caller>(stage: &dyn Stage<C>) {
    let engine = stage.engine(stage.store());
    let ready = engine.start(stage.ctx(), stage.start()).await;
    let first = engine.confirm(stage.ctx(), approve(&ready, "one")).await;
    let again = engine.confirm(stage.ctx(), approve(&ready, "one")).await;
    assert!(again.replayed);
    assert_eq!((again.status, again.version), (first.status, first.version));
    let other = engine.confirm(stage.ctx(), approve(&ready, "two")).await;
    assert_eq!(other.reason, Some(Reason::ActionNotAllowed));
    assert_eq!(stage.times_done().await, 1);
}

/// Giving up before confirm leaves nothing reserved and nothing done.
pub async fn canceling_leaves_nothing<C: Caller>(stage: &dyn Stage<C>) {
    let engine = stage.engine(stage.store());
    let ready = engine.start(stage.ctx(), stage.start()).await;
    let (Some(action_id), Some(version)) = (ready.action_id.clone(), ready.version) else {
        panic!("the start reached nothing: {ready:?}");
    };
    let cancel = AdvanceCall { action_id, version, cancel: true, ..AdvanceCall::default() };
    let canceled = engine.advance(stage.ctx(), cancel).await;
    assert_eq!(canceled.status, Some(Status::Canceled), "{canceled:?}");
    assert!(canceled.next_actions.is_empty());
    assert_eq!((stage.reserved().await, stage.times_done().await), (0, 0));
    let late = engine.confirm(stage.ctx(), approve(&ready, "late")).await;
    assert_eq!(late.reason, Some(Reason::ActionNotAllowed));
}

/// The process dies at every single write of a confirm, before it and after it. Whatever the point, a runner or the
/// caller's same call brings the action to its end, and the effect happens once.
pub async fn crashing_anywhere_acts_once<C: Caller, S: Stage<C>>(fresh: impl AsyncFn() -> S) {
    for helper in [Helper::Runner, Helper::Caller, Helper::Agent] {
        for moment in [Moment::Before, Moment::After] {
            for nth in 1..=WRITES_MAX {
                if !crash_once(&fresh().await, nth, moment, helper).await {
                    break;
                }
            }
        }
    }
}

/// Who finds the action after the crash.
#[derive(Clone, Copy, Debug)]
enum Helper {
    Runner,
    /// The same confirm again.
    Caller,
    /// Somebody who only reads `next_actions`: verify, then recover.
    Agent,
}

/// False when the whole confirm made fewer writes than `nth`.
async fn crash_once<C: Caller>(stage: &dyn Stage<C>, nth: usize, moment: Moment, helper: Helper) -> bool {
    let at = format!("crash {moment:?} write {nth}, found by the {helper:?}");
    let ctx = stage.ctx();
    let store = Arc::new(Crashing::new(stage.store()));
    let ready = stage.engine(store.clone()).start(ctx, stage.start()).await;
    store.crash_at(nth, moment);
    let call = approve(&ready, "crash");
    let _lost = stage.engine(store.clone()).confirm(ctx, call.clone()).await;
    let crashed = store.is_dead();
    assert!(store.restart(ctx).await.is_ok(), "{at}");

    let engine = stage.engine(store);
    let readable = engine.get(ctx, &call.action_id).await;
    assert_eq!(readable.outcome, Outcome::Success, "{at}: {readable:?}");
    if readable.status != Some(Status::ReadyForConfirmation) {
        match helper {
            Helper::Runner => assert!(engine.resume(ctx, &call.action_id).await.is_ok(), "{at}"),
            Helper::Caller => drop(engine.confirm(ctx, call.clone()).await),
            Helper::Agent => {
                let seen = verify(&engine, stage, &ready).await;
                if seen.next_actions.iter().any(|next| next.tool == Tool::RecoverAction) {
                    let action_id = call.action_id.clone();
                    engine.recover(ctx, RecoverCall { action_id, ..RecoverCall::default() }).await;
                }
            }
        }
    }
    // The first run may meet a fault of the stage; the same call then only looks, or goes on.
    let mut answer = engine.confirm(ctx, call.clone()).await;
    for _ in 0..RETRIES_MAX {
        if answer.outcome == Outcome::RetryableFailure {
            answer = engine.confirm(ctx, call.clone()).await;
        }
    }
    assert_eq!(answer.outcome, Outcome::Success, "{at}: {answer:?}");
    let done = verify(&engine, stage, &ready).await;
    assert_eq!(done.status, Some(Status::Completed), "{at}: {done:?}");
    assert_eq!(stage.times_done().await, 1, "{at}");
    crashed
}

async fn verify<C: Caller>(engine: &Engine<C>, stage: &dyn Stage<C>, view: &View) -> View {
    engine.verify(stage.ctx(), view.action_id.as_deref().unwrap_or_default(), false).await
}

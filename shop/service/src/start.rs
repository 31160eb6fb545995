//! How every write begins and ends: capability, key, transaction — and answer, audit, commit.

use std::ops::Deref;

use sea_orm::DatabaseTransaction;
use serde::Serialize;
use serde::de::DeserializeOwned;
use shop_domain::code::ErrorCode;
use shop_domain::governance::{Answer, may_run};
use shop_domain::ids::AttemptId;
use shop_domain::operations::Operation;
use shop_world::{Moment, Step};

use crate::ctx::{Ctx, OpenTx};
use crate::error::{Error, Result};
use crate::idempotency::{self, Claim};
use crate::shop::Profile;
use crate::{Reply, audit};

/// What to do with a write.
pub enum Start<V> {
    /// New: here is the transaction to do it in.
    Go(Write),
    /// Done before under the same key: this was the answer.
    Replay(Reply<V>),
}

/// What to do with a write that reaches the gateway.
pub enum StartCall<V> {
    Go(Write),
    Replay(Reply<V>),
    /// Begun before under the same key, and the gateway's answer is missing: look it up.
    InFlight(Vec<AttemptId>),
}

/// A write under way.
pub struct Write {
    tx: OpenTx,
    operation: &'static Operation,
}

impl Deref for Write {
    type Target = DatabaseTransaction;

    fn deref(&self) -> &Self::Target {
        &self.tx
    }
}

impl Ctx {
    /// Reads need the capability, and nothing else.
    ///
    /// # Errors
    /// `forbidden`, saying which capability is missing.
    pub fn may(&self, operation: &'static Operation) -> Result<()> {
        let decision = may_run(&self.principal, operation);
        match decision.answer {
            // What needs a second person is judged later, inside the transaction.
            Answer::Allow | Answer::NeedsApproval => Ok(()),
            Answer::Deny => {
                Err(Error::new(ErrorCode::Forbidden, decision.why).with_layer(decision.layer.as_str()))
            }
        }
    }

    /// Opens a write: checks the capability and the preconditions of its class, then claims the caller's key in
    /// the same transaction as the effect.
    ///
    /// # Errors
    /// When the caller may not, sent no key or version where one is required, or reused a key for other content.
    pub async fn start<V: DeserializeOwned>(&self, operation: &'static Operation) -> Result<Start<V>> {
        match self.start_call(operation).await? {
            StartCall::Go(tx) => Ok(Start::Go(tx)),
            StartCall::Replay(reply) => Ok(Start::Replay(reply)),
            StartCall::InFlight(_) => Err(idempotency::in_flight()),
        }
    }

    /// The same for a write that will call the gateway, whose key may stand without an answer.
    ///
    /// # Errors
    /// As [`Ctx::start`].
    pub async fn start_call<V: DeserializeOwned>(
        &self,
        operation: &'static Operation,
    ) -> Result<StartCall<V>> {
        self.may(operation)?;
        if self.is_rehearsal() {
            return Ok(StartCall::Go(Write { tx: self.begin().await?, operation }));
        }
        self.must_send_what_class_needs(operation)?;
        let tx = self.begin().await?;
        match idempotency::claim(&*tx, self, operation).await? {
            Claim::New => Ok(StartCall::Go(Write { tx, operation })),
            Claim::Answered(answer) => answer.into_reply().map(StartCall::Replay),
            Claim::InFlight(attempts) => Ok(StartCall::InFlight(attempts)),
        }
    }

    /// What was answered under the key of this call, if anything was. Claims nothing.
    ///
    /// # Errors
    /// The refusal, where that was the answer; or when the database does not answer.
    pub async fn answered<V: DeserializeOwned>(&self, operation: &'static Operation) -> Result<Option<V>> {
        self.may(operation)?;
        idempotency::answered(self.read()?, self, operation).await
    }

    fn must_send_what_class_needs(&self, operation: &'static Operation) -> Result<()> {
        let is_risky = operation.class.is_grave();
        if is_risky && operation.names_its_subject() && self.call.if_match.is_none() {
            return Err(Error::precondition(
                "if_match_required",
                "send the version you read (its ETag) in If-Match; this operation is hard to undo or moves money",
            ));
        }
        if is_risky && self.call.key.is_none() && self.shop.settings.idempotency == Profile::Acp {
            return Err(Error::new(
                ErrorCode::IdempotencyKeyRequired,
                "send an Idempotency-Key of your own, the same one on every repeat of this call",
            ));
        }
        Ok(())
    }
}

impl Write {
    /// Ends a write that is complete: the answer under the key, the audit row, the commit.
    ///
    /// # Errors
    /// When the commit fails; then nothing happened.
    pub async fn finish<V: Serialize>(self, ctx: &Ctx, subject: impl ToString, view: V) -> Result<Reply<V>> {
        if ctx.is_rehearsal() {
            // Dropping the transaction rolls it back.
            return Ok(Reply::fresh(view));
        }
        idempotency::answer(&*self.tx, ctx, self.operation, &view).await?;
        audit::allowed(&*self.tx, ctx, self.operation, &subject.to_string()).await?;
        let crashes = &ctx.shop.world.crashes;
        crashes.pass(Step::ServiceCommitted, Moment::Before);
        self.tx.commit().await?;
        crashes.pass(Step::ServiceCommitted, Moment::After);
        Ok(Reply::fresh(view))
    }

    /// Commits the intent to call the gateway; the key stays in progress until the attempt is settled.
    ///
    /// # Errors
    /// When the commit fails; then nothing happened.
    pub async fn commit_intent(self, ctx: &Ctx, subject: impl ToString) -> Result<()> {
        if ctx.is_rehearsal() {
            return Err(Error::internal("a call to the gateway cannot be rehearsed"));
        }
        audit::allowed(&*self.tx, ctx, self.operation, &subject.to_string()).await?;
        let crashes = &ctx.shop.world.crashes;
        crashes.pass(Step::AttemptRecorded, Moment::Before);
        self.tx.commit().await?;
        crashes.pass(Step::AttemptRecorded, Moment::After);
        Ok(())
    }
}

//! Doing a write without keeping it: the same transaction, rolled back. A preview made like this is what would
//! happen, never a second opinion about it.

use std::sync::{Arc, Mutex, PoisonError};

use shop_domain::governance::Risk;

use crate::ctx::Ctx;

/// What a rehearsal learned beside the answer.
#[derive(Clone, Debug, Default)]
pub struct Noted {
    /// Why a second person must agree; absent where nobody has to.
    pub approval: Option<String>,
    /// How risky it is, where risk was judged.
    pub risk: Option<Risk>,
}

/// Marks a context whose writes are rolled back. Clones share their notes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rehearsal(Arc<Mutex<Noted>>);

impl Rehearsal {
    fn with<T>(&self, change: impl FnOnce(&mut Noted) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Ctx {
    /// A context whose writes answer as if they were done, and are rolled back: no key is claimed, no version
    /// believed in, no approval spent, and the gateway is never called.
    #[must_use]
    pub fn rehearsing(&self) -> Self {
        let mut ctx = self.clone();
        ctx.rehearsal = Some(Rehearsal::default());
        ctx
    }

    /// What the rehearsal of this context learned so far.
    #[must_use]
    pub fn noted(&self) -> Noted {
        self.rehearsal.as_ref().map(|rehearsal| rehearsal.with(|noted| noted.clone())).unwrap_or_default()
    }

    pub(crate) const fn is_rehearsal(&self) -> bool {
        self.rehearsal.is_some()
    }

    pub(crate) fn note_risk(&self, risk: &Risk) {
        if let Some(rehearsal) = &self.rehearsal {
            rehearsal.with(|noted| noted.risk = Some(risk.clone()));
        }
    }

    pub(crate) fn note_approval(&self, reason: String) {
        if let Some(rehearsal) = &self.rehearsal {
            rehearsal.with(|noted| noted.approval = Some(reason));
        }
    }
}

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

#[cfg(test)]
mod tests {
    use shop_domain::code::ErrorCode;

    use crate::refunds::{self, Unshipped};
    use crate::testing::TestShop;
    use crate::{jobs, orders};

    #[tokio::test]
    async fn a_rehearsal_says_what_would_happen_and_leaves_nothing() {
        let t = TestShop::open().await;
        let order = t.paid(&[(t.goods.desk_lamp, 3)]).await;
        let due = jobs::next_due(&t.shop).await.unwrap();
        let ctx = t.at(&t.ada.principal, order.version).rehearsing();
        let would = refunds::unshipped(&ctx, order.id, Unshipped::default()).await.unwrap().view;
        assert_eq!(would.total_minor, order.total_minor);
        let noted = ctx.noted();
        assert!(noted.approval.unwrap().contains("above the limit"));
        assert_eq!(noted.risk.unwrap().outflow_today_minor, order.total_minor);

        assert_eq!(orders::get(&t.ctx(&t.admin), order.id).await.unwrap(), order);
        let rows = refunds::list(&t.ctx(&t.admin), refunds::Filter::default(), Default::default()).await;
        assert!(rows.unwrap().items.is_empty());
        assert_eq!(jobs::next_due(&t.shop).await.unwrap(), due);
        assert_eq!(t.gateway.truth().unwrap().charges[0].refunded_minor, 0);
        assert_eq!(t.flaws().await, Vec::<String>::new());
        // The key of the rehearsed call is free, and the real call needs the approval.
        let real = t.ctx(&t.ada.principal).with_call(ctx.call);
        let real = refunds::unshipped(&real, order.id, Unshipped::default()).await.unwrap_err();
        assert_eq!(real.code, ErrorCode::ApprovalPending);
    }

    #[tokio::test]
    async fn a_rehearsal_is_refused_like_the_real_thing() {
        let t = TestShop::open().await;
        let order = t.delivered(&[(t.goods.blue_mug, 1)]).await;
        let refused = [
            refunds::unshipped(&t.ctx(&t.ada.principal).rehearsing(), order.id, Unshipped::default()).await,
            refunds::unshipped(&t.at(&t.ada.principal, order.version), order.id, Unshipped::default()).await,
        ];
        for refusal in refused {
            assert_eq!(refusal.unwrap_err().rule.as_deref(), Some("order_has_shipped"));
        }
    }

    #[tokio::test]
    async fn what_was_agreed_to_is_what_is_done_or_nothing() {
        let t = TestShop::open().await;
        let order = t.paid(&[(t.goods.blue_mug, 1)]).await;
        let ctx = t.at(&t.ada.principal, order.version).agreeing_on(order.total_minor - 1);
        let refused = refunds::unshipped(&ctx, order.id, Unshipped::default()).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::PriceChanged);
        let ctx = t.at(&t.ada.principal, order.version).agreeing_on(order.total_minor);
        refunds::unshipped(&ctx, order.id, Unshipped::default()).await.unwrap();
    }
}

//! A shop with its Actions door, for the tests of flows.
//!
//! ```text
//! let desk = Desk::open().await;
//! let ready = desk.start("checkout", None, json!({ "items": […] })).await;
//! desk.fault("lost_answer@capture*1");
//! let lost = desk.confirm(&ready, "key-1").await;
//! ```

use std::sync::Arc;

use async_trait::async_trait;
use mcp_actions_engine::parts::Tool;
use mcp_actions_engine::testing::canned::approve;
use mcp_actions_engine::{AdvanceCall, Engine, Outcome, Reason, RecoverCall, StartCall, Status, View};
use serde_json::Value;
use shop_domain::after_sales::RulesMode;
use shop_domain::governance::Principal;
use shop_domain::ids::{CartId, PaymentMethodId, VariantId};
use shop_domain::status::ReservationStatus;
use shop_service::jobs::{self, Kind, Next, Worker};
use shop_service::payments::{self, Authorize, Create};
use shop_service::testing::TestShop;
use shop_service::{
    Ctx, Result, Shop, approvals, attempts, carts, disputes, inventory, orders, refunds, webhooks,
};

use crate::ConsentLevel;
use crate::caller::Caller;
use crate::engines::Engines;
use crate::entities::whole_page;
use crate::wire::object;

/// One shop, one process serving it, and Ada's agent, whose word is enough.
pub(crate) struct Desk {
    pub(crate) shop: TestShop,
    pub(crate) engines: Engines,
    pub(crate) ada: Caller,
}

impl Desk {
    pub(crate) async fn open() -> Self {
        Self::with(ConsentLevel::Agent).await
    }

    pub(crate) async fn with(level: ConsentLevel) -> Self {
        Self::over(TestShop::open().await, level).await
    }

    pub(crate) async fn under(rules: RulesMode) -> Self {
        Self::over(TestShop::with(rules).await, ConsentLevel::Agent).await
    }

    async fn over(shop: TestShop, level: ConsentLevel) -> Self {
        let ada = agent_of(&shop, &shop.ada.principal).await;
        Self { engines: Engines::new(level, "http://127.0.0.1:8083/console"), ada, shop }
    }

    pub(crate) fn engine(&self) -> &Engine<Caller> {
        self.engines.engine()
    }

    /// An open cart of Ada's.
    pub(crate) async fn cart(&self, lines: &[(VariantId, i64)]) -> CartId {
        let ctx = || self.shop.ctx(&self.shop.ada.principal);
        let cart = carts::create(&ctx(), carts::Create::default()).await.unwrap().view;
        for (variant_id, quantity) in lines {
            let item = carts::AddItem { variant_id: *variant_id, quantity: *quantity };
            carts::add_item(&ctx(), cart.id, item).await.unwrap();
        }
        cart.id
    }

    pub(crate) async fn start(&self, capability: &str, target: Option<&str>, patch: Value) -> View {
        self.engine().start(&self.ada, starting(capability, target, patch)).await
    }

    pub(crate) async fn advance(&self, view: &View, patch: Value) -> View {
        let version = view.version.unwrap();
        let call =
            AdvanceCall { action_id: id(view), version, patch: object(patch), ..AdvanceCall::default() };
        self.engine().advance(&self.ada, call).await
    }

    pub(crate) async fn confirm(&self, view: &View, key: &str) -> View {
        self.engine().confirm(&self.ada, approve(view, key)).await
    }

    pub(crate) async fn verify(&self, view: &View) -> View {
        self.engine().verify(&self.ada, &id(view), false).await
    }

    pub(crate) async fn recover(&self, view: &View, strategy: Option<&str>) -> View {
        let call =
            RecoverCall { action_id: id(view), strategy: strategy.map(str::to_owned), include_schema: false };
        self.engine().recover(&self.ada, call).await
    }

    pub(crate) async fn get(&self, view: &View) -> View {
        self.engine().get(&self.ada, &id(view)).await
    }

    /// Replaces the fault script: `lost_answer@capture*1`.
    pub(crate) fn fault(&self, script: &str) {
        self.shop.shop.world.faults.put(vec![script.parse().unwrap()]);
    }

    /// What the gateway's own books say was taken and not given back, charge by charge.
    pub(crate) fn taken(&self) -> Vec<i64> {
        let charges = self.shop.gateway.truth().unwrap().charges.into_iter();
        charges.map(|charge| charge.captured_minor - charge.refunded_minor).filter(|kept| *kept > 0).collect()
    }

    /// An order of Ada's whose money is held with one of her methods and not taken.
    pub(crate) async fn authorized(
        &self,
        lines: &[(VariantId, i64)],
        method: PaymentMethodId,
    ) -> orders::View {
        let t = &self.shop;
        let order = t.placed(lines).await;
        let input = Create { payment_method_id: Some(method), ..Create::default() };
        let opened = payments::create(&t.ctx(&t.ada.principal), order.id, input).await.unwrap().view;
        let ctx = t.at(&t.ada.principal, opened.version);
        payments::authorize(&ctx, opened.id, Authorize::default()).await.unwrap();
        t.order(order.id).await
    }

    /// Starts with everything at once; it stands at the confirm node, with nothing missing.
    pub(crate) async fn ready(&self, capability: &str, target: impl ToString, patch: Value) -> View {
        self.ready_as(&self.ada, capability, target, patch).await
    }

    pub(crate) async fn ready_as(
        &self,
        caller: &Caller,
        capability: &str,
        target: impl ToString,
        patch: Value,
    ) -> View {
        let call = starting(capability, Some(&target.to_string()), patch);
        let view = self.engine().start(caller, call).await;
        assert_eq!(view.status, Some(Status::ReadyForConfirmation), "{view:?}");
        assert!(view.missing.is_empty() && offers(&view, Tool::ConfirmAction), "{view:?}");
        view
    }

    /// Confirms and verifies; it is done, and all books agree about it.
    pub(crate) async fn carry_out(&self, ready: &View) -> View {
        self.carry_out_as(&self.ada, ready).await
    }

    pub(crate) async fn carry_out_as(&self, caller: &Caller, ready: &View) -> View {
        let submitted = self.engine().confirm(caller, approve(ready, &format!("yes to {}", id(ready)))).await;
        assert_eq!(submitted.outcome, Outcome::Success, "{submitted:?}");
        assert_eq!(submitted.status, Some(Status::Submitted), "{submitted:?}");
        assert!(offers(&submitted, Tool::VerifyAction), "{submitted:?}");
        let done = self.engine().verify(caller, &id(ready), false).await;
        assert_eq!((done.status, node(&done)), (Some(Status::Completed), "DONE"), "{done:?}");
        assert!(done.next_actions.is_empty(), "{done:?}");
        assert_eq!(self.shop.flaws().await, Vec::<String>::new());
        done
    }

    /// What the gateway's own books say went back.
    pub(crate) fn given_back(&self) -> i64 {
        self.shop.gateway.truth().unwrap().charges.iter().map(|charge| charge.refunded_minor).sum()
    }

    /// Runs every job that is due.
    pub(crate) async fn drain(&self) {
        jobs::run_due(&self.shop.shop, self).await.unwrap();
    }

    /// Units that are held for an action.
    pub(crate) async fn held(&self, holder: &str) -> i64 {
        let filter = inventory::Filter {
            holder: Some(holder.to_owned()),
            status: Some(ReservationStatus::Active),
            ..inventory::Filter::default()
        };
        let ctx = self.shop.ctx(&self.shop.admin);
        let rows = inventory::list_reservations(&ctx, filter, whole_page()).await.unwrap();
        rows.items.into_iter().map(|row| row.quantity).sum()
    }
}

/// Does what is due, as a process does by itself.
#[async_trait]
impl Worker for Desk {
    async fn run(&self, shop: &Arc<Shop>, kind: Kind, subject: &str) -> Result<Next> {
        let ctx = Ctx::system(Arc::clone(shop));
        match kind {
            Kind::Settle => attempts::settle_later(&ctx, subject.parse().unwrap()).await,
            Kind::WatchRefund => refunds::watch(&ctx, subject.parse().unwrap()).await,
            Kind::WatchDispute => disputes::watch(&ctx, subject.parse().unwrap()).await,
            Kind::ResumeAction => self.engines.resume(&ctx, subject).await,
            Kind::ExpireAction => self.engines.expire(&ctx, subject).await,
            Kind::ExpireHolds => inventory::expire(shop, subject).await,
            Kind::ExpireApproval => {
                approvals::expire(shop, &ctx, subject.parse().unwrap()).await.map(|()| Next::Done)
            }
            Kind::DeliverWebhooks => webhooks::deliver(&ctx, subject.parse().unwrap()).await,
        }
    }
}

/// A start with everything at once.
pub(crate) fn starting(capability: &str, target: Option<&str>, patch: Value) -> StartCall {
    StartCall {
        capability: capability.to_owned(),
        target: target.map(str::to_owned),
        patch: object(patch),
        ..StartCall::default()
    }
}

/// Software that acts for a person.
pub(crate) async fn agent_of(shop: &TestShop, person: &Principal) -> Caller {
    Caller::new(shop.ctx(&shop.agent_for(person).await), true)
}

pub(crate) fn id(view: &View) -> String {
    view.action_id.clone().unwrap_or_default()
}

pub(crate) fn node(view: &View) -> &str {
    view.node.as_deref().unwrap_or_default()
}

/// What the person is asked to agree to.
pub(crate) fn summary<'v>(view: &'v View, field: &str) -> &'v Value {
    view.summary.as_ref().and_then(|summary| summary.get(field)).unwrap_or(&Value::Null)
}

/// What is wrong, by field.
pub(crate) fn codes(view: &View) -> Vec<(&str, Reason)> {
    view.validation_errors.iter().map(|error| (error.field.as_str(), error.code)).collect()
}

/// What is wrong, in words.
pub(crate) fn complaints(view: &View) -> String {
    view.validation_errors.iter().map(|error| error.message.as_str()).collect::<Vec<_>>().join("; ")
}

/// The names of the calls that are offered.
pub(crate) fn tools(view: &View) -> Vec<&'static str> {
    view.next_actions.iter().map(|next| next.tool.name()).collect()
}

pub(crate) fn offers(view: &View, tool: Tool) -> bool {
    view.next_actions.iter().any(|next| next.tool == tool)
}

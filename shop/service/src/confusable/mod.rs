//! The eighteen places where several operations look right and one is: in each state the right operation and every
//! look-alike, what each answers, and what it leaves behind in rows and in the gateway's own books.
//!
//! A test is one set. It plays every operation in a shop of its own, once with the rules in the server and once with
//! the rules in the page, and [`Scene::end`] asks at the end of each whether the books still agree.

mod calls;
mod goods;
mod money;
mod orders_and_people;
mod outcomes;
mod relaxed;

use std::sync::Arc;

use sea_orm::EntityTrait;
use shop_domain::after_sales::RulesMode;
use shop_domain::governance::Principal;
use shop_domain::ids::VariantId;
use shop_domain::status::{FulfillmentStatus, OrderStatus};
use shop_store::entities::{inventory_levels, order_lines};

use crate::error::Result;
use crate::testing::TestShop;
use crate::{Reply, credit, exchanges, fulfillments, orders, payments, refunds, returns};

/// 19.90 with 19 % tax on it.
const MUG: i64 = 2_368;
/// 4.90 with 19 % tax on it.
const SHIPPING: i64 = 583;
/// Ada's before anything is granted.
const CREDIT: i64 = 3_000;

/// One shop in one mode with one order in the state of the set, and somebody at the counter.
struct Scene {
    t: TestShop,
    mode: RulesMode,
    order: orders::View,
    clerk: Arc<Principal>,
}

impl Scene {
    /// An order that is held on a card and not taken.
    async fn authorized(mode: RulesMode, lines: impl Fn(&TestShop) -> Vec<(VariantId, i64)>) -> Self {
        let t = TestShop::with(mode).await;
        let order = t.placed(&lines(&t)).await;
        let input = payments::Create { payment_method_id: Some(t.ada.card), ..payments::Create::default() };
        let opened = payments::create(&t.ctx(&t.ada.principal), order.id, input).await.unwrap().view;
        let ctx = t.at(&t.ada.principal, opened.version);
        payments::authorize(&ctx, opened.id, payments::Authorize::default()).await.unwrap();
        Self::of(t, mode, order)
    }

    async fn paid(mode: RulesMode, lines: impl Fn(&TestShop) -> Vec<(VariantId, i64)>) -> Self {
        let t = TestShop::with(mode).await;
        let order = t.paid(&lines(&t)).await;
        Self::of(t, mode, order)
    }

    async fn shipped(mode: RulesMode, lines: impl Fn(&TestShop) -> Vec<(VariantId, i64)>) -> Self {
        let t = TestShop::with(mode).await;
        let (order, _) = t.shipped(&lines(&t)).await;
        Self::of(t, mode, order)
    }

    async fn delivered(mode: RulesMode, lines: impl Fn(&TestShop) -> Vec<(VariantId, i64)>) -> Self {
        let t = TestShop::with(mode).await;
        let order = t.delivered(&lines(&t)).await;
        Self::of(t, mode, order)
    }

    fn of(t: TestShop, mode: RulesMode, order: orders::View) -> Self {
        let clerk = Arc::clone(&t.lead);
        Self { t, mode, order, clerk }
    }

    /// What is answered where the legality table is the shop's, and where it is the caller's.
    fn by(&self, server: &'static str, ui: &'static str) -> &'static str {
        match self.mode {
            RulesMode::Server => server,
            RulesMode::Ui => ui,
        }
    }

    async fn now(&self) -> orders::View {
        self.t.order(self.order.id).await
    }

    async fn status(&self) -> OrderStatus {
        self.now().await.status
    }

    async fn payment(&self) -> payments::View {
        let filter = payments::Filter { order_id: Some(self.order.id), ..payments::Filter::default() };
        let all = payments::list(&self.t.ctx(&self.t.admin), filter, Default::default()).await.unwrap();
        all.items.into_iter().min_by_key(|payment| payment.id).unwrap()
    }

    /// Every refund of the order, oldest first.
    async fn refunds(&self) -> Vec<refunds::View> {
        let filter = refunds::Filter { order_id: Some(self.order.id), ..refunds::Filter::default() };
        let mut all =
            refunds::list(&self.t.ctx(&self.t.admin), filter, Default::default()).await.unwrap().items;
        all.sort_by_key(|refund| refund.id);
        all
    }

    /// Every return of the order, oldest first.
    async fn returns(&self) -> Vec<returns::View> {
        let all = returns::list(&self.t.ctx(&self.t.admin), Default::default(), Default::default()).await;
        let mut all = all.unwrap().items;
        all.sort_by_key(|row| row.id);
        all
    }

    /// Parcels that are not taken apart again, oldest first.
    async fn parcels(&self) -> Vec<fulfillments::View> {
        let filter =
            fulfillments::Filter { order_id: Some(self.order.id), ..fulfillments::Filter::default() };
        let all = fulfillments::list(&self.t.ctx(&self.t.admin), filter, Default::default()).await.unwrap();
        let mut all = all.items;
        all.retain(|parcel| parcel.status != FulfillmentStatus::Cancelled);
        all.sort_by_key(|parcel| parcel.id);
        all
    }

    async fn exchange(&self) -> exchanges::View {
        let rows =
            shop_store::entities::exchanges::Entity::find().all(self.t.shop.db.reader()).await.unwrap();
        exchanges::get(&self.t.ctx(&self.t.admin), rows[0].id).await.unwrap()
    }

    async fn line(&self) -> order_lines::Model {
        orders::lines_of(self.t.shop.db.reader(), self.order.id).await.unwrap().remove(0)
    }

    async fn reserved(&self, variant: VariantId) -> i64 {
        let key = (variant, self.t.location);
        let level = inventory_levels::Entity::find_by_id(key).one(self.t.shop.db.reader()).await.unwrap();
        level.unwrap().reserved
    }

    async fn credit(&self) -> i64 {
        let balance = credit::balance(&self.t.ctx(&self.t.admin), self.t.ada.customer).await.unwrap();
        balance.accounts.iter().map(|account| account.balance_minor).sum()
    }

    /// What the gateway gave back, by its own books.
    fn back(&self) -> i64 {
        self.t.gateway.truth().unwrap().charges.iter().map(|charge| charge.refunded_minor).sum()
    }

    /// What the gateway took and what it only holds, by its own books.
    fn taken_and_held(&self) -> (i64, i64) {
        let charges = self.t.gateway.truth().unwrap().charges;
        (charges.iter().map(|charge| charge.captured_minor).sum(), self.t.held_at_gateway())
    }

    /// The shop's books add up and agree with the gateway's, whatever was done; says how much went back.
    async fn end(&self) -> i64 {
        assert_eq!(self.t.flaws().await, Vec::<String>::new());
        self.back()
    }
}

/// What a call came to: `done`, or the rule or the code of its refusal.
fn said<V>(result: Result<Reply<V>>) -> String {
    match result {
        Ok(_) => "done".to_owned(),
        Err(error) => error.rule.as_deref().unwrap_or(error.code.as_str()).to_owned(),
    }
}

fn one_mug(t: &TestShop) -> Vec<(VariantId, i64)> {
    vec![(t.goods.blue_mug, 1)]
}

fn one_shirt(t: &TestShop) -> Vec<(VariantId, i64)> {
    vec![(t.goods.small_shirt, 1)]
}

fn mug_and_shirt(t: &TestShop) -> Vec<(VariantId, i64)> {
    vec![(t.goods.blue_mug, 1), (t.goods.small_shirt, 1)]
}

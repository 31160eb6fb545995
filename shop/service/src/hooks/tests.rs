use async_trait::async_trait;
use chrono::TimeDelta;
use shop_domain::ids::AttemptId;
use shop_domain::operations::operation;
use shop_domain::status::{AttemptKind, AttemptOutcome, PaymentState, RefundStatus};
use shop_gateway::webhook::sign;
use shop_gateway::{Lookup, wire};
use shop_store::Rows;

use super::*;
use crate::attempts::{Intent, record, settle_later};
use crate::disputes;
use crate::jobs::{Next, Worker, run_due};
use crate::payment_methods::{self, Attach};
use crate::payments::{self, Capture, Create, View};
use crate::refunds::{self, Unshipped};
use crate::testing::{TestShop, WEBHOOK_SECRET, call};

/// Does what the stack's worker does with these jobs.
struct Looks;

#[async_trait]
impl Worker for Looks {
    async fn run(&self, shop: &Arc<Shop>, kind: Kind, subject: &str) -> Result<Next> {
        let ctx = Ctx::system(Arc::clone(shop));
        match kind {
            Kind::Settle => settle_later(&ctx, subject.parse().unwrap()).await,
            Kind::WatchRefund => refunds::watch(&ctx, subject.parse().unwrap()).await,
            Kind::WatchDispute => disputes::watch(&ctx, subject.parse().unwrap()).await,
            Kind::ResumeAction
            | Kind::ExpireAction
            | Kind::ExpireHolds
            | Kind::ExpireApproval
            | Kind::DeliverWebhooks => Ok(Next::Done),
        }
    }
}

async fn jobs_done(t: &TestShop) -> usize {
    run_due(&t.shop, &Looks).await.unwrap()
}

async fn rows(t: &TestShop) -> Rows {
    t.shop.db.rows().await.unwrap()
}

fn event(id: &str, key: Option<&str>) -> Event {
    Event {
        id: id.to_owned(),
        kind: EventKind::PaymentCaptured,
        created_at: t0(),
        key: key.map(str::to_owned),
        payment: None,
        refund: None,
        decline: None,
    }
}

fn t0() -> chrono::DateTime<chrono::Utc> {
    shop_world::clock::TEST_EPOCH
}

/// As the gateway sends it now.
async fn deliver(t: &TestShop, event: &Event) -> Result<()> {
    let body = serde_json::to_vec(event).unwrap();
    receive(&t.shop, &sign(WEBHOOK_SECRET, real_now(), &body), &body).await
}

async fn held(t: &TestShop) -> View {
    let order = t.placed(&[(t.goods.blue_mug, 1)]).await;
    let input = Create { payment_method_id: Some(t.ada.card), ..Create::default() };
    let opened = payments::create(&t.ctx(&t.lead), order.id, input).await.unwrap().view;
    payments::authorize(&t.at(&t.lead, opened.version), opened.id, Default::default()).await.unwrap().view
}

async fn attempt(t: &TestShop, payment: &View) -> payments::Attempt {
    let all = payments::list_attempts(&t.ctx(&t.lead), payment.id, Default::default()).await.unwrap();
    all.items.into_iter().next_back().unwrap()
}

#[tokio::test]
async fn a_hint_settles_a_lost_answer_and_nobody_has_to_ask() {
    let t = TestShop::open().await;
    let held = held(&t).await;
    t.script(&["lost_answer@capture:after*1"]);
    let ctx = || t.ctx(&t.lead).with_call(call("the one key", Some(held.version)));
    let lost = payments::capture(&ctx(), held.id, Capture::default()).await.unwrap_err();
    assert_eq!(lost.code, ErrorCode::OutcomeUnknown);
    assert_eq!(jobs_done(&t).await, 0, "the settler's time has not come");
    let open = attempt(&t, &held).await;
    deliver(&t, &event("evt_1", Some(&open.gateway_key))).await.unwrap();
    assert_eq!(jobs_done(&t).await, 1);
    let settled = payments::get(&t.ctx(&t.lead), held.id).await.unwrap();
    assert_eq!((settled.status, settled.captured_minor), (PaymentState::Captured, held.amount_minor));
    let repeat = payments::capture(&ctx(), held.id, Capture::default()).await.unwrap();
    assert!(repeat.is_replay && repeat.view.status == PaymentState::Captured);
    assert_eq!(t.trouble().await, Vec::<String>::new());
}

#[tokio::test]
async fn what_the_gateway_did_not_sign_now_for_this_world_changes_nothing() {
    let t = TestShop::open().await;
    let held = held(&t).await;
    t.script(&["lost_answer@capture:after*1"]);
    payments::capture(&t.at(&t.lead, held.version), held.id, Capture::default()).await.unwrap_err();
    let before = rows(&t).await;
    let body = serde_json::to_vec(&event("evt_1", Some(&attempt(&t, &held).await.gateway_key))).unwrap();
    let good = sign(WEBHOOK_SECRET, real_now(), &body);
    let mut other = body.clone();
    other.push(b' ');
    for (signature, body) in [
        (sign("another secret", real_now(), &body), &body),
        (sign(&shop_gateway::webhook::account_secret(WEBHOOK_SECRET, "other"), real_now(), &body), &body),
        (sign(WEBHOOK_SECRET, real_now() - TimeDelta::minutes(6), &body), &body),
        (sign(WEBHOOK_SECRET, real_now() + TimeDelta::minutes(6), &body), &body),
        (good, &other),
        (String::new(), &body),
        ("t=1,v1=zz".to_owned(), &body),
    ] {
        let refused = receive(&t.shop, &signature, body).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::AuthenticationRequired, "{signature}");
    }
    let nonsense = b"{}";
    let signed = receive(&t.shop, &sign(WEBHOOK_SECRET, real_now(), nonsense), nonsense).await.unwrap_err();
    assert_eq!(signed.code, ErrorCode::ValidationFailed);
    assert_eq!(rows(&t).await, before);
    assert_eq!(jobs_done(&t).await, 0);
}

#[tokio::test]
async fn an_event_that_comes_again_or_says_nothing_new_changes_nothing() {
    let t = TestShop::open().await;
    let held = held(&t).await;
    t.script(&["timeout_before@capture*1", "http_500@lookup"]);
    payments::capture(&t.at(&t.lead, held.version), held.id, Capture::default()).await.unwrap_err();
    let key = attempt(&t, &held).await.gateway_key;
    deliver(&t, &event("evt_1", Some(&key))).await.unwrap();
    assert_eq!(jobs_done(&t).await, 1);
    // It is still unknown, and the same event is no reason to look once more.
    let before = rows(&t).await;
    deliver(&t, &event("evt_1", Some(&key))).await.unwrap();
    deliver(&t, &event("evt_2", Some("no key of ours"))).await.unwrap();
    deliver(&t, &event("evt_3", None)).await.unwrap();
    assert_eq!(rows(&t).await, before);
    deliver(&t, &event("evt_4", Some(&key))).await.unwrap();
    assert_eq!(jobs_done(&t).await, 1, "another event is");
    t.script(&[]);
    payments::sync(&t.ctx(&t.lead), held.id).await.unwrap();
    let before = rows(&t).await;
    deliver(&t, &event("evt_5", Some(&key))).await.unwrap();
    assert_eq!(rows(&t).await, before, "it is settled");
}

#[tokio::test]
async fn an_event_may_come_before_the_answer() {
    let t = TestShop::open().await;
    let held = held(&t).await;
    let ctx = t.ctx(&t.lead);
    let intent = Intent {
        kind: AttemptKind::Capture,
        order_id: held.order_id,
        payment_id: held.id,
        refund_id: None,
        amount_minor: held.amount_minor,
    };
    let tx = ctx.begin().await.unwrap();
    let pending = record(&*tx, &ctx, operation("capture_payment"), intent).await.unwrap();
    tx.commit().await.unwrap();
    {
        // Somebody of this process is waiting for the answer.
        let _calling = t.shop.calling(pending.id).unwrap();
        let before = rows(&t).await;
        deliver(&t, &event("evt_1", Some(&pending.gateway_key))).await.unwrap();
        assert_eq!((rows(&t).await, jobs_done(&t).await), (before, 0));
    }
    // Nobody is: whoever called has died, perhaps before the gateway heard of it.
    deliver(&t, &event("evt_2", Some(&pending.gateway_key))).await.unwrap();
    assert_eq!(jobs_done(&t).await, 1);
    assert_eq!(outcome(&t, pending.id).await, AttemptOutcome::Unknown);
    let charge = held.charge_id.unwrap();
    t.shop.gateway.capture(&pending.gateway_key, &charge, held.amount_minor).await;
    deliver(&t, &event("evt_3", Some(&pending.gateway_key))).await.unwrap();
    assert_eq!(jobs_done(&t).await, 1);
    assert_eq!(outcome(&t, pending.id).await, AttemptOutcome::Done);
    assert_eq!(t.trouble().await, Vec::<String>::new());
}

async fn outcome(t: &TestShop, id: AttemptId) -> AttemptOutcome {
    attempts::Entity::find_by_id(id).one(t.shop.db.reader()).await.unwrap().unwrap().outcome
}

#[tokio::test]
async fn a_refund_that_a_bank_sends_back_is_noticed_by_its_event() {
    let t = TestShop::open().await;
    let bought = t.paid(&[(t.goods.blue_mug, 1)]).await;
    t.script(&["refund_fails_later@refund*1"]);
    let ctx = t.at(&t.lead, bought.version);
    let paid =
        refunds::unshipped(&ctx, bought.id, Unshipped::default()).await.unwrap().view.refunds.remove(0);
    assert_eq!(paid.status, RefundStatus::Succeeded);
    t.shop.world.clock.advance(TimeDelta::days(1));
    t.gateway.tick().unwrap();
    let bounced = wire::Refund {
        id: paid.gateway_ref.unwrap(),
        payment: String::new(),
        status: wire::RefundStatus::Failed,
        amount_minor: paid.amount_minor,
        currency: "EUR".to_owned(),
        reference: paid.id.to_string(),
        failure: None,
        created_at: t0(),
    };
    let bounced = Event { kind: EventKind::RefundFailed, refund: Some(bounced), ..event("evt_1", None) };
    t.script(&["http_500@lookup*1"]);
    deliver(&t, &bounced).await.unwrap();
    jobs_done(&t).await;
    // The gateway did not say; it is asked again.
    t.shop.world.clock.advance(TimeDelta::minutes(1));
    jobs_done(&t).await;
    assert_eq!(refunds::get(&t.ctx(&t.lead), paid.id).await.unwrap().status, RefundStatus::Failed);
    assert_eq!(t.trouble().await, Vec::<String>::new());
}

#[tokio::test]
async fn a_dispute_is_booked_when_the_gateway_tells_of_it_and_nobody_asks() {
    let t = TestShop::open().await;
    let attach = Attach { token: "tok_dispute_later".into(), label: None, is_default: None };
    let card =
        payment_methods::attach(&t.ctx(&t.ada.principal), t.ada.customer, attach).await.unwrap().view.id;
    let order = t.placed(&[(t.goods.blue_mug, 1)]).await;
    let paid = t.pay(&order, card).await;
    t.shop.world.clock.advance(TimeDelta::days(3));
    t.gateway.tick().unwrap();
    let Lookup::Found(told) = t.shop.gateway.lookup(&paid.charge_id.unwrap()).await else {
        panic!("the gateway does not answer")
    };
    let told = Event { kind: EventKind::PaymentDisputed, payment: Some(told), ..event("evt_1", None) };
    assert!(rows(&t).await["disputes"].is_empty());
    // Of a dispute whose look-up fails nothing is written; it is looked at again.
    t.script(&["http_500@lookup*1"]);
    deliver(&t, &told).await.unwrap();
    jobs_done(&t).await;
    assert!(rows(&t).await["disputes"].is_empty());
    t.shop.world.clock.advance(TimeDelta::minutes(1));
    jobs_done(&t).await;
    assert_eq!(rows(&t).await["disputes"].len(), 1);
    // The same, told by another event, books nothing twice.
    deliver(&t, &Event { id: "evt_2".into(), ..told }).await.unwrap();
    jobs_done(&t).await;
    assert_eq!(t.trouble().await, Vec::<String>::new());
}

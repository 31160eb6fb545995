use std::sync::Arc;

use chrono::TimeDelta;
use sea_orm::EntityTrait;
use shop_domain::governance::{Principal, Role, Scope};
use shop_domain::ids::PrincipalId;
use shop_domain::ledger::Account;
use shop_domain::status::{DisputeStatus, OrderPaymentStatus};
use shop_gateway::wire::ledger::Effect;
use shop_store::entities::{jobs as job_rows, ledger_entries};
use shop_world::FaultRule;

use super::*;
use crate::jobs::Next;
use crate::testing::TestShop;
use crate::{approvals, orders, payment_methods, payments, refunds, reports};

/// An order of Ada's that her bank disputes, three days after she paid it.
async fn disputed(t: &TestShop, quantity: i64) -> (orders::View, View) {
    let attach = payment_methods::Attach { token: "tok_dispute_later".into(), label: None, is_default: None };
    let ada = t.ctx(&t.ada.principal);
    let card = payment_methods::attach(&ada, t.ada.customer, attach).await.unwrap().view;
    let order = t.placed(&[(t.goods.desk_lamp, quantity)]).await;
    t.pay(&order, card.id).await;
    assert!(all(t).await.is_empty());
    t.shop.world.clock.advance(TimeDelta::days(3));
    let [dispute] = all(t).await.try_into().unwrap();
    (t.order(order.id).await, dispute)
}

async fn all(t: &TestShop) -> Vec<View> {
    list(&t.ctx(&t.admin), Filter::default(), Default::default()).await.unwrap().items
}

async fn one(t: &TestShop) -> View {
    all(t).await.remove(0)
}

fn evidence(text: &str) -> SubmitEvidence {
    SubmitEvidence { text: text.into() }
}

async fn balance(t: &TestShop, account: Account) -> i64 {
    let all = ledger_entries::Entity::find().all(t.shop.db.reader()).await.unwrap();
    assert_eq!(all.iter().map(|entry| entry.amount_minor).sum::<i64>(), 0);
    all.iter().filter(|entry| entry.account == account).map(|entry| entry.amount_minor).sum()
}

/// The shop's books, the gateway's statement and the gateway's truth say the same.
async fn must_reconcile(t: &TestShop) {
    let report = reports::reconciliation(&t.ctx(&t.admin)).await.unwrap();
    assert_eq!(report.differences, []);
    let kept: i64 = t.gateway.truth().unwrap().charges.iter().map(|charge| charge.kept_minor()).sum();
    assert_eq!((balance(t, Account::CashAtGateway).await, report.gateway_minor), (kept, kept));
}

#[tokio::test]
async fn contested_in_time_it_is_won_and_the_money_comes_back() {
    let t = TestShop::open().await;
    let (order, dispute) = disputed(&t, 1).await;
    assert_eq!((dispute.amount_minor, dispute.status), (order.total_minor, DisputeStatus::Open));
    assert_eq!(dispute.due_at, dispute.opened_at + TimeDelta::days(7));
    must_reconcile(&t).await;
    assert_eq!(balance(&t, Account::Disputes).await, order.total_minor);
    let by_lead = list(&t.ctx(&t.lead), Filter::default(), Default::default()).await.unwrap_err();
    assert_eq!(by_lead.code.as_str(), "forbidden");
    // What a bank took back is not here to be refunded.
    let back = refunds::unshipped(&t.at(&t.lead, order.version), order.id, Default::default()).await;
    assert!(back.is_err());
    let fee = refunds::shipping_fee(&t.at(&t.lead, order.version), order.id, Default::default()).await;
    assert!(fee.is_err());
    assert_eq!(t.gateway.truth().unwrap().charges[0].refunded_minor, 0);

    let empty = submit_evidence(&t.at(&t.admin, dispute.version), dispute.id, evidence(" ")).await;
    assert_eq!(empty.unwrap_err().fields[0].pointer, "/text");
    let ctx = t.at(&t.admin, dispute.version);
    let sent = submit_evidence(&ctx, dispute.id, evidence("signed for on 3 March")).await.unwrap().view;
    assert_eq!(sent.status, DisputeStatus::EvidenceSent);
    let twice = submit_evidence(&t.at(&t.admin, sent.version), dispute.id, evidence("and more")).await;
    assert_eq!(twice.unwrap_err().rule.as_deref(), Some("dispute_answered"));
    t.shop.world.clock.advance(TimeDelta::days(5));
    let won = one(&t).await;
    assert_eq!((won.status, won.closed_at), (DisputeStatus::Won, Some(t.shop.world.clock.now())));
    must_reconcile(&t).await;
    assert_eq!(balance(&t, Account::Disputes).await, 0);
    let order = t.order(order.id).await;
    refunds::unshipped(&t.at(&t.lead, order.version), order.id, Default::default()).await.unwrap();
    assert_eq!(t.order(order.id).await.payment_status, OrderPaymentStatus::Refunded);
    must_reconcile(&t).await;
}

#[tokio::test]
async fn a_dispute_that_nobody_answers_is_lost_and_the_job_finds_out() {
    let t = TestShop::open().await;
    let (order, dispute) = disputed(&t, 1).await;
    let system = crate::Ctx::system(Arc::clone(&t.shop));
    let due = |jobs: Vec<job_rows::Model>| {
        let watch = jobs.into_iter().find(|job| job.kind == "watch_dispute");
        watch.map(|job| (job.subject, job.due_at))
    };
    let jobs = job_rows::Entity::find().all(t.shop.db.reader()).await.unwrap();
    assert_eq!(due(jobs), Some((dispute.payment_id.to_string(), dispute.due_at)));
    let early = watch(&system, dispute.payment_id).await.unwrap();
    assert_eq!(early, Next::Again(t.shop.world.clock.now() + TimeDelta::days(1)));
    t.shop.world.clock.set(dispute.due_at);
    let late = submit_evidence(&t.at(&t.admin, dispute.version), dispute.id, evidence("late")).await;
    assert_eq!(late.unwrap_err().rule.as_deref(), Some("dispute_deadline_passed"));
    assert_eq!(watch(&system, dispute.payment_id).await.unwrap(), Next::Done);
    assert_eq!(one(&t).await.status, DisputeStatus::Lost);
    must_reconcile(&t).await;
    assert_eq!(balance(&t, Account::Goodwill).await, GIVEN + order.total_minor);
    // Looking again books nothing twice.
    watch(&system, dispute.payment_id).await.unwrap();
    catch_up(&system).await.unwrap();
    assert_eq!(balance(&t, Account::Goodwill).await, GIVEN + order.total_minor);
}

/// What the shop has given Ada and Bob as credit and on gift cards.
const GIVEN: i64 = 2 * (3_000 + 5_000);

#[tokio::test]
async fn giving_up_loses_the_money_and_above_the_limit_needs_a_second_person() {
    let t = TestShop::open().await;
    let (order, dispute) = disputed(&t, 3).await;
    assert!(order.total_minor > 20_000);
    let finance = Principal::human(
        PrincipalId::new(t.shop.world.ids.next("principal")),
        "fay",
        Role::Finance,
        Scope::Store(t.store),
    );
    let finance = Arc::new(finance);
    let refused = accept(&t.at(&t.lead, dispute.version), dispute.id, Accept::default()).await.unwrap_err();
    assert_eq!(refused.code.as_str(), "forbidden");
    let pending = accept(&t.at(&finance, dispute.version), dispute.id, Accept::default()).await.unwrap_err();
    assert_eq!(pending.code.as_str(), "approval_pending");
    let approved = approvals::Request {
        operation: "accept_dispute".into(),
        subject: dispute.id.to_string(),
        input: serde_json::Map::new(),
        reason: "the parcel never left".into(),
        action_id: None,
    };
    let asked = approvals::request(&t.ctx(&t.admin), approved).await.unwrap().view;
    assert_eq!((one(&t).await.status, balance(&t, Account::Goodwill).await), (DisputeStatus::Open, GIVEN));
    let ctx = t.at(&t.lead, asked.version);
    approvals::approve(&ctx, asked.id, approvals::Decide::default()).await.unwrap();
    let with = Accept { approval_id: Some(asked.id) };
    let gone = accept(&t.at(&t.admin, dispute.version), dispute.id, with).await.unwrap().view;
    assert_eq!(gone.status, DisputeStatus::Accepted);
    must_reconcile(&t).await;
    assert_eq!(balance(&t, Account::Goodwill).await, GIVEN + order.total_minor);
}

#[tokio::test]
async fn a_small_one_is_given_up_at_once_and_for_good() {
    let t = TestShop::open().await;
    let (order, dispute) = disputed(&t, 1).await;
    let gone = accept(&t.at(&t.admin, dispute.version), dispute.id, Accept::default()).await.unwrap().view;
    assert_eq!(gone.status, DisputeStatus::Accepted);
    must_reconcile(&t).await;
    assert_eq!(balance(&t, Account::Goodwill).await, GIVEN + order.total_minor);
    let again = accept(&t.at(&t.admin, gone.version), dispute.id, Accept::default()).await.unwrap_err();
    assert_eq!(again.rule.as_deref(), Some("dispute_closed"));
    // The gateway calls it lost; who gave it up knows better.
    catch_up(&t.ctx(&t.admin)).await.unwrap();
    assert_eq!(one(&t).await.status, DisputeStatus::Accepted);
    assert_eq!(balance(&t, Account::Goodwill).await, GIVEN + order.total_minor);
}

#[tokio::test]
async fn a_lost_answer_is_looked_up_and_evidence_is_sent_once() {
    let t = TestShop::open().await;
    let (_, dispute) = disputed(&t, 1).await;
    t.shop.world.faults.put(vec!["lost_answer@dispute*1".parse::<FaultRule>().unwrap()]);
    let ctx = t.at(&t.admin, dispute.version);
    let lost = submit_evidence(&ctx, dispute.id, evidence("signed for")).await.unwrap_err();
    assert_eq!(lost.code.as_str(), "outcome_unknown");
    let known = one(&t).await;
    let other = submit_evidence(&t.at(&t.admin, known.version), dispute.id, evidence("other")).await;
    assert!(other.is_err());
    // The same call again asks what became of it.
    let same = submit_evidence(&ctx, dispute.id, evidence("signed for")).await.unwrap();
    assert_eq!(
        (same.view.status, same.view.evidence.as_deref()),
        (DisputeStatus::EvidenceSent, Some("signed for"))
    );
}

#[tokio::test]
async fn evidence_that_never_arrived_can_be_sent() {
    let t = TestShop::open().await;
    let (_, dispute) = disputed(&t, 1).await;
    t.shop.world.faults.put(vec!["timeout_before@dispute*1".parse::<FaultRule>().unwrap()]);
    let ctx = t.at(&t.admin, dispute.version);
    let silent = submit_evidence(&ctx, dispute.id, evidence("signed for")).await.unwrap_err();
    assert_eq!(silent.code.as_str(), "outcome_unknown");
    // The fence makes sure that nothing was read, and nothing of it ever will be.
    payments::sync(&t.ctx(&t.admin), dispute.payment_id).await.unwrap();
    let free = one(&t).await;
    assert_eq!((free.status, free.evidence.clone()), (DisputeStatus::Open, None));
    let ctx = t.at(&t.admin, free.version);
    let sent = submit_evidence(&ctx, dispute.id, evidence("signed for")).await.unwrap().view;
    assert_eq!(sent.status, DisputeStatus::EvidenceSent);
    let told = t.gateway.ledger_entries().unwrap();
    assert_eq!(told.iter().filter(|line| matches!(line.effect, Effect::Contested { .. })).count(), 1);
}

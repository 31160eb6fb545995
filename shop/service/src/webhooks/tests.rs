use std::sync::Arc;

use async_trait::async_trait;
use chrono::TimeDelta;
use sea_orm::EntityTrait;
use serde_json::Value;
use shop_domain::code::ErrorCode;
use shop_domain::governance::{Principal, Role, Scope};
use shop_domain::ids::{PrincipalId, StoreId, WebhookEndpointId};
use shop_domain::limits;
use shop_domain::status::DeliveryStatus;
use shop_gateway::webhook::verify;
use shop_store::entities::{webhook_deliveries as rows, webhook_endpoints as endpoint_rows};
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use super::*;
use crate::jobs::{self, Kind, Next, Worker};
use crate::testing::TestShop;
use crate::{Ctx, Result, Shop, tickets};

/// Delivers, and does nothing else.
struct Post;

#[async_trait]
impl Worker for Post {
    async fn run(&self, shop: &Arc<Shop>, kind: Kind, subject: &str) -> Result<Next> {
        match kind {
            Kind::DeliverWebhooks => deliver(&Ctx::system(Arc::clone(shop)), subject.parse().unwrap()).await,
            Kind::Settle
            | Kind::WatchRefund
            | Kind::ResumeAction
            | Kind::ExpireAction
            | Kind::ExpireHolds
            | Kind::ExpireApproval => Ok(Next::Done),
        }
    }
}

impl TestShop {
    async fn deliver(&self) {
        jobs::run_due(&self.shop, &Post).await.unwrap();
    }

    async fn later(&self, seconds: i64) {
        self.shop.world.clock.advance(TimeDelta::seconds(seconds));
        self.deliver().await;
    }

    async fn subscribe(&self, url: &str, events: &[&str]) -> View {
        create(&self.ctx(&self.admin), subscription(url, events)).await.unwrap().view
    }

    /// Something happens: one event of the type `ticket.created`.
    async fn ticket(&self) -> tickets::View {
        let input = tickets::Create {
            customer_id: None,
            order_id: None,
            subject: "hello".into(),
            text: "is anybody there?".into(),
        };
        tickets::create(&self.ctx(&self.ada.principal), input).await.unwrap().view
    }

    async fn deliveries(&self) -> Vec<rows::Model> {
        rows::Entity::find().all(self.shop.db.reader()).await.unwrap()
    }
}

fn subscription(url: &str, events: &[&str]) -> Create {
    Create {
        url: url.into(),
        events: events.iter().map(|&event| event.to_owned()).collect(),
        description: None,
        store_id: None,
        is_active: None,
    }
}

/// An endpoint that answers with these statuses, one after the other, and then with the last.
async fn answering(statuses: &[u16]) -> MockServer {
    let server = MockServer::start().await;
    let (last, first) = statuses.split_last().unwrap();
    for status in first {
        let once = Mock::given(method("POST")).respond_with(ResponseTemplate::new(*status));
        once.up_to_n_times(1).mount(&server).await;
    }
    Mock::given(method("POST")).respond_with(ResponseTemplate::new(*last)).mount(&server).await;
    server
}

async fn received(server: &MockServer) -> Vec<Request> {
    server.received_requests().await.unwrap()
}

fn subjects(requests: &[Request]) -> Vec<String> {
    let subject = |request: &Request| {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        body["subject"].as_str().unwrap().to_owned()
    };
    requests.iter().map(subject).collect()
}

#[tokio::test]
async fn an_event_arrives_signed_and_once() {
    let t = TestShop::open().await;
    let server = answering(&[200]).await;
    let endpoint = t.subscribe(&server.uri(), &["ticket.*"]).await;
    let ticket = t.ticket().await;
    assert_eq!(t.deliveries().await[0].status, DeliveryStatus::Pending);
    t.deliver().await;
    t.later(600).await;

    let requests = received(&server).await;
    assert_eq!(subjects(&requests), [ticket.id.to_string()]);
    let (now, secret) = (t.ctx(&t.admin).now(), endpoint.secret.unwrap());
    let header = |name: &str| requests[0].headers.get(name).unwrap().to_str().unwrap();
    let check = |secret: &str, body: &[u8]| {
        verify(secret, header(SIGNATURE_HEADER), body, now, TimeDelta::minutes(10))
    };
    assert_eq!(check(&secret, &requests[0].body), Ok(()));
    assert!(check("whsec_other", &requests[0].body).is_err() && check(&secret, b"{}").is_err());
    let row = &t.deliveries().await[0];
    assert_eq!((row.status, row.tries, row.last_status), (DeliveryStatus::Delivered, 1, Some(200)));
    assert_eq!(header(EVENT_HEADER), row.event_id.to_string());
    let body: Value = serde_json::from_slice(&requests[0].body).unwrap();
    assert_eq!((&body["id"], &body["type"]), (&row.event_id.to_string().into(), &"ticket.created".into()));
    let log = crate::reports::events(&t.ctx(&t.admin), Default::default(), Default::default()).await.unwrap();
    assert!(log.items.iter().any(|event| event.id == row.event_id));
    // The secret was told once.
    let listed = list(&t.ctx(&t.admin), Filter::default(), Default::default()).await.unwrap().items;
    assert_eq!(
        (listed[0].secret.clone(), listed[0].health.failures_in_row, listed[0].health.waiting),
        (None, 0, 0)
    );
}

#[tokio::test]
async fn what_is_not_taken_is_sent_again_and_keeps_its_place() {
    let t = TestShop::open().await;
    let server = answering(&[500, 503, 200]).await;
    t.subscribe(&server.uri(), &["ticket.created"]).await;
    let (first, second) = (t.ticket().await.id.to_string(), t.ticket().await.id.to_string());
    t.deliver().await;
    let rows = t.deliveries().await;
    assert_eq!((rows[0].tries, rows[0].last_status, rows[1].tries), (1, Some(500), 0));
    assert_eq!(rows[0].next_try_at, Some(t.ctx(&t.admin).now() + TimeDelta::seconds(1)));
    let health =
        &list(&t.ctx(&t.admin), Filter::default(), Default::default()).await.unwrap().items[0].health;
    assert_eq!((health.failures_in_row, health.waiting), (1, 2));
    // Not before its time, whatever happens meanwhile.
    let third = t.ticket().await.id.to_string();
    t.deliver().await;
    assert_eq!(received(&server).await.len(), 1);
    t.later(1).await;
    t.later(1).await;
    assert_eq!(received(&server).await.len(), 2);
    t.later(1).await;
    let sent = [first.clone(), first.clone(), first, second, third];
    assert_eq!(subjects(&received(&server).await), sent);
    let rows = t.deliveries().await;
    assert!(rows.iter().all(|row| row.status == DeliveryStatus::Delivered));
    assert_eq!((rows[0].tries, rows[1].tries), (3, 1));
}

#[tokio::test]
async fn a_deleted_endpoint_gets_nothing() {
    let t = TestShop::open().await;
    let server = answering(&[200]).await;
    let endpoint = t.subscribe(&server.uri(), &["*"]).await;
    t.ticket().await;
    let ctx = t.at(&t.admin, endpoint.version);
    let deleted = delete(&ctx, endpoint.id).await.unwrap().view;
    assert!(!deleted.is_active);
    t.ticket().await;
    t.deliver().await;
    t.later(600).await;
    assert_eq!(received(&server).await.len(), 0);
    let rows = t.deliveries().await;
    assert!(rows.iter().all(|row| row.status == DeliveryStatus::Cancelled));
    let again = redeliver(&t.ctx(&t.admin), rows[0].id).await.unwrap_err();
    assert_eq!(again.code, ErrorCode::NotFound);
    let twice = delete(&t.at(&t.admin, deleted.version), endpoint.id).await.unwrap_err();
    assert_eq!(twice.code, ErrorCode::NotFound);
    assert!(list(&t.ctx(&t.admin), Filter::default(), Default::default()).await.unwrap().items.is_empty());
    let seen =
        list_deliveries(&t.ctx(&t.admin), DeliveryFilter::default(), Default::default()).await.unwrap();
    assert_eq!(seen.items.len(), rows.len());
}

#[tokio::test]
async fn an_endpoint_that_never_answers_holds_up_nobody() {
    let t = TestShop::open().await;
    let nobody = t.subscribe("http://127.0.0.1:9/hook", &["ticket.created"]).await;
    let server = answering(&[204]).await;
    t.subscribe(&server.uri(), &["ticket.created"]).await;
    t.ticket().await;
    t.ticket().await;
    t.deliver().await;
    assert_eq!(received(&server).await.len(), 2);
    for _ in 1..limits::WEBHOOK_TRIES_MAX {
        t.later(300).await;
    }
    let to_nobody = DeliveryFilter { endpoint_id: Some(nobody.id), ..DeliveryFilter::default() };
    let to_nobody = list_deliveries(&t.ctx(&t.admin), to_nobody, Default::default()).await.unwrap().items;
    // Newest first: the older one was given up, and the next has its turn.
    assert_eq!((to_nobody[1].status, to_nobody[1].tries), (DeliveryStatus::Failed, 8));
    assert_eq!((to_nobody[0].status, to_nobody[0].tries), (DeliveryStatus::Pending, 1));
    assert_eq!((to_nobody[1].last_status, to_nobody[1].next_try_at), (None, None));
    assert!(to_nobody[1].last_error.is_some());
    t.ticket().await;
    assert_eq!(
        tickets::list(&t.ctx(&t.ada.principal), Default::default(), Default::default())
            .await
            .unwrap()
            .items
            .len(),
        3
    );
}

#[tokio::test]
async fn samples_and_repeats_are_sent_by_hand() {
    let t = TestShop::open().await;
    let server = answering(&[200]).await;
    let endpoint = t.subscribe(&server.uri(), &["order.*"]).await;
    let admin = t.ctx(&t.admin);
    let sample = SendTest { event_type: "order.placed".into() };
    let sent = send_test(&admin, endpoint.id, sample.clone()).await.unwrap().view;
    let early = redeliver(&admin, sent.id).await.unwrap_err();
    assert_eq!(early.rule.as_deref(), Some("delivery_pending"));
    t.deliver().await;
    let repeated = redeliver(&admin, sent.id).await.unwrap().view;
    assert_eq!((repeated.event_id, repeated.redelivery_of), (sent.event_id, Some(sent.id)));
    t.deliver().await;
    let requests = received(&server).await;
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].body, requests[1].body);
    let body: Value = serde_json::from_slice(&requests[0].body).unwrap();
    assert_eq!(body["data"]["is_test"], true);

    let any = SendTest { event_type: "order.*".into() };
    assert_eq!(send_test(&admin, endpoint.id, any).await.unwrap_err().fields[0].pointer, "/event_type");
    let asleep = Create { is_active: Some(false), ..subscription(&server.uri(), &["*"]) };
    let asleep = create(&admin, asleep).await.unwrap().view;
    let inactive = send_test(&admin, asleep.id, sample).await.unwrap_err();
    assert_eq!(inactive.rule.as_deref(), Some("endpoint_inactive"));
    t.ticket().await;
    assert_eq!(t.deliveries().await.len(), 2);
}

#[tokio::test]
async fn an_endpoint_hears_only_of_its_own_store() {
    let t = TestShop::open().await;
    let manager_of = |store: StoreId| {
        let kim = Principal::human(PrincipalId::new(ulid::Ulid(8)), "kim", Role::Admin, Scope::Store(store));
        t.ctx(&Arc::new(kim))
    };
    let of_store = Create { store_id: Some(t.store), ..subscription("http://127.0.0.1:9/", &["*"]) };
    let of_store = create(&t.ctx(&t.admin), of_store).await.unwrap().view;
    assert_eq!((of_store.store_id, of_store.brand_id), (Some(t.store), Some(t.brand)));
    let here = manager_of(t.store);
    assert_eq!(list(&here, Filter::default(), Default::default()).await.unwrap().items.len(), 1);
    t.placed(&[(t.goods.blue_mug, 1)]).await;
    t.ticket().await;
    let kinds: Vec<String> = t.deliveries().await.into_iter().map(|row| row.kind).collect();
    assert_eq!(kinds, ["webhook.endpoint_created", "order.placed", "ticket.created"]);
    // What concerns no store in particular is for the tenant.
    let role = crate::staff::CreateRole {
        name: "clerk".into(),
        capabilities: vec![shop_domain::governance::Capability::OrdersRead],
    };
    crate::staff::create_role(&t.ctx(&t.admin), role).await.unwrap();
    assert_eq!(t.deliveries().await.len(), 3);
    let elsewhere = manager_of(StoreId::new(ulid::Ulid(9)));
    assert!(list(&elsewhere, Filter::default(), Default::default()).await.unwrap().items.is_empty());
    let foreign = send_test(&elsewhere, of_store.id, SendTest { event_type: "order.placed".into() }).await;
    assert_eq!(foreign.unwrap_err().code, ErrorCode::NotFound);
    let unseen = list_deliveries(&elsewhere, DeliveryFilter::default(), Default::default()).await.unwrap();
    assert!(unseen.items.is_empty());
}

#[tokio::test]
async fn an_endpoint_needs_a_place_and_a_wish() {
    let t = TestShop::open().await;
    let admin = t.ctx(&t.admin);
    for (url, events, pointer) in [
        ("ftp://example.com/", vec!["*"], "/url"),
        ("hooks.example.com", vec!["*"], "/url"),
        ("http://", vec!["*"], "/url"),
        ("https://me:secret@example.com/", vec!["*"], "/url"),
        ("https://example.com/#here", vec!["*"], "/url"),
        ("https://example.com/", vec![], "/events"),
        ("https://example.com/", vec!["order.placed", "weather.changed"], "/events/1"),
    ] {
        let bad = create(&admin, subscription(url, &events)).await.unwrap_err();
        assert_eq!(bad.fields[0].pointer, pointer, "{url} {events:?}");
    }
    assert!(endpoint_rows::Entity::find().all(t.shop.db.reader()).await.unwrap().is_empty());
    let by_lead = create(&t.ctx(&t.lead), subscription("https://example.com/", &["*"])).await.unwrap_err();
    assert_eq!(by_lead.code, ErrorCode::Forbidden);
    for _ in 0..limits::WEBHOOK_ENDPOINTS_MAX {
        t.subscribe("http://localhost:8099/hook", &["order.placed"]).await;
    }
    let full = create(&admin, subscription("https://example.com/", &["*"])).await.unwrap_err();
    assert_eq!(full.rule.as_deref(), Some("too_many_endpoints"));
    let nothing = WebhookEndpointId::new(ulid::Ulid(3));
    assert_eq!(delete(&t.at(&t.admin, 1), nothing).await.unwrap_err().code, ErrorCode::NotFound);
}

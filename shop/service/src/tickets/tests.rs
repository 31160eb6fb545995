use sea_orm::EntityTrait;
use shop_domain::reasons::TicketResolution;
use shop_domain::status::TicketStatus;
use shop_store::entities::{ticket_messages, tickets};

use super::*;
use crate::Ctx;
use crate::testing::TestShop;

fn about(order: Option<shop_domain::ids::OrderId>) -> Create {
    Create {
        customer_id: None,
        order_id: order,
        subject: "The lamp flickers".into(),
        text: "since two days".into(),
    }
}

fn says(text: &str) -> Reply {
    Reply { text: text.into(), is_internal: false }
}

async fn row(t: &TestShop, id: shop_domain::ids::TicketId) -> tickets::Model {
    tickets::Entity::find_by_id(id).one(t.shop.db.reader()).await.unwrap().unwrap()
}

async fn texts(ctx: &Ctx, id: shop_domain::ids::TicketId) -> Vec<String> {
    get(ctx, id).await.unwrap().messages.unwrap().into_iter().map(|message| message.text).collect()
}

#[tokio::test]
async fn a_case_goes_back_and_forth_until_it_is_closed_and_a_reply_reopens_it() {
    let t = TestShop::open().await;
    let order = t.placed(&[(t.goods.desk_lamp, 1)]).await;
    let (ada, sam) = (t.ctx(&t.ada.principal), t.ctx(&t.agent));
    let case = create(&ada, about(Some(order.id))).await.unwrap().view;
    let stored = row(&t, case.id).await;
    assert_eq!((stored.status, stored.customer_id, stored.store_id), (case.status, t.ada.customer, t.store));
    assert_eq!((case.status, case.assignee_id), (TicketStatus::Open, None));

    let answered = reply(&sam, case.id, says("which bulb?")).await.unwrap().view;
    assert_eq!((answered.status, answered.assignee_id), (TicketStatus::Pending, Some(t.agent.id)));
    reply(&t.ctx(&t.lead), case.id, says("hello too")).await.unwrap();
    assert_eq!(row(&t, case.id).await.assignee_id, Some(t.agent.id));
    let asked = reply(&ada, case.id, says("the warm one")).await.unwrap().view;
    assert_eq!(asked.status, TicketStatus::Open);

    let passed = Escalate { team: "returns".into(), summary: "second bulb this year".into() };
    let passed = escalate(&sam, case.id, passed).await.unwrap().view;
    assert_eq!((passed.status, passed.team.as_deref()), (TicketStatus::Escalated, Some("returns")));
    assert_eq!(row(&t, case.id).await.assignee_id, None);
    let taken = reply(&t.ctx(&t.lead), case.id, says("we send one")).await.unwrap().view;
    assert_eq!((taken.status, taken.assignee_id), (TicketStatus::Escalated, Some(t.lead.id)));

    let replaced = Close { resolution: TicketResolution::Replaced };
    let by_ada = close(&ada, case.id, replaced.clone()).await.unwrap_err();
    assert_eq!(by_ada.fields[0].pointer, "/resolution");
    let closed = close(&sam, case.id, replaced.clone()).await.unwrap().view;
    assert_eq!((closed.status, closed.resolution), (TicketStatus::Closed, Some(TicketResolution::Replaced)));
    let twice = close(&sam, case.id, replaced).await.unwrap_err();
    assert_eq!(twice.rule.as_deref(), Some("ticket_state"));
    reply(&ada, case.id, says("it flickers as well")).await.unwrap();
    let reopened = row(&t, case.id).await;
    assert_eq!((reopened.status, reopened.resolution, reopened.closed_at), (TicketStatus::Open, None, None));
    // The order is as it was.
    assert_eq!(t.order(order.id).await.version, order.version);
}

#[tokio::test]
async fn internal_notes_never_reach_the_shopper() {
    let t = TestShop::open().await;
    let (ada, sam) = (t.ctx(&t.ada.principal), t.ctx(&t.agent));
    let case = create(&ada, about(None)).await.unwrap().view;
    let note = Reply { text: "third complaint, be kind".into(), is_internal: true };
    let noted = reply(&sam, case.id, note.clone()).await.unwrap().view;
    assert_eq!((noted.status, noted.assignee_id), (TicketStatus::Open, None));
    escalate(&sam, case.id, Escalate { team: "returns".into(), summary: "angry".into() }).await.unwrap();
    let by_ada = reply(&ada, case.id, note).await.unwrap_err();
    assert_eq!(by_ada.fields[0].pointer, "/is_internal");
    assert_eq!(texts(&ada, case.id).await, ["since two days"]);
    assert_eq!(texts(&sam, case.id).await, ["since two days", "third complaint, be kind", "angry"]);
    let rows = ticket_messages::Entity::find().all(t.shop.db.reader()).await.unwrap();
    assert_eq!(rows.iter().filter(|row| row.is_internal).count(), 2);
}

#[tokio::test]
async fn a_case_belongs_to_one_customer_and_to_their_own_order() {
    let t = TestShop::open().await;
    let order = t.placed(&[(t.goods.blue_mug, 1)]).await;
    let (bob, sam) = (t.ctx(&t.bob.principal), t.ctx(&t.agent));
    let foreign = create(&bob, about(Some(order.id))).await.unwrap_err();
    assert_eq!(foreign.code.as_str(), "not_found");
    let mixed = Create { customer_id: Some(t.bob.customer), ..about(Some(order.id)) };
    assert_eq!(create(&sam, mixed).await.unwrap_err().fields[0].pointer, "/order_id");
    assert_eq!(create(&sam, about(None)).await.unwrap_err().fields[0].pointer, "/customer_id");
    let blank = Create { text: " ".into(), ..about(None) };
    assert_eq!(create(&bob, blank).await.unwrap_err().fields[0].pointer, "/text");
    assert!(tickets::Entity::find().all(t.shop.db.reader()).await.unwrap().is_empty());

    // By phone: the order says whose case it is.
    let case = create(&sam, about(Some(order.id))).await.unwrap().view;
    assert_eq!((case.customer_id, case.assignee_id), (t.ada.customer, Some(t.agent.id)));
    assert_eq!(get(&bob, case.id).await.unwrap_err().code.as_str(), "not_found");
    assert_eq!(reply(&bob, case.id, says("hi")).await.unwrap_err().code.as_str(), "not_found");
    assert!(list(&bob, Filter::default(), Default::default()).await.unwrap().items.is_empty());
    let own = Filter { order_id: Some(order.id), status: Some(TicketStatus::Open), ..Filter::default() };
    assert_eq!(list(&t.ctx(&t.ada.principal), own, Default::default()).await.unwrap().items.len(), 1);
    let others = Filter { assignee_id: Some(t.lead.id), ..Filter::default() };
    assert!(list(&sam, others, Default::default()).await.unwrap().items.is_empty());
    assert_eq!(get(&sam, case.id).await.unwrap().order.unwrap().number, order.number);
}

#[tokio::test]
async fn a_reply_goes_to_the_thread_that_was_read() {
    let t = TestShop::open().await;
    let case = create(&t.ctx(&t.ada.principal), about(None)).await.unwrap().view;
    let first = reply(&t.at(&t.agent, case.version), case.id, says("hello")).await.unwrap().view;
    let stale = reply(&t.at(&t.lead, case.version), case.id, says("hello")).await.unwrap_err();
    assert_eq!(stale.code.as_str(), "version_conflict");
    assert_eq!(first.version, case.version + 1);
    assert_eq!(texts(&t.ctx(&t.lead), case.id).await.len(), 2);
}

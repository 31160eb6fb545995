use std::sync::Arc;

use shop_domain::governance::{Principal, Role, Scope};
use shop_domain::ids::{BrandId, PrincipalId};

use super::*;
use crate::page::{Page, PageQuery};
use crate::testing::TestShop;
use crate::{gift_cards, refunds};

fn head_of(t: &TestShop, brand: BrandId) -> Arc<Principal> {
    let id = t.ctx(&t.admin).id(PrincipalId::new);
    Arc::new(Principal::human(id, "bea", Role::BrandManager, Scope::Brand(brand)))
}

fn all() -> PageQuery {
    PageQuery { limit: Some(100), cursor: None }
}

fn subjects(page: Page<AuditEntry>) -> Vec<String> {
    page.items.into_iter().filter_map(|entry| entry.subject).collect()
}

#[tokio::test]
async fn the_logs_show_what_one_may_see_and_nothing_else() {
    let t = TestShop::open().await;
    let other = t.other_brand().await;
    let bought = t.paid(&[(t.goods.blue_mug, 1)]).await;
    let ctx = t.at(&t.lead, bought.version);
    refunds::unshipped(&ctx, bought.id, refunds::Unshipped::default()).await.unwrap();
    let give =
        |store_id| gift_cards::Issue { store_id, amount_minor: 100, customer_id: None, approval_id: None };
    let own = gift_cards::issue(&t.at(&t.lead, 0), give(t.store)).await.unwrap().view.id.to_string();
    let theirs = gift_cards::issue(&t.at(&t.admin, 0), give(other.store)).await.unwrap().view.id.to_string();

    let everything = events(&t.ctx(&t.admin), EventFilter::default(), all()).await.unwrap().items;
    let (here, there) = (head_of(&t, t.brand), head_of(&t, other.brand));
    let seen = events(&t.ctx(&here), EventFilter::default(), all()).await.unwrap().items;
    assert_eq!(seen.len(), everything.len() - 1);
    assert!(
        seen.iter().any(|event| event.subject == own) && seen.iter().all(|event| event.subject != theirs)
    );
    let seen = events(&t.ctx(&there), EventFilter::default(), all()).await.unwrap().items;
    assert!(seen.len() == 1 && seen[0].subject == theirs, "{seen:?}");
    // A filter does not widen what is seen.
    let of_order = EventFilter { order_id: Some(bought.id), ..EventFilter::default() };
    assert_eq!(events(&t.ctx(&there), of_order, all()).await.unwrap().items.len(), 0);

    let everything = subjects(audit(&t.ctx(&t.admin), AuditFilter::default(), all()).await.unwrap());
    assert!(everything.contains(&own) && everything.contains(&theirs));
    let mut seen = subjects(audit(&t.ctx(&here), AuditFilter::default(), all()).await.unwrap());
    seen.push(theirs.clone());
    seen.sort();
    let mut sorted = everything;
    sorted.sort();
    assert_eq!(seen, sorted);
    assert_eq!(subjects(audit(&t.ctx(&there), AuditFilter::default(), all()).await.unwrap()), [theirs]);
}

#[tokio::test]
async fn a_refusal_is_seen_where_the_one_who_was_refused_works() {
    let t = TestShop::open().await;
    let other = t.other_brand().await;
    let (here, there) = (head_of(&t, t.brand), head_of(&t, other.brand));
    let ctx = t.ctx(&t.ada.principal);
    let operation = shop_domain::operations::operation("issue_gift_card");
    let input =
        gift_cards::Issue { store_id: t.store, amount_minor: 1, customer_id: None, approval_id: None };
    let as_ada = ctx.clone();
    ctx.detached(operation, async move { gift_cards::issue(&as_ada, input).await }).await.unwrap_err();
    let seen = async |head| audit(&t.ctx(head), AuditFilter::default(), all()).await.unwrap().items.len();
    assert_eq!((seen(&t.admin).await, seen(&here).await, seen(&there).await), (1, 1, 0));
}

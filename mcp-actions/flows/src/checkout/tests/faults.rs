//! A checkout under every fault of the gateway: it ends, or can be ended, and the shop's books are the gateway's.

use shop_service::testing::strikes;
use shop_world::FaultRule;

use super::*;

/// Calls after which everything has an end.
const CALLS: usize = 8;

fn is_over(view: &View) -> bool {
    matches!(view.status, Some(Status::Completed | Status::Failed | Status::Canceled | Status::Expired))
}

/// Does what is offered: look first, then the safe way on, then give up.
async fn end(desk: &Desk, submitted: View, case: &str) -> View {
    let mut view = submitted;
    for call in 0..CALLS {
        if is_over(&view) {
            return view;
        }
        assert!(!view.next_actions.is_empty(), "{case}: a dead end: {view:?}");
        view = match call {
            0 | 2 => desk.verify(&view).await,
            1 | 3 if offers(&view, Tool::RecoverAction) => desk.recover(&view, Some("retry")).await,
            _ if offers(&view, Tool::RecoverAction) => desk.recover(&view, Some("abandon")).await,
            _ => desk.verify(&view).await,
        };
    }
    view
}

async fn strike(rule: FaultRule) {
    let desk = Desk::open().await;
    let ready = ready(&desk).await;
    desk.shop.shop.world.faults.put(vec![rule.clone()]);
    let submitted = desk.confirm(&ready, "k").await;
    let case = format!("{rule:?}");
    assert!(desk.shop.shop.world.faults.list()[0].1 > 0, "{case}: it struck nothing");
    let mut view = end(&desk, submitted, &case).await;
    if rule.times.is_none() && !is_over(&view) {
        // While it lasts nothing may be known, but nothing is lost: it ends when the gateway is well again.
        assert!(view.recoverable && offers(&view, Tool::RecoverAction), "{case}: {view:?}");
        desk.shop.shop.world.faults.put(Vec::new());
        view = end(&desk, view, &case).await;
    }
    assert!(is_over(&view), "{case}: {view:?}");
    let is_bought = view.status == Some(Status::Completed);
    assert_eq!(desk.taken(), if is_bought { vec![TOTAL] } else { Vec::new() }, "{case}: {view:?}");
    assert_eq!(desk.shop.held_at_gateway(), 0, "{case}");
    assert_eq!(desk.shop.trouble().await, Vec::<String>::new(), "{case}");
    assert_eq!(desk.held(&id(&ready)).await, 0, "{case}");
}

#[tokio::test]
async fn a_checkout_ends_under_every_fault_and_the_books_agree() {
    let mut all = tokio::task::JoinSet::new();
    for rule in strikes(&["authorize", "capture", "lookup"]) {
        all.spawn(strike(FaultRule { times: Some(1), ..rule.clone() }));
        all.spawn(strike(rule));
    }
    all.join_all().await;
}

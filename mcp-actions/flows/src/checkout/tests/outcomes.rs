//! Payments in parts, declines, lost answers, giving up, expiry and crashes.

use super::*;

#[tokio::test]
async fn a_lost_answer_is_unknown_and_verify_finishes_it() {
    for step in ["authorize", "capture"] {
        let desk = Desk::open().await;
        let ready = ready(&desk).await;
        desk.fault(&format!("lost_answer@{step}*1"));
        let lost = desk.confirm(&ready, "k").await;
        assert_eq!(
            (lost.status, lost.reason),
            (Some(Status::Unknown), Some(Reason::OutcomeUnknown)),
            "{step}"
        );
        assert!(lost.recoverable && offers(&lost, Tool::VerifyAction) && offers(&lost, Tool::RecoverAction));
        let done = desk.verify(&lost).await;
        assert_eq!(done.status, Some(Status::Completed), "{step}: {done:?}");
        assert_eq!(desk.taken(), [TOTAL], "{step}");
    }
}

#[tokio::test]
async fn a_request_that_never_arrived_is_retried_under_the_same_action() {
    for step in ["authorize", "capture"] {
        let desk = Desk::open().await;
        let ready = ready(&desk).await;
        desk.fault(&format!("timeout_before@{step}*1"));
        let lost = desk.confirm(&ready, "k").await;
        assert_eq!(lost.status, Some(Status::Unknown), "{step}: {lost:?}");
        let seen = desk.verify(&lost).await;
        assert_eq!(
            (seen.status, seen.verification.unwrap().status),
            (Some(Status::Unknown), "not_found".into())
        );
        let mut retried = desk.recover(&lost, Some("retry")).await;
        for _ in 0..3 {
            if retried.outcome == Outcome::RetryableFailure {
                retried = desk.recover(&lost, Some("retry")).await;
            }
        }
        assert_eq!(retried.outcome, Outcome::Success, "{step}: {retried:?}");
        assert_eq!(desk.verify(&lost).await.status, Some(Status::Completed), "{step}");
        assert_eq!(desk.taken(), [TOTAL], "{step}");
    }
}

#[tokio::test]
async fn giving_up_an_unknown_outcome_takes_everything_back() {
    for (fault, step) in [
        ("lost_answer", "authorize"),
        ("lost_answer", "capture"),
        ("timeout_before", "authorize"),
        ("timeout_before", "capture"),
    ] {
        let desk = Desk::open().await;
        let ready = ready(&desk).await;
        desk.fault(&format!("{fault}@{step}*1"));
        let lost = desk.confirm(&ready, "k").await;
        assert_eq!(lost.status, Some(Status::Unknown), "{fault} {step}");
        let gone = desk.recover(&lost, Some("abandon")).await;
        assert_eq!(gone.status, Some(Status::Canceled), "{fault} {step}: {gone:?}");
        assert_eq!(desk.taken(), Vec::<i64>::new(), "{fault} {step}");
        assert_eq!(order(&desk, &gone).await.status, OrderStatus::Cancelled);
        assert_eq!(desk.held(&id(&ready)).await, 0);
        let books = desk.shop.gateway.truth().unwrap().charges;
        let is_held = |status| serde_json::to_value(status).unwrap() == "authorized";
        assert!(books.iter().all(|charge| !is_held(charge.status)), "{fault} {step}: {books:?}");
    }
}

#[tokio::test]
async fn the_runner_goes_on_with_what_its_caller_left() {
    let desk = Desk::open().await;
    let ready = ready(&desk).await;
    desk.fault("lost_answer@authorize*1");
    desk.confirm(&ready, "k").await;
    let system = shop_service::Ctx::system(Arc::clone(&desk.shop.shop));
    desk.engines.resume(&system, &id(&ready)).await.unwrap();
    let view = desk.get(&ready).await;
    assert_eq!((view.status, node(&view)), (Some(Status::Submitted), "PAYMENT_SUBMITTED"), "{view:?}");
    assert_eq!(desk.taken(), [TOTAL]);
    let replayed = desk.confirm(&ready, "k").await;
    assert_eq!((replayed.outcome, replayed.replayed), (Outcome::Success, true));
}

#[tokio::test]
async fn nobody_touching_it_for_half_an_hour_gives_everything_back() {
    let desk = Desk::open().await;
    let ready = ready(&desk).await;
    let system = shop_service::Ctx::system(Arc::clone(&desk.shop.shop));
    desk.engines.expire(&system, &id(&ready)).await.unwrap();
    assert_eq!(desk.held(&id(&ready)).await, 2, "not before its time");
    desk.shop.shop.world.clock.advance(chrono::TimeDelta::minutes(31));
    desk.engines.expire(&system, &id(&ready)).await.unwrap();
    assert_eq!(desk.get(&ready).await.status, Some(Status::Expired));
    assert_eq!(desk.held(&id(&ready)).await, 0);
}

#[tokio::test]
async fn a_price_that_changed_voids_the_yes() {
    let desk = Desk::with(ConsentLevel::Client).await;
    let ready = ready(&desk).await;
    let asked = desk.confirm(&ready, "k").await;
    assert_eq!(asked.reason, Some(Reason::ConsentRequired));
    let consent = asked.consent.unwrap();
    assert!(consent.url.as_ref().unwrap().starts_with("http://127.0.0.1:8083/w/test/console/consents/con_"));
    desk.engine().answer_consent(&desk.ada, &id(&ready), &consent.digest, true).await.unwrap();
    let more = json!({ "items": [{ "id": desk.shop.goods.blue_mug, "quantity": 3 }] });
    let changed = desk.advance(&ready, more).await;
    assert_eq!(desk.confirm(&changed, "k").await.reason, Some(Reason::ConsentStale));
    assert_eq!(desk.taken().len(), 0);
}

#[tokio::test]
async fn another_persons_cart_and_action_look_absent() {
    let desk = Desk::open().await;
    let ready = ready(&desk).await;
    let bob = crate::testing::agent_of(&desk.shop, &desk.shop.bob.principal).await;
    assert_eq!(desk.engine().get(&bob, &id(&ready)).await.reason, Some(Reason::NotFound));
    let cart = ready.observed_state.as_ref().unwrap()["id"].as_str().unwrap().to_owned();
    let call = StartCall { capability: "checkout".into(), target: Some(cart), ..StartCall::default() };
    assert_eq!(desk.engine().start(&bob, call).await.reason, Some(Reason::NotFound));
}

/// One fresh world for the canned tests.
struct Fresh(Desk);

#[async_trait]
impl Stage<Caller> for Fresh {
    fn ctx(&self) -> &Caller {
        &self.0.ada
    }

    fn store(&self) -> Arc<dyn Store<Caller>> {
        Arc::new(Rows)
    }

    fn engine(&self, store: Arc<dyn Store<Caller>>) -> Engine<Caller> {
        engines::engine(ConsentLevel::Agent, "http://127.0.0.1:8083/console", store)
    }

    fn start(&self) -> StartCall {
        let shop = &self.0.shop;
        let patch = crate::wire::object(patch(shop.goods.blue_mug, 2, shop.ada.address, "card"));
        StartCall { capability: "checkout".to_owned(), patch, ..StartCall::default() }
    }

    async fn times_done(&self) -> usize {
        self.0.taken().len()
    }

    async fn reserved(&self) -> usize {
        let page = crate::entities::whole_page();
        let filter = shop_service::inventory::Filter {
            status: Some(shop_domain::status::ReservationStatus::Active),
            ..Default::default()
        };
        let ctx = self.0.shop.ctx(&self.0.shop.admin);
        shop_service::inventory::list_reservations(&ctx, filter, page).await.unwrap().items.len()
    }
}

#[tokio::test]
async fn the_canned_happy_path() {
    canned::happy_path(&Fresh(Desk::open().await)).await;
}

#[tokio::test]
async fn two_confirms_under_different_keys_charge_once() {
    canned::confirming_twice_acts_once(&Fresh(Desk::open().await)).await;
}

#[tokio::test]
async fn canceling_leaves_nothing() {
    canned::canceling_leaves_nothing(&Fresh(Desk::open().await)).await;
}

#[tokio::test]
async fn a_crash_at_any_write_loses_nothing_and_charges_once() {
    canned::crashing_anywhere_acts_once(async || Fresh(Desk::open().await)).await;
}

#[tokio::test]
async fn a_crash_around_a_lost_answer_is_cleared_up_as_well() {
    for step in ["authorize", "capture"] {
        canned::crashing_anywhere_acts_once(async || {
            let desk = Desk::open().await;
            desk.fault(&format!("lost_answer@{step}*1"));
            Fresh(desk)
        })
        .await;
    }
}

#[tokio::test]
async fn the_persons_own_page_is_enough_and_an_agents_word_is_not() {
    let desk = Desk::with(ConsentLevel::Human).await;
    let ready = ready(&desk).await;
    let asked = desk.confirm(&ready, "k").await;
    assert_eq!((asked.outcome, asked.reason), (Outcome::RetryableFailure, Some(Reason::ConsentRequired)));
    let consent = asked.consent.unwrap();
    let by_agent = desk.engine().answer_consent(&desk.ada, &id(&ready), &consent.digest, true).await;
    assert_eq!(by_agent.unwrap_err().reason, Reason::Forbidden);
    let url = consent.url.unwrap();
    let (id, nonce) = url.rsplit('/').next().unwrap().split_once("?nonce=").unwrap();
    consents::decide(&desk.shop.shop, id.parse().unwrap(), nonce, true).await.unwrap();
    assert_eq!(desk.confirm(&ready, "k").await.outcome, Outcome::Success);
    assert_eq!(desk.verify(&ready).await.status, Some(Status::Completed));
}

#[tokio::test]
async fn two_confirms_at_once_charge_once() {
    let desk = Desk::open().await;
    let ready = ready(&desk).await;
    let engine = desk.engine();
    let (one, two) = tokio::join!(
        engine.confirm(&desk.ada, approve(&ready, "a")),
        engine.confirm(&desk.ada, approve(&ready, "b"))
    );
    let successes = [&one, &two].into_iter().filter(|view| view.outcome == Outcome::Success).count();
    assert_eq!(successes, 1, "{one:?} {two:?}");
    assert_eq!(desk.taken(), [TOTAL]);
}

use chrono::TimeDelta;
use sea_orm::EntityTrait;
use shop_domain::reviews::ReviewDecision;
use shop_domain::status::ReviewStatus;
use shop_store::entities::reviews;

use super::*;
use crate::testing::TestShop;

fn says(stars: i64) -> Create {
    Create { customer_id: None, stars, title: "Warm".into(), text: "Keeps the tea warm.".into() }
}

fn decide(decision: ReviewDecision) -> Moderate {
    Moderate { decision, note: Some("read it".into()) }
}

#[tokio::test]
async fn only_who_got_a_product_reviews_it_and_once() {
    let t = TestShop::open().await;
    let (ada, bob) = (t.ctx(&t.ada.principal), t.ctx(&t.bob.principal));
    t.shipped(&[(t.goods.blue_mug, 1)]).await;
    let early = create(&ada, t.goods.mug, says(5)).await.unwrap_err();
    assert_eq!(early.rule.as_deref(), Some("product_not_received"));
    // The parcel arrives with the clock; nobody has looked at it since.
    t.shop.world.clock.advance(TimeDelta::days(6));
    for (bad, pointer) in [
        (says(6), "/stars"),
        (says(0), "/stars"),
        (Create { title: " ".into(), ..says(5) }, "/title"),
        (Create { text: "x".repeat(4_001), ..says(5) }, "/text"),
    ] {
        assert_eq!(create(&ada, t.goods.mug, bad).await.unwrap_err().fields[0].pointer, pointer);
    }
    let written = create(&ada, t.goods.mug, says(4)).await.unwrap().view;
    let row = reviews::Entity::find_by_id(written.id).one(t.shop.db.reader()).await.unwrap().unwrap();
    assert_eq!((row.status, row.stars, row.customer_id), (ReviewStatus::Pending, 4, t.ada.customer));
    assert_eq!(row.author_name, "Ada B.");
    for (ctx, product, rule) in [
        (&ada, t.goods.mug, "already_reviewed"),
        (&ada, t.goods.lamp, "product_not_received"),
        (&bob, t.goods.mug, "product_not_received"),
    ] {
        assert_eq!(create(ctx, product, says(5)).await.unwrap_err().rule.as_deref(), Some(rule));
    }
    let in_adas_name = Create { customer_id: Some(t.ada.customer), ..says(1) };
    assert_eq!(create(&bob, t.goods.mug, in_adas_name).await.unwrap_err().code.as_str(), "not_found");
    assert_eq!(reviews::Entity::find().all(t.shop.db.reader()).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_review_is_seen_and_counted_once_it_was_approved() {
    let t = TestShop::open().await;
    let (ada, bob, lead) = (t.ctx(&t.ada.principal), t.ctx(&t.bob.principal), t.ctx(&t.lead));
    t.delivered(&[(t.goods.blue_mug, 1)]).await;
    let review = create(&ada, t.goods.mug, says(4)).await.unwrap().view;
    let seen = |ctx| list(ctx, t.goods.mug, Filter::default(), Default::default());
    assert_eq!((seen(&bob).await.unwrap().items.len(), seen(&lead).await.unwrap().items.len()), (0, 1));
    assert_eq!(seen(&bob).await.unwrap().rating.average_hundredths, None);
    let early = reply(&lead, review.id, Reply { text: "thanks".into() }).await.unwrap_err();
    assert_eq!(early.rule.as_deref(), Some("review_state"));
    let by_ada = moderate(&ada, review.id, decide(ReviewDecision::Publish)).await.unwrap_err();
    assert_eq!(by_ada.code.as_str(), "forbidden");

    moderate(&lead, review.id, decide(ReviewDecision::Publish)).await.unwrap();
    reply(&lead, review.id, Reply { text: "thanks".into() }).await.unwrap();
    let public = seen(&bob).await.unwrap();
    let rating = Rating { count: 1, average_hundredths: Some(400), by_stars: vec![0, 0, 0, 1, 0] };
    assert_eq!(public.rating, rating);
    let one = &public.items[0];
    assert_eq!((one.reply.as_deref(), one.customer_id, one.order_id), (Some("thanks"), None, None));
    assert_eq!((one.moderated_by, one.moderation_note.as_deref()), (None, None));
    assert_eq!(seen(&lead).await.unwrap().items[0].moderated_by, Some(t.lead.id));
    assert_eq!(seen(&ada).await.unwrap().items[0].customer_id, Some(t.ada.customer));
    let five = Filter { stars: Some(5), ..Filter::default() };
    assert!(list(&bob, t.goods.mug, five, Default::default()).await.unwrap().items.is_empty());

    let again = moderate(&lead, review.id, decide(ReviewDecision::Publish)).await.unwrap_err();
    assert_eq!(again.rule.as_deref(), Some("review_state"));
    moderate(&lead, review.id, decide(ReviewDecision::Hide)).await.unwrap();
    assert_eq!(seen(&bob).await.unwrap().rating.count, 0);
    let hidden = Filter { status: Some(ReviewStatus::Hidden), ..Filter::default() };
    let of_bob = list(&bob, t.goods.mug, hidden.clone(), Default::default()).await.unwrap();
    let of_lead = list(&lead, t.goods.mug, hidden, Default::default()).await.unwrap();
    assert_eq!((of_bob.items.len(), of_lead.items.len()), (0, 1));
}

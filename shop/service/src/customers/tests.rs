use super::*;
use crate::testing::TestShop;

#[tokio::test]
async fn a_customer_is_created_found_and_changed_within_scope() {
    let t = TestShop::open().await;
    let input = Create {
        store_id: t.store,
        email: "eve@example.com".into(),
        first_name: "Eve".into(),
        last_name: "Gabler".into(),
        phone: None,
        tags: Some(vec!["vip".into(), "a_b".into()]),
        accepts_marketing: None,
    };
    let eve = create(&t.ctx(&t.lead), input.clone()).await.unwrap().view;
    let taken = create(&t.ctx(&t.lead), input).await.unwrap_err();
    assert_eq!(taken.rule.as_deref(), Some("email_taken"));
    let tagged = |tag: &str| Filter { tag: Some(tag.into()), ..Filter::default() };
    let found = |filter| async { list(&t.ctx(&t.lead), filter, Default::default()).await.unwrap().items };
    assert_eq!(found(tagged("vip")).await[0].id, eve.id);
    assert_eq!(found(tagged("a_b")).await.len(), 1);
    // Neither a part of a tag nor a wildcard finds it.
    assert!(found(tagged("vi")).await.is_empty() && found(tagged("a%b")).await.is_empty());
    let named =
        Filter { first_name: Some("eve".into()), last_name: Some("GABLER".into()), ..Filter::default() };
    assert_eq!(found(named).await[0].id, eve.id);
    let home = crate::addresses::list(&t.ctx(&t.lead), t.ada.customer, Default::default()).await.unwrap();
    let code = |code: &str| Filter { postal_code: Some(code.into()), ..Filter::default() };
    let there = found(code(&home.items[0].address.postal_code)).await;
    assert!(there.iter().any(|customer| customer.id == t.ada.customer));
    assert!(found(code("0")).await.is_empty());

    let grown = Update { last_name: Some("Tesman".into()), ..Update::default() };
    let grown = update(&t.at(&t.lead, eve.version), eve.id, grown).await.unwrap().view;
    assert_eq!((grown.last_name.as_str(), grown.first_name.as_str(), grown.version), ("Tesman", "Eve", 2));
    let stale = update(&t.at(&t.lead, eve.version), eve.id, Update::default()).await.unwrap_err();
    assert_eq!(stale.code.as_str(), "version_conflict");
    let own_tags = Update { tags: Some(Vec::new()), ..Update::default() };
    let own_tags = update(&t.ctx(&t.ada.principal), t.ada.customer, own_tags).await.unwrap_err();
    assert_eq!(own_tags.code.as_str(), "forbidden");
    assert_eq!(get(&t.ctx(&t.bob.principal), t.ada.customer).await.unwrap_err().code.as_str(), "not_found");
}

#[tokio::test]
async fn lifetime_counts_what_was_paid_and_what_went_back() {
    let t = TestShop::open().await;
    let order = t.paid(&[(t.goods.blue_mug, 1)]).await;
    t.placed(&[(t.goods.small_shirt, 1)]).await;
    crate::refunds::unshipped(&t.at(&t.lead, order.version), order.id, Default::default()).await.unwrap();
    let ada = get(&t.ctx(&t.ada.principal), t.ada.customer).await.unwrap();
    let [lifetime] = ada.lifetime.unwrap().try_into().unwrap();
    assert_eq!(
        (lifetime.orders, lifetime.paid_minor, lifetime.refunded_minor),
        (1, order.total_minor, order.total_minor)
    );
}

#[tokio::test]
async fn customers_are_known_by_name_email_or_phone_within_sight() {
    let t = TestShop::open().await;
    let ids = async |phrase: &str, words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let found = named(&t.ctx(&t.lead), phrase, &words).await.unwrap();
        found.into_iter().map(|known| known.customer.id).collect::<Vec<_>>()
    };
    assert_eq!(ids("Ada", &["ada"]).await, [t.ada.customer]);
    assert_eq!(ids("", &["byron", "marlowe"]).await, [t.ada.customer, t.bob.customer]);
    assert_eq!(ids("", &["bob@example.com"]).await, [t.bob.customer]);
    assert!(ids("", &["by%", "eve"]).await.is_empty() && ids("", &[]).await.is_empty());
    let known = named(&t.ctx(&t.lead), "", &["ada".to_owned()]).await.unwrap().remove(0);
    assert_eq!(known.addresses[0].city, "Hamburg");
    let shopper = named(&t.ctx(&t.ada.principal), "", &["bob".to_owned()]).await.unwrap_err();
    assert_eq!(shopper.code.as_str(), "forbidden");
}

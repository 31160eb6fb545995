use actix_web::http::StatusCode;
use shop_domain::status::OrderPaymentStatus;
use shop_service::payment_links::{self, Create};
use shop_service::testing::TestShop;

use super::fixture::{Browser, Fixture};

#[actix_web::test]
async fn whoever_has_the_address_pays_once_and_sees_nobodys_name() {
    let t = TestShop::open().await;
    let order = t.placed(&[(t.goods.blue_mug, 2)]).await;
    let link = payment_links::create(&t.ctx(&t.lead), order.id, Create::default()).await.unwrap().view;
    let path = link.url.split_once("/pay/").map(|(_, path)| format!("/console/pay/{path}")).unwrap();
    let (bare, nonce) = path.split_once("?nonce=").unwrap();
    let fixture = Fixture::around(t.shop.clone());
    let browser = Browser::new(&fixture);
    let page = browser.open(&path).await;
    assert_eq!(page.status, StatusCode::OK);
    for words in ["Pay Harbour Hamburg", "53.19 EUR", "2 × Blue mug", "visa ending in 4242"] {
        assert!(page.html.contains(words), "{words}: {}", page.html);
    }
    assert!(!page.html.contains("Byron") && !page.html.contains("ada@"), "{}", page.html);
    assert_eq!(browser.open(&format!("{bare}?nonce=guessed")).await.status, StatusCode::NOT_FOUND);
    assert_eq!(browser.open(bare).await.status, StatusCode::NOT_FOUND);

    let press = |token: &'static str| {
        let browser = &browser;
        async move { browser.press(bare, &[("nonce", nonce), ("token", token)]).await }
    };
    let elsewhere = browser.press_from_elsewhere(bare, &[("nonce", nonce), ("token", "tok_visa")]).await;
    assert_eq!(elsewhere.status, StatusCode::FORBIDDEN);
    let declined = press("tok_insufficient_funds").await;
    assert!(
        declined.status.is_client_error() && declined.html.contains("role=\"alert\""),
        "{}",
        declined.html
    );
    let paid = press("tok_visa").await;
    assert_eq!(paid.status, StatusCode::SEE_OTHER, "{}", paid.html);
    let thanks = browser.open(&paid.location.unwrap()).await;
    assert!(
        thanks.html.contains("it is paid") && !thanks.html.contains("<form class=\"choice\""),
        "{}",
        thanks.html
    );
    assert!(press("tok_visa").await.html.contains("This link is paid."));
    assert_eq!(t.order(order.id).await.payment_status, OrderPaymentStatus::Paid);
    let truth = t.gateway.truth().unwrap();
    assert_eq!(truth.charges.iter().map(|charge| charge.captured_minor).sum::<i64>(), order.total_minor);
}

use actix_web::http::StatusCode;

use super::fixture::{Browser, Fixture};

#[actix_web::test]
async fn people_sign_in_and_software_does_not() {
    let fixture = Fixture::open().await;
    let browser = Browser::new(&fixture);
    let agent = browser.press("/console/login", &[("token", "tok-bot")]).await;
    assert_eq!((agent.status, agent.cookie), (StatusCode::FORBIDDEN, None));
    assert!(agent.html.contains("token of an agent"));
    for token in ["", "tok-nobody", "tok-ada; Path=/"] {
        let wrong = browser.press("/console/login", &[("token", token)]).await;
        assert_eq!((wrong.status, wrong.cookie), (StatusCode::UNAUTHORIZED, None), "{token}");
    }
    let ada = browser.press("/w/other/console/login", &[("token", " tok-ada ")]).await;
    assert_eq!(ada.location.as_deref(), Some("/w/other/console"));
    let cookie = ada.cookie.unwrap();
    for part in ["Path=/w/other/console", "HttpOnly", "SameSite=Strict"] {
        assert!(cookie.contains(part), "{cookie}");
    }
}

#[actix_web::test]
async fn an_agents_token_in_the_cookie_is_nobody() {
    let fixture = Fixture::open().await;
    let browser = Browser::with_cookie(&fixture, "twinshop_console=tok-bot");
    for path in ["/console/consents", "/console/approvals"] {
        assert_eq!(browser.open(path).await.status, StatusCode::UNAUTHORIZED, "{path}");
    }
}

#[actix_web::test]
async fn the_first_page_says_what_runs_and_what_waits() {
    let fixture = Fixture::open().await;
    fixture.request().await;
    let browser = Browser::new(&fixture);
    assert_eq!(browser.open("/").await.location.as_deref(), Some("/console"));
    let public = browser.open("/console").await;
    assert!(
        public.html.contains("http://shop.test/v1") && public.html.contains("stands still"),
        "{}",
        public.html
    );
    assert!(!public.html.contains("waiting for a second person"));
    let lea = Browser::of(&fixture, "lea").await.open("/console").await;
    assert!(lea.html.contains("<strong>1</strong> waiting for a second person"), "{}", lea.html);
    assert_eq!(browser.open("/w/nowhere/console").await.status, StatusCode::NOT_FOUND);
    assert_eq!(browser.open("/console/nothing").await.status, StatusCode::NOT_FOUND);
}

#[actix_web::test]
async fn signing_out_forgets_the_token() {
    let fixture = Fixture::open().await;
    let out = Browser::of(&fixture, "ada").await.press("/console/logout", &[]).await;
    assert!(out.cookie.unwrap().contains("Max-Age=0"));
}

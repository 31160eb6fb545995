use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_FRAME_OPTIONS};
use chrono::TimeDelta;
use serde_json::{Value, json};
use shop_service::consents::{Standing, find_for_page};

use super::fixture::{Browser, Fixture, NONCE};

fn summary() -> Value {
    json!({
        "amount": 5_293, "currency": "EUR", "coupon": null, "payment_type": "card",
        "items": [{ "title": "Blue <b>mug</b>", "quantity": 2, "total_minor": 3_980 }],
    })
}

#[actix_web::test]
async fn a_person_reads_what_will_happen_and_says_yes_once() {
    let fixture = Fixture::open().await;
    let id = fixture.question(summary()).await;
    let browser = Browser::new(&fixture);
    for base in ["/console", "/w/other/console"] {
        let page = browser.open(&format!("{base}/consents/{id}?nonce={NONCE}")).await;
        assert_eq!(page.status, StatusCode::OK);
        for words in
            ["Do you agree?", "52.93 EUR", "2 × Blue &#60;b&#62;mug&#60;/b&#62; · total 39.80 EUR", "ada"]
        {
            assert!(page.html.contains(words), "{words}: {}", page.html);
        }
        assert!(page.html.contains(&format!("action=\"{base}/consents/{id}\"")), "{}", page.html);
        assert!(!page.html.contains("<script") && !page.html.contains("<b>"));
    }
    let path = format!("/console/consents/{id}");
    let pressed = browser.press(&path, &[("nonce", NONCE), ("answer", "yes")]).await;
    assert_eq!(pressed.status, StatusCode::SEE_OTHER);
    let after = browser.open(&pressed.location.unwrap()).await;
    assert!(
        after.html.contains("You said yes") && !after.html.contains("<button class=\"yes\""),
        "{}",
        after.html
    );
    assert_eq!(find_for_page(&fixture.shop, id, NONCE).await.unwrap().standing, Standing::Granted);

    // The same button again is the same answer; the other one comes too late.
    let again = browser.press(&path, &[("nonce", NONCE), ("answer", "yes")]).await;
    assert_eq!(again.status, StatusCode::SEE_OTHER);
    let late = browser.press(&path, &[("nonce", NONCE), ("answer", "no")]).await;
    assert_eq!(late.status, StatusCode::CONFLICT);
    assert!(
        late.html.contains("You said yes") && late.html.contains("your answer changed nothing"),
        "{}",
        late.html
    );
    assert_eq!(find_for_page(&fixture.shop, id, NONCE).await.unwrap().standing, Standing::Granted);
}

/// The agent knows the address: it passed it on to its person. Its own token is worth nothing there.
#[actix_web::test]
async fn an_agent_cannot_answer_for_its_person_nor_read_whom_she_is_asked() {
    let fixture = Fixture::open().await;
    let id = fixture.question(summary()).await;
    let path = format!("/console/consents/{id}");
    let agents = [
        Browser::with_cookie(&fixture, "twinshop_console=tok-bot"),
        Browser::with_bearer(&fixture, "tok-bot"),
    ];
    for agent in &agents {
        for answer in ["yes", "no"] {
            let pressed = agent.press(&path, &[("nonce", NONCE), ("answer", answer)]).await;
            assert_eq!(pressed.status, StatusCode::FORBIDDEN);
        }
        let list = agent.open("/console/consents").await;
        assert!(list.status == StatusCode::UNAUTHORIZED && !list.html.contains(NONCE), "{}", list.html);
    }
    assert_eq!(find_for_page(&fixture.shop, id, NONCE).await.unwrap().standing, Standing::Open);
    let ada = Browser::of(&fixture, "ada").await;
    let pressed = ada.press(&path, &[("nonce", NONCE), ("answer", "yes")]).await;
    assert_eq!(pressed.status, StatusCode::SEE_OTHER);
    // Used up, it says so, and answers nothing any more.
    for answer in ["yes", "no"] {
        let pressed = agents[0].press(&path, &[("nonce", NONCE), ("answer", answer)]).await;
        assert_eq!(pressed.status, StatusCode::FORBIDDEN);
    }
    assert_eq!(find_for_page(&fixture.shop, id, NONCE).await.unwrap().standing, Standing::Granted);
}

#[actix_web::test]
async fn a_no_is_final_too() {
    let fixture = Fixture::open().await;
    let id = fixture.question(summary()).await;
    let browser = Browser::new(&fixture);
    let path = format!("/w/other/console/consents/{id}");
    let pressed = browser.press(&path, &[("nonce", NONCE), ("answer", "no")]).await;
    assert_eq!(pressed.location, Some(format!("{path}?nonce={NONCE}")));
    assert!(browser.open(&pressed.location.unwrap()).await.html.contains("You said no"));
    let late = browser.press(&path, &[("nonce", NONCE), ("answer", "yes")]).await;
    assert_eq!(late.status, StatusCode::CONFLICT);
    assert_eq!(find_for_page(&fixture.shop, id, NONCE).await.unwrap().standing, Standing::Rejected);
}

#[actix_web::test]
async fn an_incomplete_address_shows_and_decides_nothing() {
    let fixture = Fixture::open().await;
    let id = fixture.question(summary()).await;
    let browser = Browser::new(&fixture);
    let path = format!("/console/consents/{id}");
    for query in ["", "?nonce=", "?nonce=wrong", "?nonce=a%20b", "?other=1"] {
        let page = browser.open(&format!("{path}{query}")).await;
        assert_eq!(page.status, StatusCode::NOT_FOUND, "{query}");
        assert!(!page.html.contains("mug"));
    }
    assert_eq!(browser.open("/console/consents/con_x?nonce=1").await.status, StatusCode::NOT_FOUND);
    for fields in [&[("nonce", "wrong"), ("answer", "yes")][..], &[("nonce", ""), ("answer", "yes")]] {
        assert_eq!(browser.press(&path, fields).await.status, StatusCode::NOT_FOUND);
    }
    for fields in [&[("answer", "yes")][..], &[("nonce", NONCE)], &[("nonce", NONCE), ("answer", "maybe")]] {
        assert_eq!(browser.press(&path, fields).await.status, StatusCode::BAD_REQUEST);
    }
    let foreign = browser.press_from_elsewhere(&path, &[("nonce", NONCE), ("answer", "yes")]).await;
    assert_eq!(foreign.status, StatusCode::FORBIDDEN);
    assert_eq!(find_for_page(&fixture.shop, id, NONCE).await.unwrap().standing, Standing::Open);
}

#[actix_web::test]
async fn a_question_that_nobody_answered_in_time_is_gone() {
    let fixture = Fixture::open().await;
    let id = fixture.question(summary()).await;
    fixture.shop.world.clock.advance(TimeDelta::minutes(15));
    let browser = Browser::new(&fixture);
    let path = format!("/console/consents/{id}");
    let page = browser.open(&format!("{path}?nonce={NONCE}")).await;
    assert!(page.status == StatusCode::OK && page.html.contains("has expired"), "{}", page.html);
    let pressed = browser.press(&path, &[("nonce", NONCE), ("answer", "yes")]).await;
    assert_eq!(pressed.status, StatusCode::GONE);
    assert_eq!(find_for_page(&fixture.shop, id, NONCE).await.unwrap().standing, Standing::Expired);
}

#[actix_web::test]
async fn the_list_is_for_the_person_who_is_asked() {
    let fixture = Fixture::open().await;
    let id = fixture.question(summary()).await;
    assert_eq!(Browser::new(&fixture).open("/console/consents").await.status, StatusCode::UNAUTHORIZED);
    let own = Browser::of(&fixture, "ada").await.open("/console/consents").await;
    assert!(own.html.contains(&format!("/console/consents/{id}?nonce={NONCE}")), "{}", own.html);
    let other = Browser::of(&fixture, "lea").await.open("/console/consents").await;
    assert!(other.html.contains("Nothing waits for you"), "{}", other.html);
}

#[actix_web::test]
async fn every_page_keeps_its_address_to_itself() {
    let fixture = Fixture::open().await;
    let id = fixture.question(summary()).await;
    let browser = Browser::new(&fixture);
    for path in
        [format!("/console/consents/{id}?nonce={NONCE}"), "/console".into(), "/console/nowhere".into()]
    {
        let page = browser.open(&path).await;
        let header = |name| page.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default();
        let policy = header(CONTENT_SECURITY_POLICY);
        assert!(
            policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe"));
        assert_eq!(
            (header(X_FRAME_OPTIONS), header(REFERRER_POLICY), header(CACHE_CONTROL)),
            ("DENY", "same-origin", "no-store")
        );
    }
    let style = browser.open("/w/other/console/console.css").await;
    assert!(style.status == StatusCode::OK && style.html.contains(":root"));
}

use actix_web::http::StatusCode;
use chrono::TimeDelta;
use shop_domain::governance::Role;
use shop_domain::status::ApprovalStatus;
use shop_service::{Ctx, approvals};

use super::fixture::{Browser, Fixture};

async fn status(fixture: &Fixture, id: shop_domain::ids::ApprovalId) -> ApprovalStatus {
    let ctx = Ctx::system(std::sync::Arc::clone(&fixture.shop));
    assert_eq!(ctx.principal.role, Role::Admin);
    approvals::get(&ctx, id).await.unwrap().status
}

#[actix_web::test]
async fn a_second_person_reads_the_operation_and_signs_it_off() {
    let fixture = Fixture::open().await;
    let id = fixture.request().await;
    let lea = Browser::of(&fixture, "lea").await;
    let list = lea.open("/console/approvals").await;
    assert!(list.html.contains("Refund without return") && list.html.contains("45.00 EUR"), "{}", list.html);
    let path = format!("/console/approvals/{id}");
    let page = lea.open(&path).await;
    for words in
        ["45.00 EUR", "sam asks", "&#60;crushed&#62;", "refund_without_return", "0123abcd", "Approve, once"]
    {
        assert!(page.html.contains(words), "{words}: {}", page.html);
    }
    let fields = [("version", "1"), ("decision", "approve"), ("note", "Photos show it.")];
    let pressed = lea.press(&path, &fields).await;
    assert_eq!((pressed.status, pressed.location.as_deref()), (StatusCode::SEE_OTHER, Some(path.as_str())));
    assert_eq!(status(&fixture, id).await, ApprovalStatus::Approved);
    let after = lea.open(&path).await;
    assert!(
        after.html.contains("Photos show it.") && !after.html.contains("Approve, once"),
        "{}",
        after.html
    );

    // Pressed twice it is one call; another decision meets a newer version.
    assert_eq!(lea.press(&path, &fields).await.status, StatusCode::SEE_OTHER);
    let other = lea.press(&path, &[("version", "1"), ("decision", "reject")]).await;
    assert!(other.status.is_client_error(), "{}", other.status);
    assert_eq!(status(&fixture, id).await, ApprovalStatus::Approved);
}

#[actix_web::test]
async fn nobody_else_decides() {
    let fixture = Fixture::open().await;
    let id = fixture.request().await;
    let path = format!("/console/approvals/{id}");
    let fields = [("version", "1"), ("decision", "approve")];
    assert_eq!(Browser::new(&fixture).press(&path, &fields).await.status, StatusCode::UNAUTHORIZED);
    for name in ["sam", "ada"] {
        let refused = Browser::of(&fixture, name).await.press(&path, &fields).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{name}: {}", refused.html);
    }
    let lea = Browser::of(&fixture, "lea").await;
    assert_eq!(lea.press_from_elsewhere(&path, &fields).await.status, StatusCode::FORBIDDEN);
    assert_eq!(
        lea.press(&path, &[("version", "7"), ("decision", "approve")]).await.status,
        StatusCode::PRECONDITION_FAILED
    );
    assert_eq!(status(&fixture, id).await, ApprovalStatus::Waiting);
    let rejected = lea.press(&path, &[("version", "1"), ("decision", "reject")]).await;
    assert_eq!(rejected.status, StatusCode::SEE_OTHER);
    assert_eq!(status(&fixture, id).await, ApprovalStatus::Rejected);
}

#[actix_web::test]
async fn an_expired_request_cannot_be_signed_off() {
    let fixture = Fixture::open().await;
    let id = fixture.request().await;
    fixture.shop.world.clock.advance(TimeDelta::hours(24));
    let lea = Browser::of(&fixture, "lea").await;
    let path = format!("/console/approvals/{id}");
    assert!(!lea.open(&path).await.html.contains("Approve, once"));
    let pressed = lea.press(&path, &[("version", "1"), ("decision", "approve")]).await;
    assert!(pressed.status.is_client_error() && pressed.html.contains("expired"), "{}", pressed.html);
    assert_ne!(status(&fixture, id).await, ApprovalStatus::Approved);
}

use std::sync::Arc;

use shop_domain::code::ErrorCode;
use shop_domain::governance::{Answer, Layer, Principal, Role, Scope};
use shop_domain::ids::PrincipalId;

use super::*;
use crate::testing::TestShop;

async fn said(t: &TestShop, who: &Arc<Principal>, operation: &str, subject: Option<String>) -> Explanation {
    let ask = Ask { operation: operation.into(), subject, amount_minor: None, principal_id: None };
    explain(&t.ctx(who), ask).await.unwrap()
}

fn answers(explanation: &Explanation) -> Vec<Option<Answer>> {
    explanation.layers.iter().map(|verdict| verdict.answer).collect()
}

#[tokio::test]
async fn the_first_layer_that_objects_decides() {
    let t = TestShop::open().await;
    let order = t.paid(&[(t.goods.desk_lamp, 1)]).await;
    let id = Some(order.id.to_string());
    let nobody =
        Arc::new(Principal::human(PrincipalId::new(ulid::Ulid(5)), "nix", Role::None, Scope::Tenant));
    let bot = Arc::new(t.lead.agent(PrincipalId::new(ulid::Ulid(6)), "bot"));
    let approval = Some("apr_01jz8q4w7c5v6n3m2k1h0g9f8e".to_owned());
    let (yes, no) = (Some(Answer::Allow), Some(Answer::Deny));
    for (who, operation, subject, decided_by, expected) in [
        (
            &t.lead,
            "refund_unshipped_items",
            Some(t.ada.customer.to_string()),
            Some(Layer::Schema),
            [no, None, None, None, None],
        ),
        (&t.lead, "refund_unshipped_items", None, Some(Layer::Schema), [no, None, None, None, None]),
        (&nobody, "get_order", id.clone(), Some(Layer::Capability), [yes, no, None, None, None]),
        (
            &t.ada.principal,
            "list_order_notes",
            id.clone(),
            Some(Layer::Capability),
            [yes, no, None, None, None],
        ),
        (&t.bob.principal, "get_order", id.clone(), Some(Layer::Scope), [yes, yes, no, None, None]),
        (&t.lead, "request_return", id.clone(), Some(Layer::Risk), [yes, yes, yes, no, None]),
        (&bot, "approve_request", approval, Some(Layer::Approval), [yes, yes, None, None, no]),
        (&t.lead, "refund_unshipped_items", id.clone(), None, [yes, yes, yes, yes, yes]),
        (&t.lead, "list_orders", None, None, [yes, yes, yes, yes, yes]),
        (&t.bob.principal, "get_product", Some(t.goods.mug.to_string()), None, [yes, yes, yes, yes, yes]),
    ] {
        let explanation = said(&t, who, operation, subject).await;
        assert_eq!(explanation.decided_by, decided_by, "{operation}: {explanation:?}");
        assert_eq!(answers(&explanation), expected, "{operation}");
        assert_eq!(explanation.answer == Answer::Allow, decided_by.is_none(), "{operation}");
    }
}

#[tokio::test]
async fn the_gate_is_explained_with_its_reason() {
    let t = TestShop::open().await;
    let order = t.paid(&[(t.goods.desk_lamp, 4)]).await;
    let ask = |amount_minor| Ask {
        operation: "refund_unshipped_items".into(),
        subject: Some(order.id.to_string()),
        amount_minor: Some(amount_minor),
        principal_id: None,
    };
    let small = explain(&t.ctx(&t.lead), ask(1_000)).await.unwrap();
    assert_eq!((small.answer, small.decided_by), (Answer::Allow, None));
    let large = explain(&t.ctx(&t.lead), ask(30_000)).await.unwrap();
    assert_eq!((large.answer, large.decided_by), (Answer::NeedsApproval, Some(Layer::Approval)));
    assert!(large.why.unwrap().contains("above the limit"), "the reason names the limit");
    assert_eq!(large.risk.unwrap().outflow_today_minor, 30_000);
    // What a shopper cannot have without staff.
    let delivered = t.delivered(&[(t.goods.blue_mug, 1)]).await;
    let gift = said(&t, &t.ada.principal, "send_replacement", Some(delivered.id.to_string())).await;
    assert_eq!(gift.decided_by, Some(Layer::Approval));
}

#[tokio::test]
async fn only_administrators_ask_about_others_and_nobody_learns_of_what_they_cannot_see() {
    let t = TestShop::open().await;
    let order = t.placed(&[(t.goods.blue_mug, 1)]).await;
    let about = |principal_id| Ask {
        operation: "cancel_order".into(),
        subject: Some(order.id.to_string()),
        amount_minor: None,
        principal_id: Some(principal_id),
    };
    let curious = explain(&t.ctx(&t.lead), about(t.ada.principal.id)).await.unwrap_err();
    assert_eq!(curious.code, ErrorCode::Forbidden);
    let of_ada = explain(&t.ctx(&t.admin), about(t.ada.principal.id)).await.unwrap();
    assert_eq!((of_ada.principal.id, of_ada.decided_by), (t.ada.principal.id, None));
    let of_bob = explain(&t.ctx(&t.admin), about(t.bob.principal.id)).await.unwrap();
    assert_eq!(of_bob.decided_by, Some(Layer::Scope));
    assert_eq!(of_bob.principal.scope, Scope::Customer(t.bob.customer));
    let absent = Some("ord_01jz8q4w7c5v6n3m2k1h0g9f8e".to_owned());
    let absent = said(&t, &t.bob.principal, "cancel_order", absent).await;
    let foreign = said(&t, &t.bob.principal, "cancel_order", Some(order.id.to_string())).await;
    let unnamed = |explanation: &Explanation| {
        let subject = explanation.subject.clone().unwrap();
        format!("{:?}", explanation.layers).replace(&subject, "it")
    };
    assert_eq!(unnamed(&absent), unnamed(&foreign));
    let unknown = Ask { operation: "fly".into(), ..about(t.admin.id) };
    assert_eq!(explain(&t.ctx(&t.admin), unknown).await.unwrap_err().fields[0].pointer, "/operation");
}

use std::collections::BTreeMap;

use super::AfterSalesOperation as Op;
use super::*;

/// The table of the design, written down a second time.
const DESIGN: &str = "\
| Operation | authorised, unshipped | captured, unshipped | shipped | delivered in window | delivered out of window | return received | cancelled |
|---|---|---|---|---|---|---|---|
| `cancel_order` | yes | yes (then refund) | no | no | no | no | no-op replay |
| `void_payment` | yes | no | no | no | no | no | yes if still held |
| `refund_unshipped_items` | no | yes | no | no | no | no | yes if captured and not refunded |
| `refund_without_return` | no | no | with delivery exception | approval | approval | no | no |
| `request_return` | no | no | no | yes | approval | no | no |
| `refund_returned_items` | no | no | no | no | no | yes | no |
| `request_exchange` | no | no | no | yes | approval | no | no |
| `send_replacement` | no | no | with delivery exception | approval | approval | no | no |
| `refund_shipping_fee` | no | yes | yes | yes | approval | yes | no |
| `refund_shipping_difference` | no | yes | yes | yes | approval | yes | no |
| `refund_price_adjustment` | no | yes | yes | yes | no | no | no |
| `change_order_delivery_address` | yes | yes | no | no | no | no | no |
| `redirect_shipment` | no | no | yes | no | no | no | no |
";

#[test]
fn the_rules_are_the_table_of_the_design_cell_by_cell() {
    let drawn = markdown();
    let rows = |text: &str| -> Vec<Vec<String>> {
        text.lines().map(|line| line.split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
    };
    let (drawn_rows, design_rows) = (rows(&drawn), rows(DESIGN));
    assert_eq!(drawn_rows.len(), design_rows.len());
    for (drawn, design) in drawn_rows.iter().zip(&design_rows) {
        for (column, (drawn, design)) in drawn.iter().zip(design).enumerate() {
            assert_eq!(drawn, design, "{} in column {column} ({})", drawn, design_rows[0][column]);
        }
    }
    assert_eq!(drawn, DESIGN);
}

fn server(operation: Op, order: &OrderFacts) -> Verdict {
    verdict(operation, order, &Policy::default(), RulesMode::Server)
}

fn paid(lines: Vec<LineFacts>) -> OrderFacts {
    OrderFacts { has_captured: true, has_refundable: true, lines, ..OrderFacts::default() }
}

fn unshipped() -> LineFacts {
    LineFacts { unshipped: 1, ..LineFacts::default() }
}

fn shipped() -> LineFacts {
    LineFacts { shipped: 1, ..LineFacts::default() }
}

fn delivered(days_since_delivery: i64) -> LineFacts {
    LineFacts { delivered: 1, days_since_delivery, ..LineFacts::default() }
}

#[test]
fn a_partly_shipped_order_is_judged_by_its_goods() {
    let order = paid(vec![unshipped(), shipped(), delivered(3)]);
    for (operation, expected) in [
        (Op::CancelOrder, Verdict::No { rule: "order_has_shipped" }),
        (Op::ChangeOrderDeliveryAddress, Verdict::No { rule: "order_has_shipped" }),
        (Op::RefundUnshippedItems, Verdict::Yes),
        (Op::RedirectShipment, Verdict::Yes),
        (Op::RequestReturn, Verdict::Yes),
        (Op::RefundReturnedItems, Verdict::No { rule: "return_not_received" }),
    ] {
        assert_eq!(server(operation, &order), expected, "{operation}");
    }
    let on_line =
        |operation, line| line_verdict(operation, &order, &line, &Policy::default(), RulesMode::Server);
    assert_eq!(on_line(Op::RefundUnshippedItems, unshipped()), Verdict::Yes);
    assert_eq!(on_line(Op::RefundUnshippedItems, shipped()), Verdict::No { rule: "order_has_shipped" });
    assert_eq!(on_line(Op::RequestReturn, shipped()), Verdict::No { rule: "order_not_delivered" });
    assert_eq!(on_line(Op::RequestReturn, LineFacts::default()), Verdict::No { rule: "nothing_left" });
}

#[test]
fn windows_close_on_the_day_after_their_last() {
    for (days, returning, price) in [
        (0, Verdict::Yes, Verdict::Yes),
        (14, Verdict::Yes, Verdict::Yes),
        (15, Verdict::Yes, Verdict::No { rule: "price_match_window_closed" }),
        (30, Verdict::Yes, Verdict::No { rule: "price_match_window_closed" }),
        (31, Verdict::Approval, Verdict::No { rule: "price_match_window_closed" }),
    ] {
        let order = paid(vec![delivered(days)]);
        assert_eq!(server(Op::RequestReturn, &order), returning, "{days}");
        assert_eq!(server(Op::RefundPriceAdjustment, &order), price, "{days}");
    }
}

#[test]
fn an_unpaid_order_has_nothing_to_void_or_refund() {
    let order = OrderFacts { lines: vec![unshipped()], ..OrderFacts::default() };
    assert_eq!(server(Op::CancelOrder, &order), Verdict::Yes);
    assert_eq!(server(Op::VoidPayment, &order), Verdict::No { rule: "nothing_held" });
    assert_eq!(server(Op::RefundUnshippedItems, &order), Verdict::No { rule: "nothing_captured" });
    let refunded = OrderFacts { has_refundable: false, ..paid(vec![unshipped()]) };
    assert_eq!(server(Op::RefundUnshippedItems, &refunded), Verdict::No { rule: "already_refunded" });
}

#[test]
fn ui_rules_trust_the_caller_but_repeat_no_cancellation() {
    let ui = |operation, order: &OrderFacts| verdict(operation, order, &Policy::default(), RulesMode::Ui);
    for &operation in Op::ALL {
        for order in [paid(vec![unshipped()]), paid(vec![shipped()]), paid(vec![delivered(99)]), paid(vec![])]
        {
            assert_eq!(ui(operation, &order), Verdict::Yes, "{operation}");
        }
    }
    let cancelled = OrderFacts { is_cancelled: true, ..OrderFacts::default() };
    assert_eq!(ui(Op::CancelOrder, &cancelled), Verdict::AlreadyDone);
}

#[test]
fn the_tau2_policy_allows_one_change_and_one_request() {
    let policy = Policy::tau2();
    let judge = |operation, order: &OrderFacts| verdict(operation, order, &policy, RulesMode::Server);
    let edited = OrderFacts { was_edited: true, ..paid(vec![unshipped()]) };
    assert_eq!(judge(Op::CancelOrder, &edited), Verdict::No { rule: "order_was_edited" });
    assert_eq!(judge(Op::ChangeOrderDeliveryAddress, &edited), Verdict::Yes);
    assert_eq!(server(Op::CancelOrder, &edited), Verdict::Yes);
    let asked = OrderFacts { has_after_sales: true, ..paid(vec![delivered(0)]) };
    for operation in [Op::RequestReturn, Op::RequestExchange] {
        assert_eq!(judge(operation, &asked), Verdict::No { rule: "after_sales_already_requested" });
        assert_eq!(server(operation, &asked), Verdict::Yes);
    }
}

#[test]
fn an_order_view_says_which_doors_are_open_and_why_not() {
    let doors = |order: &OrderFacts| -> BTreeMap<Door, Verdict> {
        eligibility(order, &Policy::default(), RulesMode::Server).into_iter().collect()
    };
    let shipped_order = doors(&paid(vec![shipped()]));
    assert_eq!(shipped_order.len(), Door::ALL.len());
    assert_eq!(shipped_order[&Door::Refund].reason(), Some("order_has_shipped"));
    assert_eq!(shipped_order[&Door::Cancel].reason(), Some("order_has_shipped"));
    assert_eq!(shipped_order[&Door::ReturnRefund].reason(), Some("order_not_delivered"));
    assert_eq!(shipped_order[&Door::Replacement].reason(), Some("no_delivery_exception"));
    assert_eq!(shipped_order[&Door::Redirect], Verdict::Yes);
    let lost = doors(&paid(vec![LineFacts { has_exception: true, ..shipped() }]));
    assert_eq!((lost[&Door::Refund], lost[&Door::Replacement]), (Verdict::Yes, Verdict::Yes));
    let here = doors(&paid(vec![delivered(2)]));
    assert_eq!(here[&Door::Refund].reason(), Some("order_has_shipped"));
    assert_eq!(here[&Door::ReturnRefund], Verdict::Yes);
    assert_eq!(here[&Door::Replacement], Verdict::Approval);
    assert_eq!(here[&Door::Redirect].reason(), Some("order_delivered"));
}

#[test]
fn every_rule_has_words() {
    let policies = [Policy::default(), Policy::tau2()];
    let flags = [(false, false), (false, true), (true, false), (true, true)];
    let lines = [
        vec![],
        vec![unshipped()],
        vec![shipped()],
        vec![delivered(0)],
        vec![delivered(99)],
        vec![LineFacts { return_received: 1, ..LineFacts::default() }],
    ];
    for &operation in Op::ALL {
        for (policy, (is_cancelled, has_captured)) in policies.iter().flat_map(|p| flags.map(|f| (p, f))) {
            for lines in &lines {
                let order = OrderFacts {
                    is_cancelled,
                    has_captured,
                    was_edited: true,
                    has_after_sales: true,
                    lines: lines.clone(),
                    ..OrderFacts::default()
                };
                if let Some(rule) = verdict(operation, &order, policy, RulesMode::Server).reason() {
                    assert!(rule_text(rule).is_some(), "{rule} has no words");
                }
            }
        }
    }
    assert_eq!(rule_text("no_such_rule"), None);
}

#[test]
fn every_operation_of_the_table_is_one_of_the_shop() {
    assert!(Op::ALL.iter().all(|operation| crate::operations::find(operation.as_str()).is_some()));
}

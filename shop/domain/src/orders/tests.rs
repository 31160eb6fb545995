use super::*;
use crate::machine::check_moves;

#[test]
fn an_order_moves_only_along_its_table() {
    use {OrderEvent as E, OrderStatus as S};
    check_moves(
        S::ALL,
        E::ALL,
        S::after,
        &[
            (S::Draft, E::Placed, S::Pending),
            (S::Draft, E::Confirmed, S::Confirmed),
            (S::Draft, E::Cancelled, S::Cancelled),
            (S::Pending, E::Confirmed, S::Confirmed),
            (S::Pending, E::Held, S::OnHold),
            (S::Pending, E::Cancelled, S::Cancelled),
            (S::Confirmed, E::Held, S::OnHold),
            (S::Confirmed, E::Completed, S::Completed),
            (S::Confirmed, E::Cancelled, S::Cancelled),
            (S::OnHold, E::Released, S::Confirmed),
            (S::OnHold, E::Cancelled, S::Cancelled),
        ],
    );
}

#[test]
fn the_diagram_is_drawn_from_the_table() {
    let diagram = OrderStatus::diagram();
    assert!(diagram.starts_with("stateDiagram-v2\n    [*] --> draft\n    [*] --> pending\n"), "{diagram}");
    assert!(diagram.contains("    on_hold --> confirmed: released\n"), "{diagram}");
    assert!(diagram.contains("    cancelled --> [*]\n"), "{diagram}");
    assert_eq!(diagram.lines().count(), 1 + 2 + 11 + 2);
}

#[test]
fn the_money_status_follows_the_payments() {
    use {OrderPaymentStatus as O, PaymentState as P};
    for (payments, refunded_minor, expected) in [
        (vec![], 0, O::Unpaid),
        (vec![(P::Created, 0)], 0, O::Unpaid),
        (vec![(P::Failed, 0)], 0, O::Unpaid),
        (vec![(P::Authorizing, 0)], 0, O::Unpaid),
        (vec![(P::Authorized, 0)], 0, O::Authorized),
        (vec![(P::Failed, 0), (P::Authorized, 0)], 0, O::Authorized),
        (vec![(P::Capturing, 0)], 0, O::Authorized),
        (vec![(P::Authorized, 400)], 0, O::PartiallyPaid),
        (vec![(P::Captured, 400), (P::Captured, 600)], 0, O::Paid),
        (vec![(P::Captured, 1_000)], 1, O::PartiallyRefunded),
        (vec![(P::Captured, 1_000)], 1_000, O::Refunded),
        // An edit made it cheaper, or another payment took the place of the first one.
        (vec![(P::Captured, 1_100)], 100, O::Paid),
        (vec![(P::Captured, 1_000), (P::Captured, 1_000)], 1_000, O::Paid),
        (vec![(P::Captured, 1_100)], 101, O::PartiallyRefunded),
        (vec![(P::Voided, 0)], 0, O::Voided),
        (vec![(P::Voided, 0), (P::Captured, 1_000)], 0, O::Paid),
        (vec![(P::Unknown, 0), (P::Captured, 1_000)], 0, O::Unknown),
    ] {
        let money = OrderMoney {
            total_minor: 1_000,
            payments: payments
                .iter()
                .map(|&(state, captured_minor)| PaymentMoney { state, captured_minor })
                .collect(),
            refunded_minor,
            has_unknown_refund: false,
        };
        assert_eq!(order_payment_status(&money), expected, "{payments:?} refunded {refunded_minor}");
        let lost = OrderMoney { has_unknown_refund: true, ..money };
        assert_eq!(order_payment_status(&lost), O::Unknown);
    }
    assert_eq!(order_payment_status(&OrderMoney::default()), O::Paid);
}

#[test]
fn the_goods_status_follows_the_parcels() {
    use OrderFulfillmentStatus as O;
    for (units, shipped, delivered, returned, expected) in [
        (3, 0, 0, 0, O::Unfulfilled),
        (0, 0, 0, 0, O::Unfulfilled),
        (3, 2, 0, 0, O::Partial),
        (3, 2, 2, 2, O::Partial),
        (3, 3, 0, 0, O::Shipped),
        (3, 3, 2, 0, O::Shipped),
        (3, 3, 3, 0, O::Delivered),
        (3, 3, 3, 1, O::Delivered),
        (3, 3, 3, 3, O::Returned),
    ] {
        let goods = OrderGoods { units, shipped, delivered, returned, has_open_exception: false };
        assert_eq!(order_fulfillment_status(&goods), expected, "{goods:?}");
        let lost = OrderGoods { has_open_exception: true, ..goods };
        assert_eq!(order_fulfillment_status(&lost), O::Exception);
    }
}

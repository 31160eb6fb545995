use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::money::{Bps, Currency};
use crate::totals::{Basket, BasketLine, Discount, DiscountKind, Shipping, TaxMode, totals};

fn sale(tax_mode: TaxMode) -> Sale {
    let basket = Basket {
        currency: Currency::Eur,
        tax_mode,
        lines: vec![BasketLine { unit_price_minor: 1_000, quantity: 3, tax: Bps(1_900) }],
        discounts: vec![Discount {
            kind: DiscountKind::Fixed { amount_minor: 500 },
            lines: None,
            min_subtotal_minor: 0,
        }],
        shipping: Some(Shipping { price_minor: 490, tax: Bps(1_900) }),
    };
    Sale::of(&totals(&basket).unwrap()).unwrap()
}

fn books(events: impl IntoIterator<Item = Postings>) -> BTreeMap<Account, i64> {
    let mut books = BTreeMap::new();
    for postings in events {
        let postings = postings.unwrap();
        assert_eq!(balance(&postings), 0, "{postings:?}");
        for Posting { account, minor } in postings {
            *books.entry(account).or_insert(0) += minor;
        }
    }
    books.retain(|_, minor| *minor != 0);
    books
}

#[test]
fn a_sale_is_split_by_account() {
    let added = sale(TaxMode::Exclusive);
    assert_eq!(
        added,
        Sale {
            goods_minor: 3_000,
            shipping_minor: 490,
            discount_minor: 500,
            tax_minor: 475 + 93,
            total_minor: 3_558
        }
    );
    let contained = sale(TaxMode::Inclusive);
    assert_eq!(
        (contained.total_minor, contained.tax_minor, contained.shipping_minor),
        (2_990, 399 + 78, 412)
    );
    assert_eq!(contained.goods_minor, 2_990 - 477 - 412 + 500);
}

#[test]
fn a_paid_order_leaves_cash_and_revenue() {
    let sale = sale(TaxMode::Exclusive);
    let books =
        books([order_placed(&sale), captured(Tender::Gateway, 3_000), captured(Tender::GiftCard, 558)]);
    assert_eq!(
        books,
        BTreeMap::from([
            (Account::CashAtGateway, 3_000),
            (Account::GiftCards, 558),
            (Account::Discounts, 500),
            (Account::Revenue, -3_000),
            (Account::ShippingRevenue, -490),
            (Account::TaxPayable, -568),
        ])
    );
}

#[test]
fn a_cancelled_and_refunded_order_leaves_nothing() {
    let sale = sale(TaxMode::Inclusive);
    let parts = RefundParts { overpaid_minor: sale.total_minor, ..RefundParts::default() };
    let events = [
        order_placed(&sale),
        captured(Tender::Gateway, sale.total_minor),
        order_cancelled(&sale),
        refund_committed(&parts),
        refund_succeeded(Tender::Gateway, sale.total_minor),
    ];
    assert_eq!(books(events), BTreeMap::new());
}

#[test]
fn a_refund_to_store_credit_moves_no_cash() {
    let parts = RefundParts { goods_minor: 1_000, tax_minor: 190, ..RefundParts::default() };
    let committed = books([refund_committed(&parts)]);
    assert_eq!(committed[&Account::RefundsPayable], -1_190);
    let paid = books([refund_committed(&parts), refund_succeeded(Tender::StoreCredit, 1_190)]);
    let expected = [(Account::StoreCredit, -1_190), (Account::Revenue, 1_000), (Account::TaxPayable, 190)];
    assert_eq!(paid, BTreeMap::from(expected));
}

#[test]
fn what_is_undone_leaves_nothing() {
    let parts = RefundParts { overpaid_minor: 5, goods_minor: 70, shipping_minor: 20, tax_minor: 10 };
    for (event, undone) in [
        (refund_committed(&parts), refund_cancelled(&parts)),
        (refund_succeeded(Tender::Gateway, 105), refund_failed(Tender::Gateway, 105)),
        (store_credit_issued(500), store_credit_deducted(500)),
        (label_bought(390), label_voided(390)),
        (dispute_opened(999), dispute_won(999)),
    ] {
        assert_eq!(books([event, undone]), BTreeMap::new());
    }
}

#[test]
fn an_edit_leaves_the_books_of_the_new_order() {
    let (before, after) = (sale(TaxMode::Exclusive), sale(TaxMode::Inclusive));
    assert_eq!(books([order_placed(&before), order_edited(&before, &after)]), books([order_placed(&after)]));
    assert_eq!(order_edited(&before, &before), Ok(vec![]));
}

#[test]
fn value_given_away_is_goodwill() {
    let expected = BTreeMap::from([(Account::Goodwill, 1_500), (Account::StoreCredit, -1_500)]);
    assert_eq!(books([gift_card_issued(500), gift_card_redeemed(500), store_credit_issued(1_000)]), expected);
    let lost = books([dispute_opened(999), dispute_lost(999)]);
    assert_eq!(lost, BTreeMap::from([(Account::CashAtGateway, -999), (Account::Goodwill, 999)]));
}

#[test]
fn a_voided_gift_card_is_owed_to_nobody_and_was_given_all_the_same() {
    let expected = BTreeMap::from([(Account::Goodwill, 500), (Account::Breakage, -500)]);
    assert_eq!(books([gift_card_issued(500), gift_card_disabled(500)]), expected);
}

#[test]
fn negative_amounts_are_refused() {
    assert_eq!(captured(Tender::Gateway, -1), Err(LedgerError::Negative));
    let parts = RefundParts { goods_minor: -1, ..RefundParts::default() };
    assert_eq!(refund_committed(&parts), Err(LedgerError::Negative));
    let parts = RefundParts { goods_minor: i64::MAX, tax_minor: 1, ..RefundParts::default() };
    assert_eq!(refund_committed(&parts), Err(LedgerError::Overflow));
}

proptest! {
    #[test]
    fn cash_is_captures_minus_refunds_and_everything_sums_to_zero(
        events in proptest::collection::vec((0_u8..8, 0_i64..100_000), 0..60),
    ) {
        let tenders = [Tender::Gateway, Tender::GiftCard, Tender::StoreCredit, Tender::Offline];
        let (mut cash, mut all) = (0, Vec::new());
        for (kind, minor) in events {
            let tender = tenders[usize::from(kind % 4)];
            let sign = match (kind, tender) {
                (0..4, Tender::Gateway) => 1,
                (4.., Tender::Gateway) => -1,
                (_, Tender::GiftCard | Tender::StoreCredit | Tender::Offline) => 0,
            };
            cash += sign * minor;
            all.extend(if kind < 4 { captured(tender, minor) } else { refund_succeeded(tender, minor) }.unwrap());
        }
        let at_gateway: i64 = all.iter().filter(|p| p.account == Account::CashAtGateway).map(|p| p.minor).sum();
        prop_assert_eq!(at_gateway, cash);
        prop_assert_eq!(balance(&all), 0);
    }

    #[test]
    fn any_sale_balances(
        price in 0_i64..100_000, quantity in 0_u32..20, off in 0_i64..50_000, shipping in 0_i64..5_000,
        tax in 0_i64..2_600, exclusive: bool,
    ) {
        let basket = Basket {
            currency: Currency::Eur,
            tax_mode: if exclusive { TaxMode::Exclusive } else { TaxMode::Inclusive },
            lines: vec![BasketLine { unit_price_minor: price, quantity, tax: Bps(tax) }],
            discounts: vec![Discount {
                kind: DiscountKind::Fixed { amount_minor: off }, lines: None, min_subtotal_minor: 0,
            }],
            shipping: Some(Shipping { price_minor: shipping, tax: Bps(tax) }),
        };
        let sale = Sale::of(&totals(&basket).unwrap()).unwrap();
        prop_assert_eq!(balance(&order_placed(&sale).unwrap()), 0);
        prop_assert!(sale.goods_minor >= sale.discount_minor && sale.discount_minor >= 0);
    }
}

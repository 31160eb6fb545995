use proptest::prelude::*;

use super::*;

fn line(unit_price_minor: i64, quantity: u32, tax: i64) -> BasketLine {
    BasketLine { unit_price_minor, quantity, tax: Bps(tax) }
}

fn basket(tax_mode: TaxMode, lines: Vec<BasketLine>) -> Basket {
    Basket { currency: Currency::Eur, tax_mode, lines, discounts: vec![], shipping: None }
}

fn discount(kind: DiscountKind) -> Discount {
    Discount { kind, lines: None, min_subtotal_minor: 0 }
}

#[test]
fn tax_is_added_or_contained() {
    let lines = vec![line(1_000, 2, 1_900), line(500, 1, 700)];
    let shipping = Some(Shipping { price_minor: 490, tax: Bps(1_900) });
    let added = totals(&Basket { shipping, ..basket(TaxMode::Exclusive, lines.clone()) }).unwrap();
    assert_eq!(
        (added.subtotal_minor, added.tax_minor, added.total_minor),
        (2_500, 380 + 35 + 93, 2_990 + 508)
    );
    assert_eq!(added.shipping.total_minor, 583);
    let contained = totals(&Basket { shipping, ..basket(TaxMode::Inclusive, lines) }).unwrap();
    assert_eq!((contained.subtotal_minor, contained.total_minor), (2_500, 2_990));
    assert_eq!(contained.tax_minor, 319 + 33 + 78);
}

#[test]
fn discounts_are_shared_by_what_lines_cost() {
    let lines = vec![line(1_000, 1, 0), line(500, 1, 0), line(499, 1, 0)];
    let off = |discounts| {
        let totals = totals(&Basket { discounts, ..basket(TaxMode::Exclusive, lines.clone()) }).unwrap();
        totals.lines.iter().map(|line| line.discount_minor).collect::<Vec<_>>()
    };
    let percentage = discount(DiscountKind::Percentage { rate_bps: Bps(1_000) });
    let fixed = discount(DiscountKind::Fixed { amount_minor: 1_000 });
    assert_eq!(off(vec![percentage.clone()]), [100, 50, 50]);
    assert_eq!(off(vec![fixed.clone()]), [500, 250, 250]);
    assert_eq!(off(vec![Discount { lines: Some(vec![1, 2]), ..fixed.clone() }]), [0, 500, 499]);
    assert_eq!(off(vec![percentage.clone(), fixed.clone()]), [600, 300, 300]);
    assert_eq!(off(vec![fixed.clone(), fixed]), [1_000, 500, 499]);
    assert_eq!(off(vec![Discount { min_subtotal_minor: 2_000, ..percentage.clone() }]), [0, 0, 0]);
    assert_eq!(off(vec![Discount { min_subtotal_minor: 1_999, ..percentage.clone() }]), [100, 50, 50]);
    assert_eq!(off(vec![Discount { lines: Some(vec![9]), ..percentage }]), [0, 0, 0]);
}

#[test]
fn the_cheap_discounts_of_shops() {
    let mut basket = basket(TaxMode::Inclusive, vec![line(300, 7, 1_900), line(900, 2, 1_900)]);
    basket.discounts = vec![discount(DiscountKind::BuyXGetY { buy: 2, get: 1 })];
    let bought = totals(&basket).unwrap();
    assert_eq!((bought.lines[0].discount_minor, bought.lines[1].discount_minor), (600, 0));
    basket.discounts = vec![discount(DiscountKind::FreeShipping)];
    basket.shipping = Some(Shipping { price_minor: 490, tax: Bps(1_900) });
    let shipped = totals(&basket).unwrap();
    assert_eq!((shipped.shipping.discount_minor, shipped.shipping.total_minor), (490, 0));
    assert_eq!((shipped.discount_minor, shipped.total_minor), (490, 3_900));
    basket.discounts = vec![discount(DiscountKind::BuyXGetY { buy: 0, get: 0 })];
    assert_eq!(totals(&basket).unwrap().discount_minor, 0);
}

#[test]
fn each_discount_says_what_it_took() {
    let shipping = Some(Shipping { price_minor: 490, tax: Bps(1_900) });
    let mut basket = Basket { shipping, ..basket(TaxMode::Exclusive, vec![line(1_000, 3, 1_900)]) };
    basket.discounts = vec![
        discount(DiscountKind::BuyXGetY { buy: 2, get: 1 }),
        discount(DiscountKind::FreeShipping),
        discount(DiscountKind::Percentage { rate_bps: Bps(1_000) }),
        Discount { min_subtotal_minor: 3_001, ..discount(DiscountKind::Fixed { amount_minor: 100 }) },
        discount(DiscountKind::FreeShipping),
        Discount { lines: Some(vec![]), ..discount(DiscountKind::Fixed { amount_minor: 100 }) },
    ];
    let totals = totals(&basket).unwrap();
    assert_eq!(totals.discounts_minor, [1_000, 490, 200, 0, 0, 0]);
    assert_eq!(totals.discount_minor, 1_690);
}

proptest! {
    /// One discount more never makes anything dearer, and leaving one out changes nothing before it.
    #[test]
    fn a_further_discount_never_costs(basket in baskets()) {
        let mut fewer = basket.clone();
        if fewer.discounts.pop().is_some() {
            let (with, without) = (totals(&basket).unwrap(), totals(&fewer).unwrap());
            prop_assert!(with.total_minor <= without.total_minor);
            prop_assert_eq!(&with.discounts_minor[..fewer.discounts.len()], &without.discounts_minor[..]);
        }
    }
}

#[test]
fn nonsense_is_an_error() {
    for lines in [vec![line(-1, 1, 0)], vec![line(1, 1, -1)]] {
        assert_eq!(totals(&basket(TaxMode::Exclusive, lines)), Err(MoneyError::Negative));
    }
    let dear = basket(TaxMode::Exclusive, vec![line(i64::MAX, 2, 0)]);
    assert_eq!(totals(&dear), Err(MoneyError::Overflow));
    for kind in [DiscountKind::Fixed { amount_minor: -1 }, DiscountKind::Percentage { rate_bps: Bps(-1) }] {
        let basket =
            Basket { discounts: vec![discount(kind)], ..basket(TaxMode::Exclusive, vec![line(1, 1, 0)]) };
        assert_eq!(totals(&basket), Err(MoneyError::Negative));
    }
    let shipping = Some(Shipping { price_minor: -1, tax: Bps(0) });
    assert_eq!(totals(&Basket { shipping, ..basket(TaxMode::Exclusive, vec![]) }), Err(MoneyError::Negative));
    assert_eq!(totals(&basket(TaxMode::Exclusive, vec![])).unwrap().total_minor, 0);
}

#[test]
fn units_go_back_one_by_one_to_the_last_cent() {
    let totals = LineTotals { subtotal_minor: 1_000, total_minor: 1_000, ..LineTotals::default() };
    let mut line = PaidLine { totals, quantity: 3, refunded_quantity: 0, refunded_minor: 0 };
    let mut given = vec![];
    for _ in 0..4 {
        let worth = refundable_units(&line, 1).unwrap();
        given.push(worth);
        line.refunded_quantity = (line.refunded_quantity + 1).min(3);
        line.refunded_minor += worth;
    }
    assert_eq!(given, [333, 334, 333, 0]);
    let adjusted = PaidLine { refunded_quantity: 0, refunded_minor: 900, ..line };
    assert_eq!(refundable_units(&adjusted, 3), Ok(100));
}

#[test]
fn a_partly_captured_order_gives_back_only_what_came_in() {
    let totals = LineTotals { subtotal_minor: 1_000, tax_minor: 190, total_minor: 1_190, discount_minor: 0 };
    let paid = PaidLine { totals, quantity: 1, refunded_quantity: 0, refunded_minor: 0 };
    let order = PaidOrder {
        lines: vec![paid, paid],
        shipping: LineTotals { total_minor: 490, ..LineTotals::default() },
        shipping_refunded_minor: 100,
        captured_minor: 1_500,
        refunded_minor: 500,
    };
    let left = refundable(&order).unwrap();
    assert_eq!(left.lines[0], LineRefundable { quantity: 1, max_minor: 1_000, tax_minor: 160 });
    assert_eq!((left.shipping_minor, left.total_minor), (390, 1_000));
}

fn kinds() -> impl Strategy<Value = DiscountKind> {
    prop_oneof![
        (0_i64..15_000).prop_map(|rate| DiscountKind::Percentage { rate_bps: Bps(rate) }),
        (0_i64..200_000).prop_map(|amount_minor| DiscountKind::Fixed { amount_minor }),
        Just(DiscountKind::FreeShipping),
        (0_u32..4, 0_u32..4).prop_map(|(buy, get)| DiscountKind::BuyXGetY { buy, get }),
    ]
}

fn baskets() -> impl Strategy<Value = Basket> {
    let lines = proptest::collection::vec((0_i64..100_000, 0_u32..20, 0_i64..2_600), 0..8);
    let positions = proptest::option::of(proptest::collection::vec(0_usize..10, 0..4));
    let discounts = proptest::collection::vec((kinds(), positions, 0_i64..100_000), 0..4);
    let shipping = proptest::option::of((0_i64..5_000, 0_i64..2_600));
    (any::<bool>(), lines, discounts, shipping).prop_map(|(exclusive, lines, discounts, shipping)| Basket {
        currency: Currency::Eur,
        tax_mode: if exclusive { TaxMode::Exclusive } else { TaxMode::Inclusive },
        lines: lines.into_iter().map(|(price, quantity, tax)| line(price, quantity, tax)).collect(),
        discounts: discounts
            .into_iter()
            .map(|(kind, lines, min_subtotal_minor)| Discount { kind, lines, min_subtotal_minor })
            .collect(),
        shipping: shipping.map(|(price_minor, tax)| Shipping { price_minor, tax: Bps(tax) }),
    })
}

proptest! {
    #[test]
    fn parts_sum_to_the_whole_and_are_never_negative(basket in baskets()) {
        let totals = totals(&basket).unwrap();
        prop_assert_eq!(totals.lines.len(), basket.lines.len());
        let all: Vec<&LineTotals> = totals.lines.iter().chain([&totals.shipping]).collect();
        prop_assert_eq!(all.iter().map(|l| l.total_minor).sum::<i64>(), totals.total_minor);
        prop_assert_eq!(all.iter().map(|l| l.tax_minor).sum::<i64>(), totals.tax_minor);
        prop_assert_eq!(all.iter().map(|l| l.discount_minor).sum::<i64>(), totals.discount_minor);
        prop_assert_eq!(totals.discounts_minor.len(), basket.discounts.len());
        prop_assert_eq!(totals.discounts_minor.iter().sum::<i64>(), totals.discount_minor);
        prop_assert!(totals.discounts_minor.iter().all(|minor| *minor >= 0));
        for line in all {
            prop_assert!(line.total_minor >= 0 && line.tax_minor >= 0 && line.discount_minor >= 0);
            prop_assert!(line.discount_minor <= line.subtotal_minor);
            let added = if basket.tax_mode == TaxMode::Exclusive { line.tax_minor } else { 0 };
            prop_assert_eq!(line.subtotal_minor - line.discount_minor + added, line.total_minor);
        }
    }

    #[test]
    fn refunds_of_units_and_shipping_never_exceed_the_capture(
        basket in baskets(),
        part in 0_i64..=100,
        asks in proptest::collection::vec((0_usize..8, 1_u32..5), 0..40),
    ) {
        let totals = totals(&basket).unwrap();
        let quantities = basket.lines.iter().map(|line| line.quantity);
        let mut order = PaidOrder {
            lines: totals.lines.iter().zip(quantities)
                .map(|(totals, quantity)| PaidLine { totals: *totals, quantity, refunded_quantity: 0, refunded_minor: 0 })
                .collect(),
            shipping: totals.shipping,
            shipping_refunded_minor: 0,
            captured_minor: totals.total_minor * part / 100,
            refunded_minor: 0,
        };
        for (at, units) in asks {
            let left = refundable(&order).unwrap();
            if let (Some(line), Some(max)) = (order.lines.get_mut(at), left.lines.get(at)) {
                let amount = refundable_units(line, units).unwrap().min(max.max_minor);
                line.refunded_quantity = line.quantity.min(line.refunded_quantity + units);
                line.refunded_minor += amount;
                order.refunded_minor += amount;
                prop_assert!(line.refunded_minor <= line.totals.total_minor);
            }
        }
        let left = refundable(&order).unwrap();
        order.shipping_refunded_minor += left.shipping_minor;
        order.refunded_minor += left.shipping_minor;
        prop_assert!(order.refunded_minor <= order.captured_minor);
        prop_assert!(left.total_minor >= 0);
    }
}

use proptest::prelude::*;

use super::*;

fn eur(minor: i64) -> Money {
    Money::new(minor, Currency::Eur)
}

#[test]
fn amounts_of_two_currencies_never_meet() {
    let mismatch = MoneyError::CurrencyMismatch { left: Currency::Eur, right: Currency::Usd };
    assert_eq!(eur(1).add(Money::new(1, Currency::Usd)), Err(mismatch));
    assert_eq!(eur(1).sub(Money::new(1, Currency::Usd)), Err(mismatch));
    assert_eq!(mismatch.to_string(), "cannot combine EUR with USD");
}

#[test]
fn too_much_is_an_error_and_never_wraps() {
    assert_eq!(eur(i64::MAX).add(eur(1)), Err(MoneyError::Overflow));
    assert_eq!(eur(i64::MIN).sub(eur(1)), Err(MoneyError::Overflow));
    assert_eq!(eur(i64::MAX).mul_quantity(2), Err(MoneyError::Overflow));
    assert_eq!(Bps(20_000).of(i64::MAX), Err(MoneyError::Overflow));
}

#[test]
fn amounts_read_like_prices() {
    for (money, text) in [
        (eur(1999), "19.99 EUR"),
        (eur(-5), "-0.05 EUR"),
        (eur(i64::MIN), "-92233720368547758.08 EUR"),
        (Money::new(700, Currency::Jpy), "700 JPY"),
    ] {
        assert_eq!(money.to_string(), text);
    }
}

#[test]
fn money_on_the_wire() {
    let json = serde_json::json!({"minor": 1999, "currency": "EUR"});
    assert_eq!(serde_json::to_value(eur(1999)).unwrap(), json);
    assert_eq!(serde_json::from_value::<Money>(json).unwrap(), eur(1999));
    assert!(serde_json::from_str::<Money>(r#"{"minor": 19.99, "currency": "EUR"}"#).is_err());
}

#[test]
fn rates_round_half_to_even() {
    for (minor, rate, expected) in [
        (1999, 1900, 380),
        (50, 100, 0),
        (150, 100, 2),
        (250, 100, 2),
        (-50, 100, 0),
        (-150, 100, -2),
        (0, 1900, 0),
    ] {
        assert_eq!(Bps(rate).of(minor), Ok(expected), "{rate} bps of {minor}");
    }
    assert_eq!(Bps(1900).contained_in(11_900), Ok(1_900));
    assert_eq!(Bps(0).contained_in(11_900), Ok(0));
}

#[test]
fn the_largest_remainders_get_the_rest() {
    assert_eq!(split(100, &[1, 1, 1]), Ok(vec![34, 33, 33]));
    assert_eq!(split(100, &[1, 2, 4]), Ok(vec![14, 29, 57]));
    assert_eq!(split(-100, &[1, 1, 1]), Ok(vec![-34, -33, -33]));
    assert_eq!(split(5, &[0, 3, 0]), Ok(vec![0, 5, 0]));
    assert_eq!(split(0, &[0, 0]), Ok(vec![0, 0]));
    assert_eq!(split(1, &[0, 0]), Err(MoneyError::BadWeights));
    assert_eq!(split(1, &[]), Err(MoneyError::BadWeights));
    assert_eq!(split(1, &[2, -1]), Err(MoneyError::BadWeights));
}

proptest! {
    #[test]
    fn shares_sum_to_the_whole_and_are_off_by_less_than_one(
        total: i64,
        weights in proptest::collection::vec(0_i64..1_000_000, 1..20),
    ) {
        prop_assume!(weights.iter().sum::<i64>() > 0);
        let shares = split(total, &weights).unwrap();
        let sum: i128 = weights.iter().map(|w| i128::from(*w)).sum();
        prop_assert_eq!(shares.iter().map(|s| i128::from(*s)).sum::<i128>(), i128::from(total));
        for (share, weight) in shares.iter().zip(&weights) {
            let exact = i128::from(total) * i128::from(*weight);
            prop_assert!((i128::from(*share) * sum - exact).abs() < sum);
        }
    }

    #[test]
    fn rounding_is_off_by_at_most_half(minor in -1_000_000_000_i64..1_000_000_000, rate in 0_i64..20_000) {
        let rounded = i128::from(Bps(rate).of(minor).unwrap());
        let exact = i128::from(minor) * i128::from(rate);
        prop_assert!((rounded * 10_000 - exact).abs() <= 5_000);
    }
}

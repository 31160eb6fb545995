//! Money: integer minor units with a currency, checked arithmetic, exact splits, one rounding rule.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use utoipa::ToSchema;

use crate::words::words;

words! {
    /// ISO 4217 code of a currency the shop trades in.
    pub enum Currency {
        Eur = "EUR",
        Usd = "USD",
        Gbp = "GBP",
        Chf = "CHF",
        Sek = "SEK",
        Dkk = "DKK",
        Nok = "NOK",
        Pln = "PLN",
        Czk = "CZK",
        Cad = "CAD",
        Aud = "AUD",
        Jpy = "JPY",
    }
}

/// A currency is part of a key, and never a number.
impl sea_orm::TryFromU64 for Currency {
    fn try_from_u64(_: u64) -> Result<Self, sea_orm::DbErr> {
        Err(sea_orm::DbErr::ConvertFromU64("Currency"))
    }
}

impl Currency {
    /// How many digits of an amount are behind the decimal point.
    #[must_use]
    pub const fn minor_digits(self) -> u32 {
        match self {
            Self::Jpy => 0,
            Self::Eur
            | Self::Usd
            | Self::Gbp
            | Self::Chf
            | Self::Sek
            | Self::Dkk
            | Self::Nok
            | Self::Pln
            | Self::Czk
            | Self::Cad
            | Self::Aud => 2,
        }
    }
}

/// Why an amount could not be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum MoneyError {
    /// Two currencies met in one computation.
    #[error("cannot combine {left} with {right}")]
    CurrencyMismatch {
        /// Currency of the left operand.
        left: Currency,
        /// Currency of the right operand.
        right: Currency,
    },
    /// The result does not fit.
    #[error("the amount is too large")]
    Overflow,
    /// An amount has nobody to be split among, or a weight is negative.
    #[error("an amount cannot be split over weights that are negative or sum to zero")]
    BadWeights,
    /// A price, quantity or rate below zero where only facts of the shop are expected.
    #[error("an amount, quantity or rate is negative")]
    Negative,
}

/// An amount of money. On the wire: `{"minor": 1999, "currency": "EUR"}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"minor": 1999, "currency": "EUR"}))]
pub struct Money {
    /// Amount in minor units: 1999 is 19.99 EUR.
    pub minor: i64,
    /// Currency of the amount.
    pub currency: Currency,
}

#[expect(clippy::should_implement_trait, reason = "operators cannot return an error, and these must")]
impl Money {
    /// An amount of minor units.
    #[must_use]
    pub const fn new(minor: i64, currency: Currency) -> Self {
        Self { minor, currency }
    }

    /// Nothing, in a currency.
    #[must_use]
    pub const fn zero(currency: Currency) -> Self {
        Self { minor: 0, currency }
    }

    /// The sum of two amounts of one currency.
    pub fn add(self, other: Self) -> Result<Self, MoneyError> {
        self.same_currency(other)?;
        let minor = self.minor.checked_add(other.minor).ok_or(MoneyError::Overflow)?;
        Ok(Self { minor, ..self })
    }

    /// The difference of two amounts of one currency; may be negative.
    pub fn sub(self, other: Self) -> Result<Self, MoneyError> {
        self.same_currency(other)?;
        let minor = self.minor.checked_sub(other.minor).ok_or(MoneyError::Overflow)?;
        Ok(Self { minor, ..self })
    }

    /// The amount for a number of units.
    pub fn mul_quantity(self, quantity: u32) -> Result<Self, MoneyError> {
        let minor = self.minor.checked_mul(i64::from(quantity)).ok_or(MoneyError::Overflow)?;
        Ok(Self { minor, ..self })
    }

    /// Shares in proportion to `weights`; they sum exactly to `self`.
    pub fn split(self, weights: &[i64]) -> Result<Vec<Self>, MoneyError> {
        let shares = split(self.minor, weights)?;
        Ok(shares.into_iter().map(|minor| Self { minor, ..self }).collect())
    }

    /// A rate of this amount, rounded half to even.
    pub fn rate(self, rate: Bps) -> Result<Self, MoneyError> {
        Ok(Self { minor: rate.of(self.minor)?, ..self })
    }

    fn same_currency(self, other: Self) -> Result<(), MoneyError> {
        if self.currency == other.currency {
            return Ok(());
        }
        Err(MoneyError::CurrencyMismatch { left: self.currency, right: other.currency })
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.currency.minor_digits();
        let unit = 10_u64.pow(digits);
        let sign = if self.minor < 0 { "-" } else { "" };
        let (whole, part) = (self.minor.unsigned_abs() / unit, self.minor.unsigned_abs() % unit);
        match usize::try_from(digits) {
            Ok(width) if width > 0 => write!(f, "{sign}{whole}.{part:0width$} {}", self.currency),
            Ok(_) | Err(_) => write!(f, "{sign}{whole} {}", self.currency),
        }
    }
}

/// Ten thousandths: 1900 is 19 %.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    ToSchema,
    sea_orm::DeriveValueType,
)]
#[serde(transparent)]
#[schema(example = 1900)]
pub struct Bps(pub i64);

impl Bps {
    /// All of it.
    pub const WHOLE: Self = Self(10_000);

    /// This rate of an amount, rounded half to even.
    pub fn of(self, minor: i64) -> Result<i64, MoneyError> {
        scale(minor, self.0, Self::WHOLE.0)
    }

    /// The part of a gross amount that this rate has added to a net amount.
    pub fn contained_in(self, gross_minor: i64) -> Result<i64, MoneyError> {
        let whole = Self::WHOLE.0.checked_add(self.0).ok_or(MoneyError::Overflow)?;
        scale(gross_minor, self.0, whole)
    }
}

/// `minor * numerator / denominator`, rounded half to even: the only rounding of money in the shop.
pub fn scale(minor: i64, numerator: i64, denominator: i64) -> Result<i64, MoneyError> {
    if denominator <= 0 {
        return Err(MoneyError::BadWeights);
    }
    let product = i128::from(minor) * i128::from(numerator);
    let denominator = i128::from(denominator);
    let (floor, rest) = (product.div_euclid(denominator), product.rem_euclid(denominator));
    let rounds_up = match (rest * 2).cmp(&denominator) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Equal => floor.rem_euclid(2) == 1,
        std::cmp::Ordering::Greater => true,
    };
    i64::try_from(floor + i128::from(rounds_up)).map_err(|_| MoneyError::Overflow)
}

/// Shares of `total` in proportion to `weights` by largest remainder, earlier shares first on a tie.
pub fn split(total: i64, weights: &[i64]) -> Result<Vec<i64>, MoneyError> {
    if weights.iter().any(|weight| *weight < 0) {
        return Err(MoneyError::BadWeights);
    }
    let sum: i128 = weights.iter().map(|weight| i128::from(*weight)).sum();
    if sum == 0 {
        return if total == 0 { Ok(vec![0; weights.len()]) } else { Err(MoneyError::BadWeights) };
    }
    let size = i128::from(total).abs();
    let mut shares: Vec<i128> = Vec::with_capacity(weights.len());
    let mut remainders: Vec<(i128, usize)> = Vec::with_capacity(weights.len());
    for (position, weight) in weights.iter().enumerate() {
        let product = size * i128::from(*weight);
        shares.push(product / sum);
        remainders.push((product % sum, position));
    }
    remainders.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut rest = size - shares.iter().sum::<i128>();
    for (_, position) in remainders {
        if rest == 0 {
            break;
        }
        if let Some(share) = shares.get_mut(position) {
            *share += 1;
            rest -= 1;
        }
    }
    let sign = i128::from(total.signum());
    shares.into_iter().map(|share| i64::try_from(share * sign).map_err(|_| MoneyError::Overflow)).collect()
}

#[cfg(test)]
mod tests;

//! Who need not pay tax, and where.

use chrono::{DateTime, Utc};

use crate::address::Address;

/// What a certificate of exemption says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exemption<'a> {
    /// Of which country: an ISO 3166-1 alpha-2 code.
    pub country: &'a str,
    /// Of which state or province; of the whole country when `None`.
    pub region: Option<&'a str>,
    /// Until when, that moment excluded; for good when `None`.
    pub valid_until: Option<DateTime<Utc>>,
}

impl Exemption<'_> {
    /// Whether nothing that is delivered there is taxed.
    #[must_use]
    pub fn covers(&self, address: &Address, now: DateTime<Utc>) -> bool {
        self.country == address.country
            && self.region.is_none_or(|region| region == address.region)
            && self.valid_until.is_none_or(|end| now < end)
    }
}

/// Whether two addresses lie where the same tax is due.
#[must_use]
pub fn is_same_place(one: &Address, other: &Address) -> bool {
    one.country == other.country && one.region == other.region
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_covers_its_place_and_time() {
        let at = |second| DateTime::from_timestamp(second, 0).unwrap();
        let austin = Address {
            name: "Ada".into(),
            line1: "1 Congress Avenue".into(),
            line2: String::new(),
            city: "Austin".into(),
            region: "TX".into(),
            postal_code: "78701".into(),
            country: "US".into(),
        };
        for (country, region, valid_until, expected) in [
            ("US", None, None, true),
            ("US", Some("TX"), None, true),
            ("US", Some("NY"), None, false),
            ("DE", None, None, false),
            ("US", None, Some(at(11)), true),
            ("US", None, Some(at(10)), false),
        ] {
            let exemption = Exemption { country, region, valid_until };
            assert_eq!(exemption.covers(&austin, at(10)), expected, "{exemption:?}");
        }
        let dallas = Address { city: "Dallas".into(), ..austin.clone() };
        let york = Address { region: "NY".into(), ..austin.clone() };
        assert!(is_same_place(&austin, &dallas) && !is_same_place(&austin, &york));
    }
}

//! Towns with their postal codes and regions, so that taxes and zones apply as they should.

use super::Where;

/// Town, postal code, region.
pub(super) type Town = (&'static str, &'static str, &'static str);

const GERMANY: [Town; 6] = [
    ("Berlin", "10119", ""),
    ("Hamburg", "20457", ""),
    ("Leipzig", "04109", ""),
    ("München", "80331", ""),
    ("Köln", "50667", ""),
    ("Dresden", "01067", ""),
];

const BRITAIN: [Town; 5] = [
    ("London", "SE1 7PB", ""),
    ("Leeds", "LS1 4DY", ""),
    ("Bristol", "BS1 5TR", ""),
    ("Edinburgh", "EH1 1YZ", ""),
    ("Cardiff", "CF10 1EP", ""),
];

const AMERICA: [Town; 6] = [
    ("Austin", "78701", "TX"),
    ("Brooklyn", "11201", "NY"),
    ("Oakland", "94607", "CA"),
    ("Portland", "97205", "OR"),
    ("Columbus", "43215", "OH"),
    ("Denver", "80202", "CO"),
];

pub(super) const fn towns(which: Where) -> &'static [Town] {
    match which {
        Where::De => &GERMANY,
        Where::Gb => &BRITAIN,
        Where::Us => &AMERICA,
    }
}

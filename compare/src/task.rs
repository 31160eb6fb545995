//! Own tasks: one file each, embedded.

use anyhow::Context as _;
use serde::Deserialize;

use crate::checks::Expect;
use crate::intent::Intent;

/// One request with its world, and what must be so afterwards.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Task {
    /// The file's name without its ending.
    #[serde(skip)]
    pub(crate) id: String,
    pub(crate) title: String,
    /// In a customer's words.
    pub(crate) request: String,
    /// Whose token is used: a name of the ready line.
    pub(crate) actor: String,
    /// What the same person did before, through the plain tools; it is part of the world.
    pub(crate) earlier: Option<Intent>,
    /// Faults of the gateway, as the command line writes them.
    #[serde(default)]
    pub(crate) faults: Vec<String>,
    /// Whether a lead signs off what waits for one.
    #[serde(default)]
    pub(crate) lead_approves: bool,
    /// The shop is expected to say no, by one of these rules.
    #[serde(default)]
    pub(crate) refused_because: Vec<String>,
    pub(crate) intent: Intent,
    #[serde(default)]
    pub(crate) expect: Expect,
}

/// Every file of `tasks/`.
const FILES: &[(&str, &str)] = &[
    ("01-checkout", include_str!("../tasks/01-checkout.toml")),
    ("02-checkout-coupon", include_str!("../tasks/02-checkout-coupon.toml")),
    ("03-checkout-store-credit", include_str!("../tasks/03-checkout-store-credit.toml")),
    ("04-checkout-split", include_str!("../tasks/04-checkout-split.toml")),
    ("05-checkout-declined", include_str!("../tasks/05-checkout-declined.toml")),
    ("06-checkout-lost-authorize", include_str!("../tasks/06-checkout-lost-authorize.toml")),
    ("07-checkout-lost-capture", include_str!("../tasks/07-checkout-lost-capture.toml")),
    ("08-checkout-sold-out", include_str!("../tasks/08-checkout-sold-out.toml")),
    ("09-refund-unshipped", include_str!("../tasks/09-refund-unshipped.toml")),
    ("10-cancel-authorized", include_str!("../tasks/10-cancel-authorized.toml")),
    ("11-cancel-paid", include_str!("../tasks/11-cancel-paid.toml")),
    ("12-return", include_str!("../tasks/12-return.toml")),
    ("13-refund-returned", include_str!("../tasks/13-refund-returned.toml")),
    ("14-refund-returned-credit", include_str!("../tasks/14-refund-returned-credit.toml")),
    ("15-exchange", include_str!("../tasks/15-exchange.toml")),
    ("16-lost-refund", include_str!("../tasks/16-lost-refund.toml")),
    ("17-lost-replacement", include_str!("../tasks/17-lost-replacement.toml")),
    ("18-shipping-difference", include_str!("../tasks/18-shipping-difference.toml")),
    ("19-shipping-fee", include_str!("../tasks/19-shipping-fee.toml")),
    ("20-missed-coupon", include_str!("../tasks/20-missed-coupon.toml")),
    ("21-refund-above-limit", include_str!("../tasks/21-refund-above-limit.toml")),
    ("22-return-late", include_str!("../tasks/22-return-late.toml")),
    ("23-damaged-keep", include_str!("../tasks/23-damaged-keep.toml")),
    ("24-address-unshipped", include_str!("../tasks/24-address-unshipped.toml")),
    ("25-address-in-transit", include_str!("../tasks/25-address-in-transit.toml")),
    ("26-address-delivered", include_str!("../tasks/26-address-delivered.toml")),
    ("27-profile-address", include_str!("../tasks/27-profile-address.toml")),
    ("28-track", include_str!("../tasks/28-track.toml")),
    ("29-cancel-shipped", include_str!("../tasks/29-cancel-shipped.toml")),
];

/// All own tasks, in the order of their files.
pub(crate) fn all() -> anyhow::Result<Vec<Task>> {
    FILES.iter().map(|(id, text)| parse(id, text)).collect()
}

fn parse(id: &str, text: &str) -> anyhow::Result<Task> {
    let task: Task = toml::from_str(text).with_context(|| format!("tasks/{id}.toml"))?;
    Ok(Task { id: id.to_owned(), ..task })
}

#[cfg(test)]
mod tests;

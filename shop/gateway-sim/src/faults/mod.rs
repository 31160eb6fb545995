//! The faults: one file each, one line in [`ALL`]. The flag, the admin call, the docs row and the matrix test
//! follow from that line.
//!
//! A fault decides what the caller hears, and through `Bend` what the gateway does; it has no other way to touch the
//! books, so the ledger is true under every fault.

mod cut_body;
mod decline;
mod duplicate_effect;
mod http_429;
mod http_500;
mod http_502;
mod http_503;
mod http_504;
mod late_success;
mod lost_answer;
mod partial_capture;
mod refund_fails_later;
mod schema_drift;
mod silent_failure;
mod slow;
mod stale_read;
mod timeout_after;
mod timeout_before;
mod truncated_json;
mod webhook_bad_signature;
mod webhook_delay;
mod webhook_drop;
mod webhook_duplicate;
mod wrong_amount;
mod wrong_content_type;

use shop_gateway::wire::Operation;
use shop_world::{FaultRule, Placement};

use crate::exchange::{Delivery, Exchange};
use crate::refusals::{self, Refusal};
use crate::webhooks::Parcel;

/// One way to fail.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// Its name in scripts and flags.
    pub name: &'static str,
    pub summary: &'static str,
    /// What a client that survives it has learned.
    pub teaches: &'static str,
    pub operations: &'static [Operation],
    pub placements: &'static [Placement],
    pub default_placement: Placement,
    pub apply: Apply,
}

/// What a fault works on. With [`Placement::After`] the effect has happened when it is called.
#[derive(Clone, Copy, Debug)]
pub enum Apply {
    Call(fn(&mut Exchange) -> Delivery),
    Webhook(fn(&mut Parcel)),
}

/// Every fault.
pub static ALL: &[Fault] = &[
    decline::FAULT,
    lost_answer::FAULT,
    timeout_before::FAULT,
    timeout_after::FAULT,
    late_success::FAULT,
    slow::FAULT,
    silent_failure::FAULT,
    duplicate_effect::FAULT,
    wrong_amount::FAULT,
    partial_capture::FAULT,
    refund_fails_later::FAULT,
    stale_read::FAULT,
    http_429::FAULT,
    http_500::FAULT,
    http_502::FAULT,
    http_503::FAULT,
    http_504::FAULT,
    wrong_content_type::FAULT,
    truncated_json::FAULT,
    schema_drift::FAULT,
    cut_body::FAULT,
    webhook_drop::FAULT,
    webhook_delay::FAULT,
    webhook_duplicate::FAULT,
    webhook_bad_signature::FAULT,
];

const WRITES: &[Operation] =
    &[Operation::Authorize, Operation::Capture, Operation::Void, Operation::Refund, Operation::Dispute];
const CALLS: &[Operation] = &[
    Operation::Authorize,
    Operation::Capture,
    Operation::Void,
    Operation::Refund,
    Operation::Dispute,
    Operation::Lookup,
    Operation::Fence,
];
const WEBHOOKS: &[Operation] = &[Operation::Webhook];
const ONLY_BEFORE: &[Placement] = &[Placement::Before];
const ONLY_AFTER: &[Placement] = &[Placement::After];
const EITHER: &[Placement] = &[Placement::Before, Placement::After];

impl Fault {
    #[must_use]
    pub fn is_for(&self, operation: Operation) -> bool {
        self.operations.contains(&operation)
    }
}

/// A fault that was chosen for a call.
#[derive(Clone, Copy, Debug)]
pub struct Injection {
    pub fault: &'static Fault,
    /// What the bank says, if the fault is a decline.
    pub decline: Refusal,
    /// The placement the script asks for.
    pub asked: Option<Placement>,
}

/// The fault with this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Fault> {
    ALL.iter().find(|fault| fault.name == name)
}

/// What a script means by a name: a fault, or a decline code as a short way to write that decline.
#[must_use]
pub fn named(name: &str) -> Option<Injection> {
    if let Some(decline) = refusals::find_decline(name) {
        return find(decline::FAULT.name).map(|fault| Injection { fault, decline, asked: None });
    }
    find(name).map(|fault| Injection { fault, decline: refusals::GENERIC_DECLINE, asked: None })
}

/// Checks a rule before it is put into a script.
///
/// # Errors
/// Says which fault, operation or placement would do.
pub fn check(rule: &FaultRule) -> Result<Injection, String> {
    let found = named(&rule.fault).ok_or_else(|| {
        let names: Vec<_> = ALL.iter().map(|fault| fault.name).collect();
        let codes = refusals::DECLINES.map(|refusal| refusal.code);
        format!(
            "`{}` is no fault of the gateway; known are {}, and the decline codes {}",
            rule.fault,
            names.join(", "),
            codes.join(", ")
        )
    })?;
    let operations: Vec<_> = found.fault.operations.iter().map(|operation| operation.name()).collect();
    if rule.operation.as_deref().is_some_and(|wanted| !operations.contains(&wanted)) {
        return Err(format!("`{}` can strike {}", rule.fault, operations.join(", ")));
    }
    if rule.placement.is_some_and(|wanted| !found.fault.placements.contains(&wanted)) {
        return Err(format!(
            "`{}` can only strike {:?} the effect",
            rule.fault, found.fault.default_placement
        ));
    }
    Ok(found)
}

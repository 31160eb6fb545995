//! Who may do what to whom, and when a second person must agree: pure decisions.
//!
//! Every call passes one pipeline: schema → capability → object scope → risk → approval → execution. Each layer
//! answers with a [`Decision`] that names the layer and says why, because the audit log records both.

use crate::operations::Operation;
use crate::words::words;

mod capability;
mod principal;
mod risk;
mod role;

pub use capability::Capability;
pub use principal::{Grant, OnBehalfOf, Owner, Principal, Scope};
pub use risk::{Factor, FactorKind, Gate, Risk, RiskFacts, RiskLevel, gate, risk};
pub use role::Role;

words! {
    /// A step of the pipeline that every call passes.
    pub enum Layer {
        Schema = "schema",
        Capability = "capability",
        Scope = "scope",
        Risk = "risk",
        Approval = "approval",
    }

    /// Where a role is given.
    pub enum ScopeLevel {
        Tenant = "tenant",
        Brand = "brand",
        Store = "store",
        /// Where the member works already.
        Own = "self",
    }

    /// What a layer answers.
    pub enum Answer {
        Allow = "allow",
        Deny = "deny",
        /// Somebody else must agree first.
        NeedsApproval = "needs_approval",
    }
}

/// What was decided, by which layer, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The answer.
    pub answer: Answer,
    /// The layer that gave it.
    pub layer: Layer,
    /// The reason, in words.
    pub why: String,
}

impl Decision {
    /// A yes of one layer.
    pub fn allow(layer: Layer, why: impl Into<String>) -> Self {
        Self { answer: Answer::Allow, layer, why: why.into() }
    }

    /// A no of one layer.
    pub fn deny(layer: Layer, why: impl Into<String>) -> Self {
        Self { answer: Answer::Deny, layer, why: why.into() }
    }

    /// A layer wants a second person.
    pub fn needs_approval(layer: Layer, why: impl Into<String>) -> Self {
        Self { answer: Answer::NeedsApproval, layer, why: why.into() }
    }

    /// Whether the call may go on to the next layer.
    #[must_use]
    pub fn is_allowed(&self) -> bool {
        self.answer == Answer::Allow
    }
}

/// Operations whose capability shoppers hold for its other operations.
const STAFF_ONLY: &[&str] = &[
    "list_inventory_levels",
    "list_reservations",
    "list_locations",
    "set_inventory_level",
    "adjust_inventory",
    "create_inventory_transfer",
    "receive_inventory_transfer",
    "list_price_lists",
    "list_customers",
    "create_customer",
    "merge_customers",
    "block_customer",
    "list_gift_cards",
    "issue_gift_card",
    "disable_gift_card",
    "create_draft_order",
    "confirm_order",
    "hold_order",
    "release_order_hold",
    "get_order_risk",
    "list_order_notes",
    "create_fulfillment",
    "buy_shipping_label",
    "void_shipping_label",
    "mark_fulfillment_shipped",
    "mark_fulfillment_delivered",
    "cancel_fulfillment",
    "update_tracking_number",
    "receive_return_items",
    "inspect_return_items",
    "ship_exchange_items",
];

/// Operations that give value away for nothing in return: a shopper gets them only when staff agree.
const STAFF_AGREES: &[&str] = &["refund_without_return", "send_replacement"];

/// Whether a principal holds a capability.
#[must_use]
pub fn may(principal: &Principal, capability: Capability) -> Decision {
    if principal.is_agent && capability == Capability::ApprovalsDecide {
        return Decision::deny(
            Layer::Approval,
            "an agent never decides approvals; a person must, on the console",
        );
    }
    match principal.holds(capability) {
        Some(role) => Decision::allow(Layer::Capability, format!("{role} holds {capability}")),
        None => {
            Decision::deny(Layer::Capability, format!("{} does not hold {capability}", principal.roles()))
        }
    }
}

/// Whether a principal may run an operation at all, before looking at what it is run on.
#[must_use]
pub fn may_run(principal: &Principal, operation: &Operation) -> Decision {
    let decision = may(principal, operation.capability);
    if principal.role != Role::Shopper || !decision.is_allowed() {
        return decision;
    }
    if STAFF_ONLY.contains(&operation.id) {
        return Decision::deny(Layer::Capability, format!("{} is for staff only", operation.id));
    }
    if STAFF_AGREES.contains(&operation.id) {
        return Decision::needs_approval(
            Layer::Approval,
            format!("for a shopper, {} needs staff", operation.id),
        );
    }
    decision
}

/// Whether something lies within a scope. What belongs to nobody is visible only to the whole tenant.
#[must_use]
pub fn sees(scope: &Scope, owner: &Owner) -> bool {
    match *scope {
        Scope::Tenant => true,
        Scope::Brand(brand) => owner.brand == Some(brand),
        Scope::Store(store) => owner.store == Some(store),
        Scope::Customer(customer) => owner.customer == Some(customer),
    }
}

/// The scope layer as a decision. The caller answers a refusal exactly like a missing thing.
#[must_use]
pub fn in_scope(principal: &Principal, owner: &Owner) -> Decision {
    if sees(&principal.scope, owner) {
        return Decision::allow(Layer::Scope, format!("within {}", principal.scope));
    }
    Decision::deny(Layer::Scope, format!("outside {}", principal.scope))
}

/// Whether a principal may give a role with these capabilities at a scope: nobody gives more than they have.
/// `place` is the scope as the owner of something that lies in it.
#[must_use]
pub fn may_give(principal: &Principal, capabilities: &[Capability], place: &Owner) -> Decision {
    for &capability in capabilities {
        let giver = principal.acting(capability);
        let decision = may(&giver, capability);
        if !decision.is_allowed() {
            return Decision::deny(
                decision.layer,
                format!("{}: nobody gives more than they have", decision.why),
            );
        }
        if !sees(&giver.scope, place) {
            let why = format!("{capability} is yours only within {}", giver.scope);
            return Decision::deny(Layer::Scope, why);
        }
    }
    Decision::allow(Layer::Scope, "all of it is held there")
}

#[cfg(test)]
mod tests;

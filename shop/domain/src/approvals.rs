//! The life of one staff approval, and who may decide it.

use thiserror::Error;

use crate::governance::{Capability, Principal, may};
use crate::machine::{IllegalMove, mermaid};
use crate::status::ApprovalStatus;
use crate::words::words;

words! {
    /// What can happen to an approval.
    pub enum ApprovalEvent {
        Approved = "approved",
        Rejected = "rejected",
        Withdrawn = "withdrawn",
        Expired = "expired",
        /// The approved operation ran.
        Used = "used",
    }
}

impl ApprovalStatus {
    /// The whole life of an approval, in one table.
    pub fn after(self, event: ApprovalEvent) -> Result<Self, IllegalMove> {
        use {ApprovalEvent as E, ApprovalStatus as S};
        match (self, event) {
            (S::Waiting, E::Approved) => Ok(S::Approved),
            (S::Waiting, E::Rejected) => Ok(S::Rejected),
            (S::Waiting, E::Withdrawn) => Ok(S::Withdrawn),
            (S::Waiting | S::Approved, E::Expired) => Ok(S::Expired),
            // Once: an approval is for one operation, not for a kind of operation.
            (S::Approved, E::Used) => Ok(S::Used),
            (from, event) => {
                Err(IllegalMove { noun: "approval", from: from.as_str(), event: event.as_str() })
            }
        }
    }

    /// The machine as a Mermaid diagram.
    #[must_use]
    pub fn diagram() -> String {
        mermaid(&[Self::Waiting], Self::ALL, ApprovalEvent::ALL, Self::after)
    }
}

/// Why somebody may not decide an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NotYours {
    /// Software never signs off.
    #[error("an agent cannot decide an approval; a person must, on the console")]
    Agent,
    /// Nobody signs off their own request, nor one that an agent made for them.
    #[error("a request is never decided by who made it")]
    Requester,
    /// The role does not include it.
    #[error("deciding approvals needs the capability approvals.decide")]
    Capability,
}

/// Whether `decider` may approve or reject what `requester` asked for.
pub fn may_decide(requester: &Principal, decider: &Principal) -> Result<(), NotYours> {
    if decider.is_agent {
        return Err(NotYours::Agent);
    }
    if decider.person() == requester.person() {
        return Err(NotYours::Requester);
    }
    if !may(decider, Capability::ApprovalsDecide).is_allowed() {
        return Err(NotYours::Capability);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use ulid::Ulid;

    use super::*;
    use crate::governance::{Role, Scope};
    use crate::ids::PrincipalId;
    use crate::machine::check_moves;

    #[test]
    fn an_approval_moves_only_along_its_table() {
        use {ApprovalEvent as E, ApprovalStatus as S};
        check_moves(
            S::ALL,
            E::ALL,
            S::after,
            &[
                (S::Waiting, E::Approved, S::Approved),
                (S::Waiting, E::Rejected, S::Rejected),
                (S::Waiting, E::Withdrawn, S::Withdrawn),
                (S::Waiting, E::Expired, S::Expired),
                (S::Approved, E::Expired, S::Expired),
                (S::Approved, E::Used, S::Used),
            ],
        );
    }

    #[test]
    fn only_another_human_the_capability_decides() {
        let person = |n, role| Principal::human(PrincipalId::new(Ulid(n)), "Kim", role, Scope::Tenant);
        let agent_for = |n, person: &Principal| person.agent(PrincipalId::new(Ulid(n)), "bot");
        let (support, lead, other_lead) =
            (person(1, Role::SupportAgent), person(2, Role::SupportLead), person(3, Role::SupportLead));
        assert_eq!(may_decide(&support, &lead), Ok(()));
        assert_eq!(may_decide(&agent_for(9, &support), &lead), Ok(()));
        assert_eq!(may_decide(&lead, &support), Err(NotYours::Capability));
        assert_eq!(may_decide(&lead, &lead), Err(NotYours::Requester));
        assert_eq!(may_decide(&agent_for(9, &lead), &lead), Err(NotYours::Requester));
        assert_eq!(may_decide(&lead, &agent_for(9, &other_lead)), Err(NotYours::Agent));
        assert_eq!(may_decide(&lead, &other_lead), Ok(()));
    }
}

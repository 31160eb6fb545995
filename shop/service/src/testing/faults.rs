//! A gateway that fails, and what the shop and its books look like afterwards.

use shop_gateway::wire::{Operation, PaymentStatus};
use shop_gateway_sim::faults;
use shop_world::FaultRule;

use super::TestShop;
use crate::reports;

/// Every fault that can strike one of these calls, wherever it can strike, every time until it is taken away.
pub fn strikes(operations: &[&str]) -> Vec<FaultRule> {
    let mut rules = Vec::new();
    for fault in faults::ALL {
        for operation in fault.operations.iter().map(|operation: &Operation| operation.name()) {
            for placement in fault.placements.iter().filter(|_| operations.contains(&operation)) {
                let rule: FaultRule = format!("{}@{operation}", fault.name).parse().unwrap();
                rules.push(FaultRule { placement: Some(*placement), ..rule });
            }
        }
    }
    rules
}

impl TestShop {
    /// Replaces the fault script.
    pub fn script(&self, rules: &[&str]) {
        self.shop.world.faults.put(rules.iter().map(|rule| rule.parse().unwrap()).collect());
    }

    /// Every invariant that does not hold and every payment on which the gateway's books differ, in words.
    pub async fn trouble(&self) -> Vec<String> {
        let mut trouble = reports::check(&self.shop).await.unwrap();
        let report = reports::reconciliation(&self.ctx(&self.admin)).await.unwrap();
        trouble.extend(report.differences.iter().map(|found| format!("{found:?}")));
        trouble
    }

    /// Money that the gateway still holds under a key of ours; what it did twice by itself has none.
    pub fn held_at_gateway(&self) -> i64 {
        let charges = self.gateway.truth().unwrap().charges.into_iter();
        let held =
            charges.filter(|charge| charge.key.is_some() && charge.status == PaymentStatus::Authorized);
        held.map(|charge| charge.authorized_minor).sum()
    }

    /// What the gateway took and did not give back.
    pub fn kept_by_gateway(&self) -> i64 {
        let charges = self.gateway.truth().unwrap().charges.into_iter();
        charges.map(|charge| charge.captured_minor - charge.refunded_minor).sum()
    }
}

//! Dynamic risk: facts of one call add up to a level, and a level or a sum above the limit asks for a second person.
//!
//! Sums are cumulative per order and day, or per customer and day where no order is, so that splitting a refund does not dodge the gate.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::operations::Class;
use crate::policy::Policy;
use crate::words::words;

words! {
    /// How risky a call is.
    pub enum RiskLevel {
        Low = "low",
        Medium = "medium",
        High = "high",
    }

    /// What makes a call risky.
    pub enum FactorKind {
        MovesMoney = "moves_money",
        Irreversible = "irreversible",
        LargeAmount = "large_amount",
        MostOfTheOrder = "most_of_the_order",
        ManyRows = "many_rows",
        SeveralBrands = "several_brands",
        RepeatedRequests = "repeated_requests",
        OldOrder = "old_order",
    }
}

/// What is known about a call, read inside its transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RiskFacts {
    /// Class of the operation.
    pub class: Class,
    /// Value that would leave the shop, in minor units; 0 for charges and for calls that move no money.
    pub amount_minor: i64,
    /// Total of the order, in minor units; 0 when there is none.
    pub order_total_minor: i64,
    /// What went out for the same order, or to the same customer, today, in minor units, whatever its outcome.
    pub refunded_today_minor: i64,
    /// Rows the call would touch.
    pub rows: u32,
    /// Brands whose rows it would touch.
    pub brands: u32,
    /// Whether its effect cannot be taken back.
    pub irreversible: bool,
    /// Like requests for this customer in the last 30 days.
    pub repeats_30d: u32,
    /// Days since the order was placed; 0 when there is none.
    pub order_age_days: i64,
}

impl RiskFacts {
    /// The facts of a call that touches one row of one brand and nothing else of note.
    #[must_use]
    pub const fn of(class: Class) -> Self {
        Self {
            class,
            amount_minor: 0,
            order_total_minor: 0,
            refunded_today_minor: 0,
            rows: 1,
            brands: 1,
            irreversible: false,
            repeats_30d: 0,
            order_age_days: 0,
        }
    }

    /// What this order or customer would have cost the shop today, with this call.
    const fn outflow_today_minor(&self) -> i64 {
        self.refunded_today_minor.saturating_add(self.amount_minor)
    }
}

/// One reason for the level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Factor {
    /// The kind of reason.
    pub factor: FactorKind,
    /// The reason, in words.
    pub detail: String,
}

/// The risk of one call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Risk {
    /// How risky it is.
    pub level: RiskLevel,
    /// Why.
    pub factors: Vec<Factor>,
    /// What it would have cost the shop today in all, in minor units; 0 when the call gives nothing away.
    pub outflow_today_minor: i64,
}

/// What the gate says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Nobody else is needed.
    Pass,
    /// A second person must agree.
    NeedsApproval {
        /// Why, in words.
        reason: String,
    },
}

/// A risk rule: when it applies, how much it weighs, and how it reads.
struct Rule {
    factor: FactorKind,
    points: u32,
    applies: fn(&RiskFacts) -> bool,
    detail: &'static str,
}

const RULES: &[Rule] = &[
    Rule {
        factor: FactorKind::MovesMoney,
        points: 1,
        applies: |facts| facts.class == Class::M,
        detail: "moves money or money-like value",
    },
    Rule {
        factor: FactorKind::Irreversible,
        points: 1,
        applies: |facts| facts.irreversible || facts.class == Class::D,
        detail: "cannot be taken back",
    },
    Rule {
        factor: FactorKind::LargeAmount,
        points: 1,
        applies: |facts| facts.amount_minor > 0 && facts.outflow_today_minor() > 10_000,
        detail: "more than 100.00 today",
    },
    Rule {
        factor: FactorKind::MostOfTheOrder,
        points: 1,
        applies: |facts| {
            facts.amount_minor > 0
                && facts.order_total_minor > 0
                && facts.outflow_today_minor() > facts.order_total_minor / 2
        },
        detail: "more than half of the order's total today",
    },
    Rule {
        factor: FactorKind::ManyRows,
        points: 2,
        applies: |facts| facts.rows > 50,
        detail: "touches more than 50 rows",
    },
    Rule {
        factor: FactorKind::SeveralBrands,
        points: 3,
        applies: |facts| facts.brands > 1,
        detail: "touches several brands",
    },
    Rule {
        factor: FactorKind::RepeatedRequests,
        points: 2,
        applies: |facts| facts.repeats_30d >= 3,
        detail: "three or more such requests for this customer in 30 days",
    },
    Rule {
        factor: FactorKind::OldOrder,
        points: 1,
        applies: |facts| facts.order_age_days > 90,
        detail: "the order is more than 90 days old",
    },
];

/// Points from which a call is of medium and of high risk.
const MEDIUM_POINTS: u32 = 2;
const HIGH_POINTS: u32 = 5;

/// The risk of a call.
#[must_use]
pub fn risk(facts: &RiskFacts) -> Risk {
    let applying = || RULES.iter().filter(|rule| (rule.applies)(facts));
    let points: u32 = applying().map(|rule| rule.points).sum();
    let level = match points {
        HIGH_POINTS.. => RiskLevel::High,
        MEDIUM_POINTS.. => RiskLevel::Medium,
        _ => RiskLevel::Low,
    };
    let factors =
        applying().map(|rule| Factor { factor: rule.factor, detail: rule.detail.to_owned() }).collect();
    let outflow_today_minor = if facts.amount_minor > 0 { facts.outflow_today_minor() } else { 0 };
    Risk { level, factors, outflow_today_minor }
}

/// Whether a second person must agree.
#[must_use]
pub fn gate(risk: &Risk, policy: &Policy) -> Gate {
    if policy.no_risk_gate {
        return Gate::Pass;
    }
    if risk.outflow_today_minor > policy.refund_limit_minor {
        return Gate::NeedsApproval {
            reason: format!(
                "{} minor units would be given away today, above the limit of {}",
                risk.outflow_today_minor, policy.refund_limit_minor
            ),
        };
    }
    match risk.level {
        RiskLevel::Low | RiskLevel::Medium => Gate::Pass,
        RiskLevel::High => {
            let details: Vec<&str> = risk.factors.iter().map(|factor| factor.detail.as_str()).collect();
            Gate::NeedsApproval { reason: format!("high risk: {}", details.join("; ")) }
        }
    }
}

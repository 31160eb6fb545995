//! Code decides: what is wrong, what the customer wants and where the goods are come in; the one right operation, or
//! the rule that stands against it, comes out. Pure.

use mcp_actions_engine::parts::{Suggestion, ValidationError};
use mcp_actions_engine::{Map, Reason};
use serde_json::json;
use shop_domain::after_sales::{AfterSalesOperation as Op, Verdict, rule_text};
use shop_domain::ids::{FulfillmentId, ReturnId};
use shop_domain::status::ReturnStatus;

use super::Entry;
use super::desk::{Desk, Parcel};
use super::items::{Picked, Stage, Unclear, Units};
use super::problem::{Kind, Problem};
use super::remedy::{Remedy, Want};
use crate::wire::text;

/// What shall be done.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    pub(super) remedy: Remedy,
    pub(super) problem: Option<Problem>,
    pub(super) units: Vec<Units>,
    /// Where the units are; absent where it is about no units.
    pub(super) stage: Option<Stage>,
    /// Parcels that have to be on record as lost first.
    pub(super) lost: Vec<FulfillmentId>,
    pub(super) return_id: Option<ReturnId>,
}

/// Why nothing was chosen yet.
#[derive(Clone, Debug)]
pub(super) enum Open {
    /// These fields decide it.
    Missing(&'static str),
    Wrong(Box<ValidationError>),
    /// A rule stands against it.
    No(No),
}

/// A rule that stands against it.
#[derive(Clone, Debug)]
pub(super) struct No {
    pub(super) rule: &'static str,
    pub(super) words: String,
}

impl No {
    pub(super) fn of(rule: &'static str) -> Self {
        Self { rule, words: rule_text(rule).unwrap_or(rule).to_owned() }
    }

    pub(super) fn because(rule: &'static str, words: impl Into<String>) -> Self {
        Self { rule, words: words.into() }
    }
}

impl From<Unclear> for Open {
    fn from(unclear: Unclear) -> Self {
        match unclear {
            Unclear::Missing => Self::Missing(super::items::FIELD),
            Unclear::Wrong(error) => Self::Wrong(error),
        }
    }
}

impl Desk {
    /// What is wrong, in whichever field this entry asks for it.
    pub(super) fn problem(&self, inputs: &Map) -> Option<Problem> {
        match self.entry {
            Entry::Any => text(inputs, "problem").and_then(Problem::parse),
            Entry::RefundOnly | Entry::ReturnRefund | Entry::Exchange => {
                text(inputs, "reason").and_then(Problem::parse)
            }
            Entry::Cancel => None,
        }
    }

    /// The one right operation; `None` while what was said does not decide it.
    pub(super) fn choose(&self, inputs: &Map) -> Result<Option<Chosen>, Open> {
        if self.is_money_unknown() {
            let words = "the outcome of its payment is not known yet; nothing is given back before it is";
            return Err(Open::No(No::because("payment_unknown", words)));
        }
        let problem = self.problem(inputs);
        match self.entry {
            Entry::Cancel => self.cancel(None).map(Some),
            Entry::RefundOnly => self.refund_only(inputs, problem).map(Some),
            Entry::ReturnRefund => match self.unpaid_return().filter(|_| !self.has_returnable()) {
                Some(_) => self.refund_returned(problem).map(Some),
                None => self.come_back(inputs, problem, Remedy::Return).map(Some),
            },
            Entry::Exchange => self.come_back(inputs, problem, Remedy::Exchange).map(Some),
            Entry::Any => match problem {
                None => Ok(None),
                Some(problem) => self.any(inputs, problem).map(Some),
            },
        }
    }

    fn any(&self, inputs: &Map, problem: Problem) -> Result<Chosen, Open> {
        match problem.kind() {
            Kind::Money => self.money(problem),
            Kind::Unpaid => self.refund_returned(Some(problem)),
            Kind::Unwanted | Kind::Wrong | Kind::Missing => {
                let picked = self.pick(inputs, places(problem), |stage| takes_all(problem, stage))?;
                let offered = self.remedies(problem, &picked)?;
                let want = match text(inputs, "wants").and_then(Want::parse) {
                    Some(want) => want,
                    None => default_want(problem, &offered).ok_or(Open::Missing("wants"))?,
                };
                let found = offered.iter().find(|(offered, _)| *offered == want);
                let (_, remedy) =
                    found.ok_or_else(|| Open::Wrong(Box::new(self.not_offered(want, &offered))))?;
                self.settle(*remedy, Some(problem), picked)
            }
        }
    }

    /// What there is to choose from with this problem and these goods.
    pub(super) fn remedies(&self, problem: Problem, picked: &Picked) -> Result<Vec<(Want, Remedy)>, Open> {
        let kept = [(Want::Refund, Remedy::RefundKept), (Want::Replacement, Remedy::Replace)];
        let back = [(Want::Refund, Remedy::Return), (Want::Exchange, Remedy::Exchange)];
        match (picked.stage, problem.kind()) {
            (Stage::Unshipped, Kind::Wrong) => Err(Open::No(No::of("order_not_shipped"))),
            (Stage::Unshipped, _) if self.case.facts.has_captured => {
                Ok(vec![(Want::Refund, Remedy::RefundUnshipped)])
            }
            (Stage::Unshipped, _) => Ok(vec![(Want::Refund, Remedy::Cancel)]),
            (Stage::Shipped, _) if self.is_lost(picked) => Ok(kept.to_vec()),
            (Stage::Shipped, Kind::Missing) if !self.to_report(problem, picked).is_empty() => {
                Ok(kept.to_vec())
            }
            (Stage::Shipped, Kind::Missing) => Err(Open::No(self.on_its_way())),
            (Stage::Shipped, _) => Ok(back.to_vec()),
            (Stage::Delivered, Kind::Missing) => Ok(kept.to_vec()),
            (Stage::Delivered, Kind::Wrong) => {
                let all = [(Want::RefundAndKeep, Remedy::RefundKept), (Want::Replacement, Remedy::Replace)];
                Ok(back.into_iter().chain(all).collect())
            }
            (Stage::Delivered, _) => Ok(back.to_vec()),
        }
    }

    /// Checks what was picked against the table.
    fn settle(&self, remedy: Remedy, problem: Option<Problem>, picked: Picked) -> Result<Chosen, Open> {
        if remedy == Remedy::Cancel {
            return self.cancel_picked(problem, &picked);
        }
        let lost = problem.map(|problem| self.to_report(problem, &picked)).unwrap_or_default();
        let waits = remedy.needs_delivery() && picked.stage == Stage::Shipped;
        if !waits && lost.is_empty() {
            for units in &picked.units {
                let verdict = match self.case.facts.is_cancelled {
                    true => self.verdict(remedy.operation()),
                    false => self.line_verdict(remedy.operation(), units.at),
                };
                allowed(verdict)?;
            }
        }
        if remedy == Remedy::Exchange && picked.units.iter().any(|units| units.to.is_none()) {
            return Err(self.name_the_new_one(&picked));
        }
        Ok(Chosen { remedy, problem, units: picked.units, stage: Some(picked.stage), lost, return_id: None })
    }

    fn refund_only(&self, inputs: &Map, problem: Option<Problem>) -> Result<Chosen, Open> {
        let order = [Stage::Unshipped, Stage::Shipped, Stage::Delivered];
        let picked = self.pick(inputs, order, |stage| stage != Stage::Delivered)?;
        match picked.stage {
            Stage::Unshipped => self.settle(Remedy::RefundUnshipped, problem, picked),
            Stage::Shipped if self.is_lost(&picked) => {
                self.settle(Remedy::RefundKept, problem.or(Some(Problem::NeverArrived)), picked)
            }
            Stage::Shipped | Stage::Delivered => Err(Open::No(No::of("order_has_shipped"))),
        }
    }

    /// Returns and exchanges: for what is with the customer, or on its way there.
    fn come_back(&self, inputs: &Map, problem: Option<Problem>, remedy: Remedy) -> Result<Chosen, Open> {
        let order = [Stage::Delivered, Stage::Shipped, Stage::Unshipped];
        let picked = self.pick(inputs, order, |_| false)?;
        if picked.stage == Stage::Unshipped {
            return Err(Open::No(No::of("order_not_delivered")));
        }
        self.settle(remedy, problem, picked)
    }

    /// The whole order stops.
    fn cancel(&self, problem: Option<Problem>) -> Result<Chosen, Open> {
        allowed(self.verdict(Op::CancelOrder))?;
        let picked =
            self.pick(&Map::new(), [Stage::Unshipped, Stage::Shipped, Stage::Delivered], |_| true)?;
        Ok(Chosen {
            remedy: Remedy::Cancel,
            problem,
            units: picked.units,
            stage: Some(picked.stage),
            lost: Vec::new(),
            return_id: None,
        })
    }

    /// Before anything is taken only the whole order can be given up; its items are changed by another flow.
    fn cancel_picked(&self, problem: Option<Problem>, picked: &Picked) -> Result<Chosen, Open> {
        let lines = 0..self.case.order.lines.len();
        let all: i64 = lines.map(|at| self.units_in(at, Stage::Unshipped)).sum();
        let named: i64 = picked.units.iter().map(|units| units.quantity).sum();
        if named < all {
            let words = "nothing was charged yet: take single items out of the order with modify_order, or cancel all";
            return Err(Open::No(No::because("nothing_captured", words)));
        }
        self.cancel(problem)
    }

    fn money(&self, problem: Problem) -> Result<Chosen, Open> {
        let remedy = if problem == Problem::SlowerShipping {
            Remedy::ShippingDifference
        } else if problem == Problem::ShippingFee {
            Remedy::ShippingFee
        } else {
            Remedy::PriceAdjustment
        };
        allowed(self.verdict(remedy.operation()))?;
        Ok(Chosen {
            remedy,
            problem: Some(problem),
            units: Vec::new(),
            stage: None,
            lost: Vec::new(),
            return_id: None,
        })
    }

    fn refund_returned(&self, problem: Option<Problem>) -> Result<Chosen, Open> {
        let Some(row) = self.unpaid_return() else {
            let open = self.returns.iter().find(|row| row.exchange_id.is_none() && is_coming(row.status));
            return Err(Open::No(match open {
                Some(row) => No::because(
                    "return_not_received",
                    format!("the goods of return {} are not back yet; it is {}", row.id, row.status),
                ),
                None => No::because("return_not_received", "no goods of this order came back unpaid"),
            }));
        };
        allowed(self.verdict(Op::RefundReturnedItems))?;
        let lines = self.case.order.lines.iter().enumerate();
        let units = lines.filter_map(|(at, line)| {
            let of_line = row.lines.iter().filter(|back| back.line_id == line.id);
            let is_judged = row.status != ReturnStatus::Received;
            let quantity: i64 = of_line
                .map(|back| if is_judged { back.accepted - back.refunded } else { back.received })
                .sum();
            let (line_id, title) = (line.id, line.title.clone());
            (quantity > 0).then_some(Units { at, line_id, title, quantity, to: None, travels: false })
        });
        Ok(Chosen {
            remedy: Remedy::RefundReturned,
            problem,
            units: units.collect(),
            stage: None,
            lost: Vec::new(),
            return_id: Some(row.id),
        })
    }

    pub(super) fn has_returnable(&self) -> bool {
        (0..self.case.order.lines.len())
            .any(|at| self.units_in(at, Stage::Delivered) > 0 || self.units_in(at, Stage::Shipped) > 0)
    }

    /// Whether a carrier or a customer has reported all of it as lost or damaged.
    fn is_lost(&self, picked: &Picked) -> bool {
        picked.stage == Stage::Shipped
            && picked
                .units
                .iter()
                .all(|units| self.case.facts.lines.get(units.at).is_some_and(|line| line.has_exception))
    }

    /// The parcels that have to be put on record as lost first. Staff know what the carrier said; a customer waits
    /// for the promised day.
    fn to_report(&self, problem: Problem, picked: &Picked) -> Vec<FulfillmentId> {
        let is_missed = problem == Problem::NeverArrived && picked.stage == Stage::Shipped;
        if self.is_shopper || !is_missed || self.is_lost(picked) {
            return Vec::new();
        }
        let has_any = |parcel: &&Parcel| {
            picked
                .units
                .iter()
                .any(|units| parcel.view.lines.iter().any(|line| line.line_id == units.line_id))
        };
        let missed = self.parcels.iter().filter(|parcel| parcel.travels()).filter(has_any);
        missed.map(|parcel| parcel.view.id).collect()
    }

    fn on_its_way(&self) -> No {
        let by = self
            .parcels
            .iter()
            .filter(|parcel| parcel.travels())
            .filter_map(|parcel| parcel.expected_by)
            .max();
        let words = match by {
            Some(by) => format!("it is on its way and expected by {}", by.format("%-d %B %Y")),
            None => rule_text("no_delivery_exception").unwrap_or("it is on its way").to_owned(),
        };
        No::because("no_delivery_exception", words)
    }

    /// An exchange needs to know what the goods are exchanged for.
    fn name_the_new_one(&self, picked: &Picked) -> Open {
        let mut suggestions = Vec::new();
        for units in picked.units.iter().filter(|units| units.to.is_none()) {
            let Some(line) = self.case.order.lines.get(units.at) else { continue };
            let in_stock = self.others(line).into_iter().filter(|variant| variant.is_available);
            suggestions.extend(in_stock.map(|variant| Suggestion {
                field: "items".to_owned(),
                value: json!([{ "id": units.line_id, "quantity": units.quantity, "to": variant.id }]),
                label: format!(
                    "{} for {}, {} {}",
                    variant.title, units.title, variant.price_minor, variant.currency
                ),
                confidence: 0.5,
            }));
        }
        let words =
            "say what each item is exchanged for: items[].to takes a variant's id, SKU or options in words";
        let error = ValidationError::new("items", Reason::ValidationFailed, words).suggesting(suggestions);
        Open::Wrong(Box::new(error))
    }
}

const fn is_coming(status: ReturnStatus) -> bool {
    matches!(status, ReturnStatus::Requested | ReturnStatus::Approved | ReturnStatus::InTransit)
}

fn allowed(verdict: Verdict) -> Result<(), Open> {
    match verdict {
        Verdict::Yes | Verdict::Approval => Ok(()),
        Verdict::No { rule } => Err(Open::No(No::of(rule))),
        Verdict::AlreadyDone => Err(Open::No(No::of("already_done"))),
    }
}

/// What is wanted where only one thing can be, or goes without saying.
fn default_want(problem: Problem, offered: &[(Want, Remedy)]) -> Option<Want> {
    if let [(only, _)] = offered {
        return Some(*only);
    }
    let goes_without_saying = matches!(
        problem,
        Problem::ChangedMind | Problem::NoLongerNeeded | Problem::OrderedByMistake | Problem::FoundCheaper
    );
    goes_without_saying.then_some(Want::Refund)
}

/// Where the goods most likely are that somebody has this problem with.
pub(super) fn places(problem: Problem) -> [Stage; 3] {
    use Stage::{Delivered, Shipped, Unshipped};
    match problem {
        Problem::NeverArrived => [Shipped, Delivered, Unshipped],
        Problem::NoLongerNeeded | Problem::OrderedByMistake => [Unshipped, Shipped, Delivered],
        Problem::ArrivedLate => [Shipped, Unshipped, Delivered],
        Problem::ChangedMind
        | Problem::FoundCheaper
        | Problem::WrongSize
        | Problem::WrongItem
        | Problem::NotAsDescribed
        | Problem::Faulty
        | Problem::DamagedInTransit
        | Problem::ReturnUnpaid
        | Problem::SlowerShipping
        | Problem::ShippingFee
        | Problem::PriceDrop
        | Problem::MissedCoupon => [Delivered, Shipped, Unshipped],
    }
}

/// Whether everything there is meant when nothing was named.
pub(super) fn takes_all(problem: Problem, stage: Stage) -> bool {
    match stage {
        Stage::Unshipped => true,
        Stage::Shipped => matches!(problem, Problem::NeverArrived | Problem::ArrivedLate),
        Stage::Delivered => false,
    }
}

//! What the person can choose from, and what the desk shows.

use mcp_actions_engine::parts::{Choice, Map};
use mcp_actions_engine::{Facts, Judgement, Preview};
use serde_json::{Value, json};
use shop_domain::reasons::{CancelReason, ReturnReason};
use shop_domain::returns::ReturnGrade;
use shop_domain::status::{InstrumentKind, RefundDestination};
use shop_service::payment_methods;

use super::Entry;
use super::desk::Desk;
use super::dispatch::{Chosen, Open};
use super::items::{Stage, called};
use super::problem::{self, Problem};
use super::quote;
use super::remedy::Want;
use crate::entities;
use crate::wallet;
use crate::wire::{block, choice, object, text};

impl Facts for Desk {
    fn judge(&self, node: &str, inputs: &Map) -> Judgement {
        match node {
            "PROBLEM" => self.judge_problem(inputs),
            "REASON" => self.judge_reason(inputs),
            "ITEMS" => self.judge_items(inputs),
            "REMEDY" => self.judge_remedy(inputs),
            "COUPON" => self.judge_coupon(inputs),
            "REFUND_TO" => self.judge_refund_to(inputs),
            "SETTLE" => self.judge_settle(inputs),
            "INSPECTION" => self.judge_inspection(inputs),
            "AWAIT_DELIVERY" => self.judge_delivery(inputs),
            _ => Judgement::valid(),
        }
    }

    fn options(&self, field: &str, inputs: &Map) -> Option<Vec<Choice>> {
        match field {
            "problem" => Some(Problem::ALL.iter().map(|it| choice(it.word(), it.label())).collect()),
            "reason" => Some(self.reasons()),
            "wants" => {
                let problem = self.problem(inputs)?;
                let picked = self.pick_for(inputs, problem)?;
                let offered = self.remedies(problem, &picked).ok()?;
                Some(offered.iter().map(|(want, _)| choice(want.word(), want.label())).collect())
            }
            "refund_to" => {
                Some(self.destinations().into_iter().map(|to| choice(to, destination(to))).collect())
            }
            "settle_with" => {
                Some(self.methods.iter().map(|method| choice(method.id, &method.label)).collect())
            }
            "refund_method_id" => {
                let takes = |method: &&payment_methods::View| {
                    self.has_paid(method) || method.kind == InstrumentKind::GiftCard
                };
                let fitting = self.methods.iter().filter(takes);
                Some(fitting.map(|method| choice(method.id, &method.label)).collect())
            }
            "condition" => {
                Some(ReturnGrade::ALL.iter().map(|grade| choice(grade, condition(*grade))).collect())
            }
            _ => None,
        }
    }

    fn context(&self, inputs: &Map) -> Map {
        let order = &self.case.order;
        let chosen = self.choose(inputs);
        let resolution = chosen.as_ref().ok().and_then(|chosen| chosen.as_ref());
        let refused = matches!(chosen, Err(Open::No(_)));
        let mut context = object(json!({
            "order": {
                "id": order.id,
                "number": order.number,
                "status": entities::headline(order),
                "total": order.total_minor,
                "currency": order.currency,
                "placed_at": order.placed_at,
                "delivered_at": order.delivered_at,
            },
            "items": self.lines(inputs, resolution),
            "resolution": resolution.map(|chosen| chosen.remedy.word()),
            "refund_destinations": self.destinations(),
            "payment_methods": self.methods.iter().map(wallet::entry).collect::<Vec<_>>(),
            "parcels": self.parcels.iter().map(|parcel| json!({
                "id": parcel.view.id,
                "status": parcel.view.status,
                "tracking_number": parcel.view.tracking_number,
                "expected_by": parcel.expected_by,
            })).collect::<Vec<_>>(),
            "returns": self.returns.iter().map(|row| json!({ "id": row.id, "status": row.status }))
                .collect::<Vec<_>>(),
        }));
        if refused {
            context.insert("right_doors".to_owned(), block(&self.right_doors()));
        }
        context
    }

    fn preview(&self, inputs: &Map) -> Preview {
        let quote = self.quote.as_ref().and_then(|quote| quote.as_ref().ok());
        let noted = quote.map(|quote| quote.noted.clone()).unwrap_or_default();
        let summary = match self.choose(inputs) {
            Ok(Some(chosen)) => self.agreed(&chosen, inputs, quote).summary(),
            Ok(None) | Err(_) => Map::new(),
        };
        Preview { summary, risk: quote::risk(&noted), staff_approval: noted.approval.is_some() }
    }
}

impl Desk {
    fn reasons(&self) -> Vec<Choice> {
        match self.entry {
            Entry::Cancel => {
                let all = self.cancel_reasons().into_iter();
                all.map(|word| {
                    let label = word.parse().map_or(word, CancelReason::label);
                    choice(word, label)
                })
                .collect()
            }
            Entry::RefundOnly => problem::BEFORE_DELIVERY
                .iter()
                .map(|problem| choice(problem.word(), problem.label()))
                .collect(),
            Entry::Any | Entry::ReturnRefund | Entry::Exchange => {
                ReturnReason::ALL.iter().map(|reason| choice(reason, reason.label())).collect()
            }
        }
    }

    /// The items of the order, with where their units are and what they can be exchanged for.
    fn lines(&self, inputs: &Map, resolution: Option<&Chosen>) -> Vec<Value> {
        let wants = text(inputs, "wants") == Some(Want::Exchange.word());
        // Once it is clear what each is exchanged for, the choice is behind.
        let exchanges = (self.entry == Entry::Exchange || wants) && resolution.is_none();
        let lines = self.case.order.lines.iter().enumerate();
        lines
            .map(|(at, line)| {
                let mut item = object(json!({
                    "id": line.id,
                    "name": line.title,
                    "sku": line.sku,
                    "options": line.options,
                    "quantity": line.quantity,
                    "unit_price": line.unit_price_minor,
                    "not_shipped": self.units_in(at, Stage::Unshipped),
                    "with_carrier": self.units_in(at, Stage::Shipped),
                    "delivered": self.units_in(at, Stage::Delivered),
                }));
                if exchanges {
                    let others = self.others(line).into_iter().map(|variant| {
                        json!({
                            "id": variant.id,
                            "name": called(&variant.title, &variant.options),
                            "price": variant.price_minor,
                            "in_stock": variant.is_available,
                        })
                    });
                    item.insert("exchange_for".to_owned(), others.collect());
                }
                Value::Object(item)
            })
            .collect()
    }

    /// The units that are meant with a problem, where that is clear.
    fn pick_for(&self, inputs: &Map, problem: Problem) -> Option<super::items::Picked> {
        self.pick(inputs, super::dispatch::places(problem), |stage| {
            super::dispatch::takes_all(problem, stage)
        })
        .ok()
    }

    /// The parcels, returns and payments of a chosen remedy in words.
    pub(super) fn titles(chosen: &Chosen) -> String {
        let titles = chosen.units.iter().map(|units| format!("{} × {}", units.quantity, units.title));
        titles.collect::<Vec<_>>().join(", ")
    }
}

const fn condition(grade: ReturnGrade) -> &'static str {
    match grade {
        ReturnGrade::Restock => "As good as new: paid for, and sold again",
        ReturnGrade::WriteOff => "Paid for, and not sold again",
        ReturnGrade::SendBack => "Not accepted: it goes back to the customer, unpaid",
    }
}

/// Where money goes, in words.
pub(super) const fn destination(to: RefundDestination) -> &'static str {
    match to {
        RefundDestination::OriginalMethod => "what it was paid with",
        RefundDestination::StoreCredit => "store credit",
        RefundDestination::GiftCard => "a gift card",
    }
}

//! Which units of an order are meant, from ids or words; pure.

use std::collections::BTreeMap;

use mcp_actions_engine::parts::{Suggestion, ValidationError};
use mcp_actions_engine::{Map, Reason};
use serde_json::{Value, json};
use shop_domain::ids::{OrderLineId, VariantId};
use shop_service::catalog::Variant;
use shop_service::orders::Line;

use super::desk::Desk;
use crate::entities::names;

pub(super) const FIELD: &str = "items";

/// Where units are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Unshipped,
    /// With a carrier.
    Shipped,
    Delivered,
}

impl Stage {
    const fn words(self) -> &'static str {
        match self {
            Self::Unshipped => "not shipped",
            Self::Shipped => "with the carrier",
            Self::Delivered => "delivered",
        }
    }
}

/// Units of one line.
#[derive(Clone, Debug)]
pub(super) struct Units {
    /// Of the order's lines.
    pub(super) at: usize,
    pub(super) line_id: OrderLineId,
    pub(super) title: String,
    pub(super) quantity: i64,
    /// What takes their place in an exchange.
    pub(super) to: Option<Swap>,
    /// They are still with the carrier.
    pub(super) travels: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Swap {
    pub(super) variant_id: VariantId,
    pub(super) title: String,
}

/// Units that are all in one place.
#[derive(Clone, Debug)]
pub(super) struct Picked {
    pub(super) stage: Stage,
    pub(super) units: Vec<Units>,
}

/// Why it is not clear which units are meant.
#[derive(Clone, Debug)]
pub(super) enum Unclear {
    /// They have to be named.
    Missing,
    Wrong(Box<ValidationError>),
}

pub(super) fn schema() -> Value {
    json!({
        "type": "array",
        "minItems": 1,
        "maxItems": 100,
        "items": {
            "type": "object",
            "properties": {
                "id": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 200,
                    "description": "The id of a line, a SKU, or words that name one item of the order.",
                },
                "quantity": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 999,
                    "description": "Units; may be left out when there is only one.",
                },
            },
            "required": ["id"],
            "additionalProperties": false,
        },
    })
}

/// The same, with what each is exchanged for.
pub(super) fn swap_schema() -> Value {
    let mut schema = schema();
    if let Some(properties) = schema.pointer_mut("/items/properties").and_then(Value::as_object_mut) {
        let words = json!({ "type": "string", "minLength": 1, "maxLength": 200 });
        let options =
            json!({ "type": "object", "additionalProperties": { "type": "string", "maxLength": 120 } });
        let meaning =
            "What it is exchanged for: an id or SKU, or options, such as red, or {\"size\": \"L\"}.";
        properties.insert("to".to_owned(), json!({ "anyOf": [words, options], "description": meaning }));
    }
    schema
}

impl Desk {
    /// Units of a line that are in a place and can be dealt with there.
    pub(super) fn units_in(&self, at: usize, stage: Stage) -> i64 {
        let Some((facts, left)) = self.case.facts.lines.get(at).zip(self.left.lines.get(at)) else {
            return 0;
        };
        let facts_units = |units: u32| i64::from(units);
        match stage {
            // After a cancellation all that was paid for and never left is still to be given back.
            Stage::Unshipped if self.case.facts.is_cancelled => left.unshipped,
            Stage::Unshipped if self.case.facts.has_captured => {
                facts_units(facts.unshipped).min(left.unshipped)
            }
            Stage::Unshipped => facts_units(facts.unshipped),
            Stage::Shipped => facts_units(facts.shipped).min(left.with_customer),
            Stage::Delivered => facts_units(facts.delivered).min(left.with_customer),
        }
    }

    fn has_any(&self, stage: Stage) -> bool {
        (0..self.case.order.lines.len()).any(|at| self.units_in(at, stage) > 0)
    }

    /// The units that are meant. `order` says where to look first; `may_take_all` whether everything in one place is
    /// meant when nothing was named.
    pub(super) fn pick(
        &self,
        inputs: &Map,
        order: [Stage; 3],
        may_take_all: impl Fn(Stage) -> bool,
    ) -> Result<Picked, Unclear> {
        match inputs.get(FIELD).and_then(Value::as_array) {
            Some(said) => self.named(said, order),
            None => self.unnamed(order, may_take_all),
        }
    }

    fn unnamed(&self, order: [Stage; 3], may_take_all: impl Fn(Stage) -> bool) -> Result<Picked, Unclear> {
        let stage = order.into_iter().find(|stage| self.has_any(*stage)).ok_or_else(|| {
            wrong(Reason::NotEligible, "nothing of this order is left that could be sent back or paid back")
        })?;
        let lines = self.case.order.lines.iter().enumerate();
        let units: Vec<Units> = lines
            .map(|(at, line)| of_line(at, line, self.units_in(at, stage), stage))
            .filter(|units| units.quantity > 0)
            .collect();
        let is_only_one = units.iter().map(|units| units.quantity).sum::<i64>() == 1;
        if is_only_one || may_take_all(stage) { Ok(Picked { stage, units }) } else { Err(Unclear::Missing) }
    }

    fn named(&self, said: &[Value], order: [Stage; 3]) -> Result<Picked, Unclear> {
        let mut picked: Option<Stage> = None;
        let mut units: Vec<Units> = Vec::with_capacity(said.len());
        for item in said {
            let words = item.get("id").and_then(Value::as_str).unwrap_or_default();
            let lines = self.lines_named(words)?;
            let wanted = item.get("quantity").and_then(Value::as_i64);
            let free = |at: usize, stage: Stage| {
                let taken = units.iter().filter(|other| other.at == at).map(|other| other.quantity);
                self.units_in(at, stage) - taken.sum::<i64>()
            };
            let (stage, mut left) = place(&lines, wanted, order, free)?;
            if let Some(other) = picked.filter(|other| *other != stage) {
                let (one, rest) = (stage.words(), other.words());
                let words = format!("“{words}” is {one}, and the rest is {rest}: one action for each");
                return Err(wrong(Reason::ValidationFailed, words));
            }
            picked = Some(stage);
            let shares: Vec<i64> = lines.iter().map(|(at, _)| free(*at, stage)).collect();
            for ((at, line), share) in lines.into_iter().zip(shares) {
                let quantity = share.min(left);
                if quantity > 0 {
                    let to = self.swap(line, item)?;
                    units.push(Units { to, ..of_line(at, line, quantity, stage) });
                    left -= quantity;
                }
            }
        }
        match picked {
            Some(stage) => Ok(Picked { stage, units }),
            None => Err(Unclear::Missing),
        }
    }

    /// The lines that an id, a SKU or words name: one, or several of the same variant.
    fn lines_named(&self, said: &str) -> Result<Vec<(usize, &Line)>, Unclear> {
        let lines = || self.case.order.lines.iter().enumerate();
        let fitting = |fits: &dyn Fn(&Line) -> bool| -> Vec<(usize, &Line)> {
            lines().filter(|(_, line)| fits(line)).collect()
        };
        let is_variant =
            |line: &Line| line.variant_id.to_string() == said || line.sku.eq_ignore_ascii_case(said);
        let is_meant = |line: &Line| fits(said, &words_of(&line.title, &line.sku, &line.options));
        let mut found = fitting(&|line| line.id.to_string() == said);
        if found.is_empty() {
            found = fitting(&is_variant);
        }
        if found.is_empty() {
            found = fitting(&is_meant);
        }
        let variant = found.first().map(|(_, line)| line.variant_id);
        if variant.is_some() && found.iter().all(|(_, line)| Some(line.variant_id) == variant) {
            return Ok(found);
        }
        let (code, words) = match variant {
            Some(_) => {
                (Reason::Ambiguous, format!("“{said}” may be several items of this order: use their ids"))
            }
            None => (Reason::NotFound, format!("“{said}” is no item of this order: use the id of a line")),
        };
        let all = lines().map(|(_, line)| json!(line.id)).collect();
        Err(Unclear::Wrong(Box::new(ValidationError::new(FIELD, code, words).allowing(all))))
    }

    /// What takes the place of a line's units: another variant of the same product.
    fn swap(&self, line: &Line, item: &Value) -> Result<Option<Swap>, Unclear> {
        let Some(said) = item.get("to") else { return Ok(None) };
        let words = match said {
            Value::Object(options) => {
                options.values().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
            }
            Value::String(words) => words.clone(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => String::new(),
        };
        let others = self.others(line);
        let is_exact =
            |variant: &&Variant| variant.id.to_string() == words || variant.sku.eq_ignore_ascii_case(&words);
        let found = match others.iter().copied().find(is_exact) {
            Some(exact) => exact,
            None => self.meant_by(&words, line, &others).map_err(|(code, what)| {
                self.no_swap(line, item, code, format!("“{words}” {what} of {}", line.title))
            })?,
        };
        if !found.is_available {
            let words = format!("{} is not in stock now", called(&found.title, &found.options));
            return Err(self.no_swap(line, item, Reason::OutOfStock, words));
        }
        Ok(Some(Swap { variant_id: found.id, title: called(&found.title, &found.options) }))
    }

    /// The one other variant that words mean. Options they do not name stay as they were bought.
    fn meant_by<'v>(
        &self,
        words: &str,
        line: &Line,
        others: &[&'v Variant],
    ) -> Result<&'v Variant, (Reason, &'static str)> {
        let is_meant =
            |variant: &&Variant| fits(words, &words_of(&variant.title, &variant.sku, &variant.options));
        let fitting: Vec<&Variant> = others.iter().copied().filter(is_meant).collect();
        let keeps_the_rest = |variant: &&Variant| {
            let mut options = variant.options.iter();
            options.all(|(name, value)| line.options.get(name) == Some(value) || fits(value, words))
        };
        let mut closest = fitting.iter().copied().filter(keeps_the_rest);
        match (fitting.as_slice(), closest.next(), closest.next()) {
            ([only], _, _) => Ok(*only),
            (_, Some(only), None) => Ok(only),
            ([], _, _) => Err((Reason::NotFound, "is no other variant of the same product")),
            _ => Err((Reason::Ambiguous, "fits several variants")),
        }
    }

    /// The other variants of a line's product.
    pub(super) fn others(&self, line: &Line) -> Vec<&Variant> {
        let same =
            |variant: &&Variant| variant.product_id == line.product_id && variant.id != line.variant_id;
        self.variants.iter().filter(same).collect()
    }

    fn no_swap(&self, line: &Line, item: &Value, code: Reason, words: String) -> Unclear {
        let quantity = item.get("quantity").and_then(Value::as_i64).unwrap_or(1);
        let in_stock = self.others(line).into_iter().filter(|variant| variant.is_available);
        let suggestions = in_stock.map(|variant| Suggestion {
            field: FIELD.to_owned(),
            value: json!([{ "id": line.id, "quantity": quantity, "to": variant.id }]),
            label: format!(
                "{}, {} {}",
                called(&variant.title, &variant.options),
                variant.price_minor,
                variant.currency
            ),
            confidence: if variant.price_minor == line.unit_price_minor { 0.6 } else { 0.4 },
        });
        let error = ValidationError::new(FIELD, code, words).suggesting(suggestions.collect());
        Unclear::Wrong(Box::new(error))
    }
}

fn of_line(at: usize, line: &Line, quantity: i64, stage: Stage) -> Units {
    let (line_id, title) = (line.id, called(&line.title, &line.options));
    Units { at, line_id, title, quantity, to: None, travels: stage == Stage::Shipped }
}

/// The first place with enough units, and how many are meant there.
fn place(
    lines: &[(usize, &Line)],
    wanted: Option<i64>,
    order: [Stage; 3],
    free: impl Fn(usize, Stage) -> i64,
) -> Result<(Stage, i64), Unclear> {
    let in_stage = |stage: Stage| lines.iter().map(|(at, _)| free(*at, stage).max(0)).sum::<i64>();
    let title = lines.first().map_or("", |(_, line)| line.title.as_str());
    let most = order.into_iter().map(in_stage).max().unwrap_or(0);
    let enough = order.into_iter().find(|stage| in_stage(*stage) >= wanted.unwrap_or(1));
    match (enough, wanted) {
        (Some(stage), Some(wanted)) => Ok((stage, wanted)),
        (Some(stage), None) if in_stage(stage) == 1 => Ok((stage, 1)),
        (Some(stage), None) => {
            let words = format!("say how many of the {} units of {title} are meant", in_stage(stage));
            Err(wrong(Reason::ValidationFailed, words))
        }
        (None, _) if most == 0 => {
            let words = format!("no units of {title} are left to be dealt with: see list of items");
            Err(wrong(Reason::NotEligible, words))
        }
        (None, wanted) => {
            let wanted = wanted.unwrap_or(1);
            let words = format!("{most} units of {title} can be dealt with, {wanted} are named");
            let fewer = lines.first().map(|(_, line)| Suggestion {
                field: FIELD.to_owned(),
                value: json!([{ "id": line.variant_id, "quantity": most }]),
                label: format!("{most} of {title}"),
                confidence: 0.6,
            });
            let error = ValidationError::new(FIELD, Reason::ValidationFailed, words);
            Err(Unclear::Wrong(Box::new(error.suggesting(fewer.into_iter().collect()))))
        }
    }
}

fn wrong(code: Reason, words: impl Into<String>) -> Unclear {
    Unclear::Wrong(Box::new(ValidationError::new(FIELD, code, words)))
}

/// A title with the options that it does not tell.
pub(super) fn called(title: &str, options: &BTreeMap<String, String>) -> String {
    let told = names(title);
    let untold: Vec<&str> =
        options.values().filter(|value| !names(value).is_subset(&told)).map(String::as_str).collect();
    if untold.is_empty() { title.to_owned() } else { format!("{title} ({})", untold.join(", ")) }
}

fn words_of(title: &str, sku: &str, options: &BTreeMap<String, String>) -> String {
    let options: Vec<&str> = options.values().map(String::as_str).collect();
    format!("{title} {sku} {}", options.join(" "))
}

/// Whether every word that was said is in a text.
fn fits(said: &str, text: &str) -> bool {
    let words = |text: &str| names(&text.replace('-', " "));
    let mut said = words(said);
    said.retain(|word| !SMALL.contains(&word.as_str()));
    !said.is_empty() && said.is_subset(&words(text))
}

/// Words that name no goods.
const SMALL: [&str; 5] = ["size", "colour", "color", "pair", "same"];

//! Which units of an order are meant, from ids or words; pure.

use mcp_actions_engine::parts::{Suggestion, ValidationError};
use mcp_actions_engine::{Map, Reason};
use serde_json::{Value, json};
use shop_domain::ids::{OrderLineId, VariantId};
use shop_service::catalog::Variant;
use shop_service::orders::Line;

use super::desk::Desk;

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
                "id": { "type": "string", "minLength": 1, "maxLength": 200 },
                "quantity": { "type": "integer", "minimum": 1, "maximum": 999 },
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
        properties.insert("to".to_owned(), json!({ "anyOf": [words, options] }));
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
            .map(|(at, line)| self.of_line(at, line, self.units_in(at, stage), stage))
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
            let (at, line) = self.line(words)?;
            let before: i64 = units.iter().filter(|other| other.at == at).map(|other| other.quantity).sum();
            let wanted = item.get("quantity").and_then(Value::as_i64);
            let (stage, quantity) = self.place(at, line, wanted, before, order)?;
            if let Some(other) = picked.filter(|other| *other != stage) {
                let words = format!(
                    "{} is {}, and the rest is {}: one action for each",
                    line.title,
                    stage.words(),
                    other.words()
                );
                return Err(wrong(Reason::ValidationFailed, words));
            }
            picked = Some(stage);
            let to = self.swap(line, item)?;
            units.push(Units { to, ..self.of_line(at, line, quantity, stage) });
        }
        match picked {
            Some(stage) => Ok(Picked { stage, units }),
            None => Err(Unclear::Missing),
        }
    }

    fn of_line(&self, at: usize, line: &Line, quantity: i64, stage: Stage) -> Units {
        let (line_id, title) = (line.id, line.title.clone());
        Units { at, line_id, title, quantity, to: None, travels: stage == Stage::Shipped }
    }

    /// The first place with enough units.
    fn place(
        &self,
        at: usize,
        line: &Line,
        wanted: Option<i64>,
        before: i64,
        order: [Stage; 3],
    ) -> Result<(Stage, i64), Unclear> {
        let free = |stage: Stage| self.units_in(at, stage) - before;
        let Some(wanted) = wanted else {
            let stage = order.into_iter().find(|stage| free(*stage) > 0);
            let stage = stage.ok_or_else(|| nothing_left(line))?;
            if free(stage) == 1 {
                return Ok((stage, 1));
            }
            let words = format!("say how many of the {} units of {} are meant", free(stage), line.title);
            return Err(wrong(Reason::ValidationFailed, words));
        };
        let enough = order.into_iter().find(|stage| free(*stage) >= wanted);
        enough.map(|stage| (stage, wanted)).ok_or_else(|| {
            let most = order.into_iter().map(free).max().unwrap_or(0).max(0);
            let error = match nothing_left(line) {
                Unclear::Wrong(error) if most == 0 => *error,
                Unclear::Missing | Unclear::Wrong(_) => {
                    let words =
                        format!("{most} units of {} can be dealt with, {wanted} are named", line.title);
                    ValidationError::new(FIELD, Reason::ValidationFailed, words).suggesting(vec![
                        Suggestion {
                            field: FIELD.to_owned(),
                            value: json!([{ "id": line.id, "quantity": most }]),
                            label: format!("{most} of {}", line.title),
                            confidence: 0.6,
                        },
                    ])
                }
            };
            Unclear::Wrong(Box::new(error))
        })
    }

    /// The line that an id, a SKU or words name.
    fn line(&self, said: &str) -> Result<(usize, &Line), Unclear> {
        let lines = || self.case.order.lines.iter().enumerate();
        let is_named = |line: &Line| {
            let ids = [line.id.to_string(), line.variant_id.to_string()];
            ids.iter().any(|id| id == said) || line.sku.eq_ignore_ascii_case(said)
        };
        if let Some(found) = lines().find(|(_, line)| is_named(line)) {
            return Ok(found);
        }
        let mut fitting = lines().filter(|(_, line)| {
            let options: Vec<&str> = line.options.values().map(String::as_str).collect();
            fits(said, &format!("{} {} {}", line.title, line.sku, options.join(" ")))
        });
        match (fitting.next(), fitting.next()) {
            (Some(only), None) => Ok(only),
            (found, _) => {
                let words = match found {
                    Some(_) => format!("“{said}” may be several items of this order: use their ids"),
                    None => format!("“{said}” is no item of this order: use the id of a line"),
                };
                let code = if found.is_some() { Reason::Ambiguous } else { Reason::NotFound };
                let all = lines().map(|(_, line)| json!(line.id)).collect();
                Err(Unclear::Wrong(Box::new(ValidationError::new(FIELD, code, words).allowing(all))))
            }
        }
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
        let exact = others
            .iter()
            .find(|variant| variant.id.to_string() == words || variant.sku.eq_ignore_ascii_case(&words));
        let mut fitting = others.iter().filter(|variant| {
            let options: Vec<&str> = variant.options.values().map(String::as_str).collect();
            fits(&words, &format!("{} {} {}", variant.title, variant.sku, options.join(" ")))
        });
        let found = match (exact, fitting.next(), fitting.next()) {
            (Some(exact), _, _) => exact,
            (None, Some(only), None) => only,
            (None, found, _) => {
                let (code, what) = match found {
                    Some(_) => (Reason::Ambiguous, "fits several variants"),
                    None => (Reason::NotFound, "is no other variant of the same product"),
                };
                return Err(self.no_swap(line, item, code, format!("“{words}” {what} of {}", line.title)));
            }
        };
        if !found.is_available {
            let words = format!("{} is not in stock now", found.title);
            return Err(self.no_swap(line, item, Reason::OutOfStock, words));
        }
        Ok(Some(Swap { variant_id: found.id, title: found.title.clone() }))
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
            label: format!("{}, {} {}", variant.title, variant.price_minor, variant.currency),
            confidence: if variant.price_minor == line.unit_price_minor { 0.6 } else { 0.4 },
        });
        let error = ValidationError::new(FIELD, code, words).suggesting(suggestions.collect());
        Unclear::Wrong(Box::new(error))
    }
}

fn nothing_left(line: &Line) -> Unclear {
    let words = format!("no units of {} are left to be dealt with: see list of items", line.title);
    wrong(Reason::NotEligible, words)
}

fn wrong(code: Reason, words: impl Into<String>) -> Unclear {
    Unclear::Wrong(Box::new(ValidationError::new(FIELD, code, words)))
}

/// Whether every word that was said is in a text, whatever the spelling of plurals.
fn fits(said: &str, text: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(|word| word.to_lowercase().trim_end_matches('s').to_owned()).collect()
    };
    let (said, text) = (words(said), words(text));
    !said.is_empty() && said.iter().all(|word| SMALL.contains(&word.as_str()) || text.contains(word))
}

/// Words that name nothing.
const SMALL: [&str; 12] =
    ["the", "a", "an", "of", "in", "size", "colour", "color", "one", "my", "pair", "same"];

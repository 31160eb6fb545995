//! What can be bought, sent and paid right now, and what follows from it.

use mcp_actions_engine::parts::{Choice, Map, Risk, RiskLevel, Suggestion, ValidationError};
use mcp_actions_engine::{Facts, Judgement, Preview, Reason};
use serde_json::{Value, json};
use shop_domain::ids::VariantId;
use shop_domain::money::Currency;
use shop_service::checkout::{Item, Price, Sheet};

use super::address_block;
use super::payment::{self, Part, handle, parts, word};
use crate::wire::{choice, object, text};

/// The sheet of one wish. What is asked about other inputs than it was read for is answered with "not yet".
pub(super) struct Choices {
    sheet: Sheet,
}

/// The items that are wanted, as far as they are variants; 0 of something takes it out.
pub(super) fn wanted(inputs: &Map) -> Vec<(VariantId, i64)> {
    let items = inputs.get("items").and_then(Value::as_array).into_iter().flatten();
    let wanted = items.filter_map(|item| {
        let id = item.get("id")?.as_str()?.parse().ok()?;
        Some((id, item.get("quantity")?.as_i64()?))
    });
    wanted.filter(|(_, quantity)| *quantity > 0).collect()
}

impl Choices {
    pub(super) fn new(sheet: Sheet) -> Self {
        Self { sheet }
    }

    fn items(&self, inputs: &Map) -> Judgement {
        let Some(said) = inputs.get("items").and_then(Value::as_array) else { return Judgement::valid() };
        let mut errors: Vec<ValidationError> = said.iter().filter_map(|item| self.unknown(item)).collect();
        errors
            .extend(self.sheet.items.iter().filter(|item| !item.is_available()).map(|item| self.short(item)));
        if errors.is_empty() && wanted(inputs).is_empty() {
            let words = "nothing is left to buy: name at least one item with a quantity of 1 or more";
            errors.push(ValidationError::new("items", Reason::ValidationFailed, words));
        }
        if errors.is_empty() { Judgement::valid() } else { Judgement::Invalid(errors) }
    }

    fn unknown(&self, item: &Value) -> Option<ValidationError> {
        let said = item.get("id")?.as_str()?;
        let is_taken_out = item.get("quantity")?.as_i64()? == 0;
        let is_known = self.sheet.items.iter().any(|known| known.variant_id.to_string() == said);
        (!is_known && !is_taken_out).then(|| {
            let words = format!("there is no item {said}: use the id of a variant, or of a line of the cart");
            ValidationError::new("items", Reason::NotFound, words)
        })
    }

    /// Too little of it, with what could be had instead. Every suggestion can be sent as it is.
    fn short(&self, item: &Item) -> ValidationError {
        let free = item.available.unwrap_or(0);
        let words = if item.is_sold {
            format!("{} has {free} units left, {} are wanted", item.title, item.quantity)
        } else {
            format!("{} is not sold any more", item.title)
        };
        let mut suggestions = Vec::new();
        if item.is_sold && free > 0 {
            suggestions.push(Suggestion {
                field: "items".to_owned(),
                value: json!([{ "id": item.variant_id, "quantity": free }]),
                label: format!("Take {free} of {}", item.title),
                confidence: 0.6,
            });
        }
        suggestions.extend(item.alternatives.iter().map(|other| Suggestion {
            field: "items".to_owned(),
            value: json!([
                { "id": item.variant_id, "quantity": 0 },
                { "id": other.variant_id, "quantity": item.quantity },
            ]),
            label: format!("{} instead, {} {} each", other.title, other.price_minor, self.sheet.currency),
            confidence: if other.price_minor == item.unit_price_minor { 0.7 } else { 0.4 },
        }));
        ValidationError::new("items", Reason::OutOfStock, words).suggesting(suggestions)
    }

    fn address(&self, inputs: &Map) -> Judgement {
        let Some(said) = text(inputs, "address_id") else { return Judgement::valid() };
        let reached = || self.sheet.addresses.iter().filter(|entry| entry.is_deliverable);
        let Some(entry) = self.sheet.addresses.iter().find(|entry| entry.id.to_string() == said) else {
            let words = format!("there is no address {said} in the address book");
            let allowed = reached().map(|entry| json!(entry.id)).collect();
            return Judgement::Invalid(vec![
                ValidationError::new("address_id", Reason::NotFound, words).allowing(allowed),
            ]);
        };
        if entry.is_deliverable {
            return Judgement::valid();
        }
        let words = format!("nothing carries these items to {}", entry.address.one_line());
        let suggestions = reached().map(|other| Suggestion {
            field: "address_id".to_owned(),
            value: json!(other.id),
            label: format!("Send it to {}", other.label),
            confidence: if other.is_default { 0.7 } else { 0.5 },
        });
        let error = ValidationError::new("address_id", Reason::AddressUndeliverable, words);
        Judgement::Invalid(vec![error.suggesting(suggestions.collect())])
    }

    fn shipping(&self, inputs: &Map) -> Judgement {
        let rates = &self.sheet.shipping;
        match (text(inputs, "shipping_method_id"), rates.first()) {
            (Some(said), _) if rates.iter().any(|rate| rate.shipping_method_id.to_string() == said) => {
                Judgement::valid()
            }
            (Some(said), _) => {
                let words = format!("shipping method {said} does not reach this address with these items");
                let suggestions = rates.iter().map(|rate| Suggestion {
                    field: "shipping_method_id".to_owned(),
                    value: json!(rate.shipping_method_id),
                    label: format!("{}, {} {}", rate.name, rate.price_minor, rate.currency),
                    confidence: 0.5,
                });
                let error = ValidationError::new("shipping_method_id", Reason::AddressUndeliverable, words);
                Judgement::Invalid(vec![error.suggesting(suggestions.collect())])
            }
            (None, Some(cheapest)) => Judgement::Valid {
                derived: object(json!({ "shipping_method_id": cheapest.shipping_method_id })),
            },
            (None, None) => Judgement::valid(),
        }
    }

    fn coupon(&self, inputs: &Map) -> Judgement {
        let Some(said) = text(inputs, "coupon_id") else { return Judgement::valid() };
        if self.sheet.coupons.iter().any(|coupon| coupon.id.to_string() == said) {
            return Judgement::valid();
        }
        let words = self.sheet.coupon_refusal.clone().unwrap_or_else(|| format!("there is no coupon {said}"));
        let suggestions = self.sheet.coupons.iter().map(|coupon| Suggestion {
            field: "coupon_id".to_owned(),
            value: json!(coupon.id),
            label: format!("{}: {}", coupon.code, coupon.label),
            confidence: 0.5,
        });
        let error = ValidationError::new("coupon_id", Reason::CouponInvalid, words);
        Judgement::Invalid(vec![error.suggesting(suggestions.collect())])
    }

    fn payment(&self, inputs: &Map) -> Judgement {
        let total = self.price(inputs).map(|price| (price.total_minor, self.sheet.currency));
        match parts(&self.sheet.instruments, inputs, total) {
            Err(error) => Judgement::Invalid(vec![error]),
            // A split names its types itself.
            Ok(parts) => match parts.first().filter(|_| !inputs.contains_key("payment_type")) {
                Some(first) => Judgement::Valid { derived: object(json!({ "payment_type": first.word })) },
                None => Judgement::valid(),
            },
        }
    }

    /// What it costs with the coupon of these inputs.
    fn price(&self, inputs: &Map) -> Option<Price> {
        match text(inputs, "coupon_id") {
            None => self.sheet.price,
            Some(said) => {
                let with = self.sheet.coupons.iter().find(|coupon| coupon.id.to_string() == said);
                with.map(|coupon| coupon.price)
            }
        }
    }

    fn summary(&self, inputs: &Map) -> Map {
        let sheet = &self.sheet;
        let price = self.price(inputs).unwrap_or(Price {
            subtotal_minor: 0,
            discount_minor: 0,
            shipping_minor: 0,
            tax_minor: 0,
            total_minor: 0,
        });
        let total = Some((price.total_minor, sheet.currency));
        let parts = parts(&sheet.instruments, inputs, total).unwrap_or_default();
        let is = |said: Option<&str>, id: String| said == Some(id.as_str());
        let address =
            sheet.addresses.iter().find(|entry| is(text(inputs, "address_id"), entry.id.to_string()));
        let method = text(inputs, "shipping_method_id");
        let shipping = sheet.shipping.iter().find(|rate| is(method, rate.shipping_method_id.to_string()));
        let coupon = sheet.coupons.iter().find(|coupon| is(text(inputs, "coupon_id"), coupon.id.to_string()));
        object(json!({
            "amount": price.total_minor,
            "currency": sheet.currency,
            "items": sheet.items.iter().map(|item| json!({
                "id": item.variant_id,
                "name": item.title,
                "quantity": item.quantity,
                "unit_price": item.unit_price_minor,
            })).collect::<Vec<_>>(),
            "subtotal": price.subtotal_minor,
            "discount": price.discount_minor,
            "shipping": price.shipping_minor,
            "tax": price.tax_minor,
            "address": address.map(|entry| entry.label.clone()),
            "ship_to": address.map(|entry| entry.address.one_line()),
            "shipping_method": shipping.map(|rate| rate.name.clone()),
            "payment_type": parts.iter().map(|part| part.word).collect::<Vec<_>>().join(" + "),
            "payments": parts.iter().map(|part| payment_block(part, sheet.currency)).collect::<Vec<_>>(),
            "coupon": coupon.map(|coupon| coupon.code.clone()),
        }))
    }
}

fn payment_block(part: &Part<'_>, currency: Currency) -> Value {
    json!({
        "payment_type": part.word,
        "payment_method_id": handle(part.instrument),
        "label": part.instrument.label,
        "amount": part.amount_minor,
        "currency": currency,
    })
}

impl Facts for Choices {
    fn judge(&self, node: &str, inputs: &Map) -> Judgement {
        match node {
            "ITEMS" => self.items(inputs),
            "ADDRESS" => self.address(inputs),
            "SHIPPING" => self.shipping(inputs),
            "COUPON" => self.coupon(inputs),
            "PAYMENT" => self.payment(inputs),
            _ => Judgement::valid(),
        }
    }

    fn options(&self, field: &str, inputs: &Map) -> Option<Vec<Choice>> {
        let sheet = &self.sheet;
        match field {
            "address_id" => {
                let reached = sheet.addresses.iter().filter(|entry| entry.is_deliverable);
                Some(reached.map(|entry| choice(entry.id, entry.label.clone())).collect())
            }
            "shipping_method_id" if !sheet.shipping.is_empty() => {
                let label = |rate: &shop_service::shipping::Rate| {
                    format!("{}, {} {}", rate.name, rate.price_minor, rate.currency)
                };
                Some(sheet.shipping.iter().map(|rate| choice(rate.shipping_method_id, label(rate))).collect())
            }
            "coupon_id" if sheet.price.is_some() => {
                Some(sheet.coupons.iter().map(|coupon| choice(coupon.id, coupon.label.clone())).collect())
            }
            "payment_type" => {
                let there = |kind| sheet.instruments.iter().find(move |instrument| instrument.kind == kind);
                let types = payment::TYPES.into_iter();
                Some(
                    types.filter_map(|(word, kind)| Some(choice(word, there(kind)?.label.clone()))).collect(),
                )
            }
            "payment_method_id" => {
                let said = text(inputs, "payment_type")?;
                let fitting = sheet.instruments.iter().filter(|instrument| word(instrument.kind) == said);
                Some(fitting.filter_map(|found| Some(choice(handle(found)?, found.label.clone()))).collect())
            }
            _ => None,
        }
    }

    fn context(&self, inputs: &Map) -> Map {
        let sheet = &self.sheet;
        let base = sheet.price.map_or(0, |price| price.total_minor);
        object(json!({
            "currency": sheet.currency,
            "items": sheet.items.iter().map(|item| json!({
                "id": item.variant_id,
                "name": item.title,
                "sku": item.sku,
                "quantity": item.quantity,
                "unit_price": item.unit_price_minor,
                "available": item.available,
            })).collect::<Vec<_>>(),
            "addresses": sheet.addresses.iter().map(address_block).collect::<Vec<_>>(),
            "shipping_methods": sheet.shipping.iter().map(|rate| json!({
                "id": rate.shipping_method_id,
                "label": rate.name,
                "price": rate.price_minor,
                "days": [rate.days_min, rate.days_max],
                "arrives_by": rate.arrives_by,
            })).collect::<Vec<_>>(),
            "available_coupons": sheet.coupons.iter().map(|coupon| json!({
                "id": coupon.id,
                "code": coupon.code,
                "label": coupon.label,
                "saves": base - coupon.price.total_minor,
            })).collect::<Vec<_>>(),
            "payment_methods": sheet.instruments.iter().map(|instrument| json!({
                "type": word(instrument.kind),
                "payment_method_id": handle(instrument),
                "label": instrument.label,
                "available": instrument.available_minor,
                "is_default": instrument.is_default,
            })).collect::<Vec<_>>(),
            "total": self.price(inputs).map(|price| price.total_minor),
        }))
    }

    fn preview(&self, inputs: &Map) -> Preview {
        let summary = self.summary(inputs);
        let amount = summary.get("amount").and_then(Value::as_i64).unwrap_or_default();
        let factors = vec![format!("moves_money: {amount} {} are charged", self.sheet.currency)];
        // A purchase can be taken back in full until it ships, and money only comes in.
        Preview { summary, risk: Risk { level: RiskLevel::Low, factors }, staff_approval: false }
    }
}

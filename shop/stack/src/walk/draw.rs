//! Requests from the document: plausible ones mostly, and some that are not.

use serde_json::{Map, Value, json};
use shop_domain::operations::Operation;

use super::dice::Dice;
use super::memory::Memory;

/// What a story says although it need not.
const TOLD_WITH: [&str; 5] = ["store_id", "customer_id", "address", "contact_email", "payment_method_id"];

/// One call that will be made.
pub(super) struct Drawn {
    pub(super) path: String,
    /// The path of the read of what it is about, where there is one.
    pub(super) subject: Option<String>,
    pub(super) about: Vec<String>,
    pub(super) body: Option<Value>,
}

pub(super) struct Drawer {
    document: Value,
}

impl Drawer {
    pub(super) fn new() -> Self {
        Self { document: shop_api::document() }
    }

    /// The path of a call, with what it names.
    pub(super) fn path(&self, dice: &mut Dice, memory: &Memory, operation: &Operation) -> Drawn {
        let mut about = Vec::new();
        let mut path = String::new();
        let mut subject = None;
        for part in operation.path.split('/').skip(1) {
            path.push('/');
            let Some(name) = part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) else {
                path.push_str(part);
                continue;
            };
            let schema = self.parameter(operation, name);
            let value = self.value(dice, memory, &about, name, &schema);
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            path.push_str(&text.replace(' ', "%20"));
            about.push(text);
            subject = Some(path.clone());
        }
        Drawn { path, subject, about, body: None }
    }

    /// The body of a call about something, if the operation takes one.
    pub(super) fn body(
        &self,
        dice: &mut Dice,
        memory: &Memory,
        operation: &Operation,
        about: &[String],
    ) -> Option<Value> {
        let schema = self.entry(operation).pointer("/requestBody/content/application~1json/schema")?;
        let mut body = self.value(dice, memory, about, "", schema);
        if !memory.is_telling && dice.one_in(12) {
            spoil(dice, &mut body);
        }
        Some(body)
    }

    /// Whether there is a handler.
    pub(super) fn knows(&self, operation: &Operation) -> bool {
        self.entry(operation).is_object()
    }

    fn entry(&self, operation: &Operation) -> &Value {
        &self.document["paths"][operation.path][operation.method.as_str().to_lowercase()]
    }

    fn parameter(&self, operation: &Operation, name: &str) -> Value {
        let parameters = self.entry(operation)["parameters"].as_array();
        let named = parameters.and_then(|all| all.iter().find(|parameter| parameter["name"] == name));
        named.unwrap_or_else(|| panic!("{} has no {name}", operation.id))["schema"].clone()
    }

    fn value(&self, dice: &mut Dice, memory: &Memory, about: &[String], name: &str, schema: &Value) -> Value {
        if let Some(reference) = schema["$ref"].as_str() {
            let target = self.document.pointer(reference.trim_start_matches('#')).unwrap();
            return self.value(dice, memory, about, name, target);
        }
        if let Some(all) = schema["allOf"].as_array() {
            let parts = all.iter().map(|part| self.value(dice, memory, about, name, part));
            let mut whole = Map::new();
            for part in parts.filter_map(|part| part.as_object().cloned()) {
                whole.extend(part);
            }
            return Value::Object(whole);
        }
        if let Some(choices) = schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array()) {
            let real: Vec<&Value> = choices.iter().filter(|choice| choice["type"] != "null").collect();
            let chosen = real[dice.below(real.len())];
            return self.value(dice, memory, about, name, chosen);
        }
        if let Some(words) = schema["enum"].as_array() {
            return dice.pick(words).clone();
        }
        if !schema["const"].is_null() {
            return schema["const"].clone();
        }
        match type_of(schema) {
            "object" => self.object(dice, memory, about, schema),
            "array" => {
                let length = 1 + dice.below(2);
                (0..length).map(|_| self.value(dice, memory, about, name, &schema["items"])).collect()
            }
            "integer" | "number" => integer(dice, memory, name, schema),
            "boolean" => json!(dice.one_in(2)),
            _ => string(dice, memory, about, name, schema),
        }
    }

    fn object(&self, dice: &mut Dice, memory: &Memory, about: &[String], schema: &Value) -> Value {
        let mut object = Map::new();
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            let rare = match memory.is_telling {
                true if TOLD_WITH.contains(&name.as_str()) => 1,
                true => 12,
                false => 3,
            };
            if required.contains(&json!(name)) || dice.one_in(rare) {
                object.insert(name.clone(), self.value(dice, memory, about, name, field));
            }
        }
        Value::Object(object)
    }
}

fn type_of(schema: &Value) -> &str {
    let of_many = schema["type"].as_array().and_then(|types| types.iter().find(|name| *name != "null"));
    of_many.unwrap_or(&schema["type"]).as_str().unwrap_or("string")
}

fn integer(dice: &mut Dice, memory: &Memory, name: &str, schema: &Value) -> Value {
    let (least, most) = (schema["minimum"].as_i64(), schema["maximum"].as_i64());
    if dice.one_in(20) {
        return json!(*dice.pick(&[
            0,
            -1,
            least.unwrap_or(0) - 1,
            most.unwrap_or(i64::MAX),
            i64::MAX,
            i64::MIN
        ]));
    }
    if name.contains("minor") {
        let seen = ["total_minor", "amount_minor", "captured_minor", "balance_minor", "price_minor"];
        let field = *dice.pick(&seen);
        if let Some(amount) = memory.word(dice, field).filter(|_| !dice.one_in(3)) {
            return amount;
        }
        return json!(*dice.pick(&[1, 99, 500, 1_990, 4_900, 12_000, 60_000]));
    }
    if name.contains("bps") {
        return json!(*dice.pick(&[100, 1_000, 2_500, 10_000]));
    }
    let small = i64::try_from(dice.below(4)).unwrap();
    json!(
        least.filter(|least| *least >= 0).unwrap_or(0).max(1) + small
            - i64::from(!memory.is_telling && dice.one_in(4))
    )
}

fn string(dice: &mut Dice, memory: &Memory, about: &[String], name: &str, schema: &Value) -> Value {
    let example = || {
        let first = schema["examples"].get(0).unwrap_or(&schema["example"]);
        if first.is_null() { json!("walked") } else { first.clone() }
    };
    if let Some(prefix) = schema["pattern"].as_str().and_then(id_prefix) {
        return memory.id(dice, prefix, about).map_or_else(example, Value::from);
    }
    if name == "url" {
        // Nobody is there, and the test must not wait for anybody.
        return json!("http://127.0.0.1:9/hook");
    }
    if schema["format"] == "date-time" {
        return json!(*dice.pick(&["2025-12-01T00:00:00Z", "2026-01-20T00:00:00Z", "2027-01-01T00:00:00Z"]));
    }
    if memory.is_telling {
        return example();
    }
    if dice.one_in(2)
        && let Some(word) =
            memory.word(dice, name.trim_start_matches("coupon_").trim_start_matches("gift_card_"))
        && word.is_string()
    {
        return word;
    }
    match dice.below(6) {
        0 => json!(format!("walked {}", dice.below(1_000))),
        1 if name == "email" => json!(format!("w{}@example.com", dice.below(50))),
        _ => example(),
    }
}

/// `ord` of `^ord_[0-7]…$`.
fn id_prefix(pattern: &str) -> Option<&str> {
    pattern.strip_prefix('^')?.split_once("_[0-7]").map(|(prefix, _)| prefix)
}

/// Makes a body one that no careful client sends.
fn spoil(dice: &mut Dice, body: &mut Value) {
    let Some(fields) = body.as_object_mut() else { return };
    let names: Vec<String> = fields.keys().cloned().collect();
    if names.is_empty() {
        fields.insert("surprise".into(), json!(true));
        return;
    }
    let name = dice.pick(&names).clone();
    match dice.below(5) {
        0 => drop(fields.remove(&name)),
        1 => drop(fields.insert(name, Value::Null)),
        2 => drop(fields.insert(name, json!(-7))),
        3 => drop(fields.insert(name, json!([{ "what": "is this" }]))),
        _ => drop(fields.insert("surprise".into(), json!("\u{0}\u{1f600}"))),
    }
}

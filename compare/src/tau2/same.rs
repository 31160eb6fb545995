//! Whether two worlds are the same: every field, amounts to the cent, absent and null alike.

use serde_json::Value;

/// Differences shown of one run; more would not be read.
const SHOWN_MAX: usize = 12;

/// Every field in which a world is not as it should be.
pub(super) fn differences(expected: &Value, found: &Value) -> Vec<String> {
    let mut all = Vec::new();
    collect("", expected, found, &mut all);
    let more = all.len().saturating_sub(SHOWN_MAX);
    all.truncate(SHOWN_MAX);
    if more > 0 {
        all.push(format!("and {more} more differences"));
    }
    all
}

fn collect(path: &str, expected: &Value, found: &Value, all: &mut Vec<String>) {
    match (expected, found) {
        (Value::Object(wanted), Value::Object(got)) => {
            for (name, value) in wanted {
                collect(&format!("{path}/{name}"), value, got.get(name).unwrap_or(&Value::Null), all);
            }
            for (name, value) in got.iter().filter(|(name, _)| !wanted.contains_key(*name)) {
                collect(&format!("{path}/{name}"), &Value::Null, value, all);
            }
        }
        (Value::Array(wanted), Value::Array(got)) if wanted.len() == got.len() => {
            for (at, (wanted, got)) in wanted.iter().zip(got).enumerate() {
                collect(&format!("{path}/{at}"), wanted, got, all);
            }
        }
        (Value::Number(wanted), Value::Number(got)) => {
            if wanted != got && cents(expected) != cents(found) {
                all.push(format!("{path} is {found}, not {expected}"));
            }
        }
        _ if expected == found => {}
        _ => all.push(format!("{path} is {found}, not {expected}")),
    }
}

/// The reference's amounts are floats with dust. Written with two digits they are exact.
fn cents(value: &Value) -> Option<String> {
    value.as_f64().map(|amount| format!("{amount:.2}").replace("-0.00", "0.00"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn dust_and_absence_are_no_difference() {
        let expected = json!({ "a": 0.049_999_999_999_997_16, "b": null, "c": [1, -0.001] });
        assert!(differences(&expected, &json!({ "a": 0.05, "c": [1.0, 0.0], "d": null })).is_empty());
    }

    #[test]
    fn a_cent_a_missing_thing_and_another_order_are_differences() {
        let expected = json!({ "a": 0.05, "b": { "x": 1 }, "c": [1, 2] });
        let found = json!({ "a": 0.06, "c": [2, 1], "d": "new" });
        let shown = differences(&expected, &found);
        assert_eq!(
            shown,
            [
                "/a is 0.06, not 0.05",
                "/b is null, not {\"x\":1}",
                "/c/0 is 2, not 1",
                "/c/1 is 1, not 2",
                "/d is \"new\", not null"
            ]
        );
    }

    #[test]
    fn a_long_list_of_differences_is_cut() {
        let found: serde_json::Map<_, _> = (0..40).map(|n| (n.to_string(), json!(n))).collect();
        let shown = differences(&json!({}), &Value::Object(found));
        assert_eq!(shown.len(), SHOWN_MAX + 1);
        assert_eq!(shown.last().unwrap(), "and 28 more differences");
    }
}

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::*;

#[test]
fn every_file_of_the_folder_is_embedded_and_can_be_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tasks");
    let on_disk: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    let tasks = all().unwrap();
    let embedded: BTreeSet<String> = tasks.iter().map(|task| task.id.clone()).collect();
    assert_eq!(embedded, on_disk);
    assert!(tasks.len() >= 20, "{} tasks", tasks.len());
}

/// An expert knows only the request's words: everything an intent says must be in its request.
#[test]
fn an_intent_says_nothing_that_its_request_does_not() {
    for task in all().unwrap() {
        let request = squeeze(&task.request);
        let mut words = Vec::new();
        leaves(&serde_json::to_value(&task.intent).unwrap(), "", &mut words);
        for (path, word) in words {
            assert!(request.contains(&word), "{}: {path} `{word}` is not in the request", task.id);
        }
    }
}

#[test]
fn a_task_that_changes_something_says_what_and_a_refused_one_changes_nothing() {
    for task in all().unwrap() {
        let reads = matches!(task.intent, Intent::TrackOrder(_) | Intent::ReadOrder(_));
        assert_eq!(task.expect.tables.is_empty(), reads || !task.refused_because.is_empty(), "{}", task.id);
        if !reads && task.refused_because.is_empty() {
            assert!(!task.expect.order.is_empty() || !task.expect.row.is_empty(), "{}", task.id);
        }
    }
}

/// Words as people write them: without case, underscores or line breaks.
fn squeeze(text: &str) -> String {
    text.replace('_', " ").split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn leaves(value: &Value, path: &str, words: &mut Vec<(String, String)>) {
    match value {
        Value::String(_) if path == "/kind" || path.ends_with("/country") => {}
        Value::String(word) if !word.is_empty() => words.push((path.to_owned(), squeeze(word))),
        Value::Number(minor) if path.ends_with("amount_minor") => {
            let minor = minor.as_i64().unwrap();
            words.push((path.to_owned(), format!("{}.{:02}", minor / 100, minor % 100)));
        }
        Value::Number(n) if n.as_i64() != Some(1) => words.push((path.to_owned(), n.to_string())),
        Value::Array(items) => items.iter().for_each(|item| leaves(item, path, words)),
        Value::Object(fields) => {
            for (name, value) in fields {
                leaves(value, &format!("{path}/{name}"), words);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

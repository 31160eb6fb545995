use serde_json::json;

use super::*;
use crate::client::CallRecord;

fn run(id: &str, surface: Surface, passed: bool, end: &str) -> Run {
    let call = CallRecord {
        tool: "get_order".into(),
        arguments: json!({ "order_id": "<b>" }),
        result: json!({ "status": 200 }),
        is_error: false,
        bytes: 40,
        tokens: 10,
        micros: 1_500,
    };
    Run {
        id: id.into(),
        title: "A title".into(),
        request: "Where is it?".into(),
        intents: vec!["track_order"],
        surface,
        passed,
        problems: if passed { Vec::new() } else { vec!["stock moved".into()] },
        refused: Vec::new(),
        micros: 2_000,
        calls: vec![call.clone(), call],
        end_state: vec![end.into()],
        operations: vec!["cancel_order".into()],
    }
}

fn fault(policy: Policy, overcharged_minor: i64) -> FaultRow {
    FaultRow {
        fault: "lost_answer",
        operation: "authorize",
        placement: "after",
        surface: Surface::Crud,
        policy,
        rules: "ui",
        profile: "acp",
        intended_charges: 1,
        actual_charges: 1 + usize::from(overcharged_minor > 0),
        overcharged_minor,
        held_minor: 0,
        stuck: 0,
        calls: 8,
        told: "paid".into(),
        transcript: Vec::new(),
    }
}

fn report(runs: Vec<Run>, faults: Vec<FaultRow>) -> Report {
    let coverage = Coverage::of(200, runs.iter());
    let catalogue = Surface::ALL.map(|surface| (surface.name(), Catalogue::default())).into_iter().collect();
    Report {
        version: "0",
        seed: 1,
        tau2: Some(Instrument::new(Vec::new(), missing("tau2-3"))),
        tasks: Instrument::new(runs, BTreeMap::new()),
        catalogue,
        faults,
        coverage,
        micros: 1,
    }
}

fn missing(id: &str) -> BTreeMap<&'static str, Vec<String>> {
    [("actions", vec![id.to_owned()])].into()
}

fn both(end: &str) -> Vec<Run> {
    vec![run("a", Surface::Crud, true, "x"), run("a", Surface::Actions, true, end)]
}

#[test]
fn sums_are_per_surface_and_unsupported_tasks_are_counted_in_the_open() {
    let instrument = Instrument::new(both("x"), missing("b"));
    let sum = &instrument.surfaces["crud"];
    assert_eq!((sum.passed, sum.total, sum.unsupported), (1, 1, 0));
    assert_eq!((sum.calls, sum.bytes, sum.tokens, sum.wall_ms), (2, 80, 20, 2));
    assert_eq!(instrument.surfaces["actions"], Sum { total: 2, unsupported: 1, ..sum.clone() });
}

#[test]
fn passing_needs_every_run_equal_ends_and_a_right_book() {
    assert!(report(both("x"), vec![fault(Policy::ByTheBook, 0), fault(Policy::StartOver, 500)]).passed());
    assert!(!report(both("y"), Vec::new()).passed());
    assert!(!report(vec![run("a", Surface::Crud, false, "x")], Vec::new()).passed());
    assert!(!report(both("x"), vec![fault(Policy::ByTheBook, 500)]).passed());
}

#[test]
fn the_fields_others_read_are_there() {
    let value = serde_json::to_value(report(both("x"), vec![fault(Policy::NewKey, 0)])).unwrap();
    for surface in ["crud", "actions"] {
        for field in ["passed", "total", "unsupported", "calls", "tokens"] {
            assert!(value["tasks"]["surfaces"][surface][field].is_number(), "tasks {surface} {field}");
            assert!(value["tau2"]["surfaces"][surface][field].is_number(), "tau2 {surface} {field}");
        }
        for field in ["tools", "bytes", "tokens"] {
            assert!(value["catalogue"][surface][field].is_number(), "catalogue {surface} {field}");
        }
    }
    let fields = [
        "fault",
        "operation",
        "placement",
        "surface",
        "policy",
        "rules",
        "profile",
        "intended_charges",
        "actual_charges",
        "overcharged_minor",
        "stuck",
        "calls",
    ];
    for field in fields {
        assert!(!value["faults"][0][field].is_null(), "{field}");
    }
    assert_eq!(value["faults"][0]["policy"], "new_key");
}

#[test]
fn the_page_is_whole_and_escapes_what_it_shows() {
    let page = page::render(&report(both("x"), vec![fault(Policy::StartOver, 500)])).unwrap();
    assert!(page.contains("<details>") && page.contains("<svg") && page.contains("tau2-3"));
    assert!(page.contains("&#60;b&#62;") || page.contains("&lt;b&gt;"), "arguments are escaped");
    for outside in ["http://", "https://", "src="] {
        assert!(!page.contains(outside), "the page loads {outside}");
    }
}

#[test]
fn the_table_says_what_is_wrong() {
    let shown =
        table::text(&report(vec![run("a", Surface::Crud, false, "x")], vec![fault(Policy::ByTheBook, 500)]));
    assert!(shown.contains("a on crud: stock moved"), "{shown}");
    assert!(shown.contains("0/1 right, 5.00 over, 0 stuck"), "{shown}");
    assert!(shown.contains("NOT everything"), "{shown}");
    assert!(table::text(&report(both("x"), Vec::new())).contains("1 of 1"));
}

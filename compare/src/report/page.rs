//! `report.html`: one file, nothing loaded from anywhere, every transcript a click away.

use std::collections::BTreeMap;

use askama::Template;
use serde_json::Value;

use super::{Instrument, Report, Sum};
use crate::client::CallRecord;
use crate::faults::{FaultRow, Policy};
use crate::run::Run;
use crate::surfaces::Surface;

/// Characters of one result that are shown; the rest is in `report.json`.
const RESULT_CHARS_MAX: usize = 4_000;
/// Width of the longest bar, in pixels.
const BAR_WIDTH: usize = 320;

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    report: &'a Report,
    verdict: bool,
    charts: Vec<Chart>,
    sets: Vec<Set<'a>>,
    faults: Vec<FaultGroup<'a>>,
    coverage: Vec<Reached<'a>>,
    reached: [usize; 2],
}

/// Bars of one measure.
struct Chart {
    title: &'static str,
    bars: Vec<Bar>,
}

struct Bar {
    surface: &'static str,
    value: usize,
    width: usize,
    y: usize,
}

/// One set of tasks with its sums, and the runs of each task side by side.
struct Set<'a> {
    title: &'static str,
    about: &'static str,
    sums: Vec<(&'static str, &'a Sum)>,
    unsupported: &'a BTreeMap<&'static str, Vec<String>>,
    tasks: Vec<TaskRow<'a>>,
}

struct TaskRow<'a> {
    id: &'a str,
    title: &'a str,
    request: &'a str,
    intents: String,
    runs: Vec<RunCell<'a>>,
}

struct RunCell<'a> {
    surface: &'static str,
    passed: bool,
    calls: usize,
    tokens: usize,
    ms: String,
    problems: &'a [String],
    refused: &'a [String],
    transcript: Vec<Line<'a>>,
}

/// One call of a transcript.
struct Line<'a> {
    tool: &'a str,
    arguments: String,
    result: String,
    is_error: bool,
    tokens: usize,
}

struct FaultGroup<'a> {
    title: String,
    rows: Vec<FaultLine<'a>>,
}

struct FaultLine<'a> {
    row: &'a FaultRow,
    surface: &'static str,
    policy: &'static str,
    over: String,
    right: bool,
    is_book: bool,
    transcript: Vec<Line<'a>>,
}

struct Reached<'a> {
    operation: &'a str,
    crud: bool,
    actions: bool,
}

pub(super) fn render(report: &Report) -> anyhow::Result<String> {
    let mut sets = vec![set(
        "Own tasks",
        "Checkout and every after-sales branch, also with faults; each in a fresh world, judged by rows and by the gateway's books.",
        &report.tasks,
    )];
    sets.extend(report.tau2.as_ref().map(|tau2| {
        set(
            "τ²-bench retail, train tasks",
            "Gold writes as intents; the exported end state is compared field by field, to the cent.",
            tau2,
        )
    }));
    let page = Page {
        report,
        verdict: report.passed(),
        charts: charts(report),
        sets,
        faults: faults(report),
        coverage: coverage(report),
        reached: Surface::ALL.map(|surface| report.coverage.count(surface)),
    };
    Ok(page.render()?)
}

fn charts(report: &Report) -> Vec<Chart> {
    let of = |title, values: [usize; 2]| {
        let longest = values.into_iter().max().unwrap_or(0).max(1);
        let bars = Surface::ALL.iter().zip(values).enumerate().map(|(at, (surface, value))| Bar {
            surface: surface.name(),
            value,
            width: value * BAR_WIDTH / longest,
            y: at * 24,
        });
        Chart { title, bars: bars.collect() }
    };
    let seen = |pick: fn(&crate::surfaces::Catalogue) -> usize| {
        Surface::ALL.map(|surface| report.catalogue.get(surface.name()).map_or(0, pick))
    };
    let sums = |instrument: &Instrument, pick: fn(&Sum) -> usize| {
        Surface::ALL.map(|surface| instrument.surfaces.get(surface.name()).map_or(0, pick))
    };
    let mut charts = vec![
        of("Catalogue, tokens (once per conversation)", seen(|seen| seen.tokens)),
        of("Own tasks, calls", sums(&report.tasks, |sum| sum.calls)),
        of("Own tasks, tokens of arguments and results", sums(&report.tasks, |sum| sum.tokens)),
    ];
    if let Some(tau2) = &report.tau2 {
        charts.push(of("τ² tasks, calls", sums(tau2, |sum| sum.calls)));
        charts.push(of("τ² tasks, tokens of arguments and results", sums(tau2, |sum| sum.tokens)));
    }
    charts
}

fn set<'a>(title: &'static str, about: &'static str, instrument: &'a Instrument) -> Set<'a> {
    let mut tasks: Vec<TaskRow<'a>> = Vec::new();
    for run in &instrument.runs {
        match tasks.iter_mut().find(|task| task.id == run.id) {
            Some(task) => task.runs.push(cell(run)),
            None => tasks.push(TaskRow {
                id: &run.id,
                title: &run.title,
                request: &run.request,
                intents: run.intents.join(", "),
                runs: vec![cell(run)],
            }),
        }
    }
    let sums = Surface::ALL
        .iter()
        .filter_map(|surface| Some((surface.name(), instrument.surfaces.get(surface.name())?)));
    Set { title, about, sums: sums.collect(), unsupported: &instrument.unsupported, tasks }
}

fn cell(run: &Run) -> RunCell<'_> {
    RunCell {
        surface: run.surface.name(),
        passed: run.passed,
        calls: run.calls.len(),
        tokens: run.calls.iter().map(|call| call.tokens).sum(),
        ms: (run.micros / 1_000).to_string(),
        problems: &run.problems,
        refused: &run.refused,
        transcript: lines(&run.calls),
    }
}

fn lines(calls: &[CallRecord]) -> Vec<Line<'_>> {
    calls.iter().map(Line::of).collect()
}

impl<'a> Line<'a> {
    fn of(call: &'a CallRecord) -> Self {
        let (arguments, result) = (pretty(&call.arguments), cut(pretty(&call.result)));
        Self { tool: &call.tool, arguments, result, is_error: call.is_error, tokens: call.tokens }
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

fn cut(text: String) -> String {
    match text.char_indices().nth(RESULT_CHARS_MAX) {
        Some((end, _)) => format!("{}\n… ({} bytes in all)", text.get(..end).unwrap_or_default(), text.len()),
        None => text,
    }
}

fn faults(report: &Report) -> Vec<FaultGroup<'_>> {
    let mut groups: Vec<FaultGroup<'_>> = Vec::new();
    for row in &report.faults {
        let title = format!(
            "{}@{}:{}, {} rules, profile {}",
            row.fault, row.operation, row.placement, row.rules, row.profile
        );
        let line = FaultLine {
            row,
            surface: row.surface.name(),
            policy: row.policy.name(),
            over: format!("{}.{:02}", row.overcharged_minor / 100, row.overcharged_minor % 100),
            right: row.is_right(),
            is_book: row.policy == Policy::ByTheBook,
            transcript: lines(&row.transcript),
        };
        match groups.iter_mut().find(|group| group.title == title) {
            Some(group) => group.rows.push(line),
            None => groups.push(FaultGroup { title, rows: vec![line] }),
        }
    }
    groups
}

fn coverage(report: &Report) -> Vec<Reached<'_>> {
    let reached = report.coverage.reached.iter().map(|(operation, surfaces)| Reached {
        operation,
        crud: surfaces.contains(Surface::Crud.name()),
        actions: surfaces.contains(Surface::Actions.name()),
    });
    reached.collect()
}

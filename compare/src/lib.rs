//! The comparison: the same requests through both doors of the same shop, with numbers for what each costs.
//!
//! Everything runs in this process: a shop, its gateway and both doors, a fresh world for every run, a clock that
//! stands still. Three instruments, none of which needs a model:
//!
//! - **own tasks** (`tasks/*.toml`): a request in a customer's words, and what must be so afterwards;
//! - **τ² tasks**: gold calls of τ²-bench retail, read from a folder, compared with its end states to the cent;
//! - **faults**: the gateway loses an answer, and clients of four habits go on.
//!
//! It must never judge by a reply (only by rows and the gateway's own ledger), never tell an expert an id, and never
//! hide what a surface cannot do.
//!
//! Start at [`run`], then `run.rs` (one expert in one world), `expert/` (what they do), `checks.rs` (what is right).

mod checks;
mod client;
mod diff;
mod expert;
mod faults;
mod intent;
mod outside;
mod report;
mod run;
mod surfaces;
mod task;
mod tau2;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context as _;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use shop_stack::{ConsentLevel, EPOCH, RulesMode, Settings, Stack};

use crate::faults::FaultRow;
use crate::report::{Coverage, Instrument, Report};
use crate::surfaces::{Catalogue, Surface};
use crate::task::Task;

/// Whose eyes the catalogues are counted with.
const READER: &str = "agent";
/// The own task whose checkout the fault experiment repeats.
const PLAIN_CHECKOUT: &str = "01-checkout";

/// What to compare, and where to write.
#[derive(Clone, Debug)]
pub struct Options {
    /// A folder with τ²-bench's `db.json`, `tasks.json` and `end_states.json`.
    pub tau2: Option<PathBuf>,
    pub report_html: PathBuf,
    pub report_json: PathBuf,
    /// Only tasks whose name contains this; `faults` and `tau2` are names too.
    pub only: Option<String>,
    /// No progress bar.
    pub quiet: bool,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    passed: bool,
}

impl Verdict {
    /// Every expert reached its end state, and `by_the_book` charged what was meant everywhere.
    #[must_use]
    pub const fn passed(self) -> bool {
        self.passed
    }
}

/// Runs every instrument, prints one table and writes both reports.
///
/// # Errors
/// When the shop cannot be started, a file cannot be read or written, or a run broke down.
pub async fn run(options: Options) -> anyhow::Result<Verdict> {
    let started = Instant::now();
    let bar = progress(options.quiet);
    let stack = start(RulesMode::Server).await?;
    let report = compare(&stack, &options, &bar, started).await;
    stack.stop().await;
    bar.finish_and_clear();
    let report = report?;
    report.write(&options.report_json, &options.report_html)?;
    report::print(&report);
    Ok(Verdict { passed: report.passed() })
}

async fn compare(
    stack: &Stack,
    options: &Options,
    bar: &ProgressBar,
    started: Instant,
) -> anyhow::Result<Report> {
    let only = options.only.as_deref();
    let catalogue = catalogues(stack).await?;
    let tasks = Instrument::new(own_tasks(stack, only, bar).await?, BTreeMap::new());
    let tau2 = match &options.tau2 {
        Some(folder) => {
            let found = tau2::run(stack, folder, only, bar).await?;
            Some(Instrument::new(found.runs, found.unsupported))
        }
        None => None,
    };
    let is_wanted = only.is_none_or(|only| "faults".contains(only));
    let faults = if is_wanted { fault_rows(stack, bar).await? } else { Vec::new() };
    let operations = catalogue.get(Surface::Crud.name()).map_or(0, |seen| seen.tools);
    let runs = tasks.runs.iter().chain(tau2.iter().flat_map(|tau2| &tau2.runs));
    Ok(Report {
        version: env!("CARGO_PKG_VERSION"),
        seed: settings(RulesMode::Server).seed,
        coverage: Coverage::of(operations, runs),
        tau2,
        tasks,
        catalogue,
        faults,
        micros: run::micros(started),
    })
}

async fn catalogues(stack: &Stack) -> anyhow::Result<BTreeMap<&'static str, Catalogue>> {
    let token = stack
        .ready
        .tokens
        .get(READER)
        .and_then(|token| token.as_str())
        .context("there is no agent's token")?;
    let mut all = BTreeMap::new();
    for surface in Surface::ALL {
        let client = surface.client(stack, &stack.ready.world, token)?;
        all.insert(surface.name(), Catalogue::read(&client).await?);
    }
    Ok(all)
}

async fn own_tasks(stack: &Stack, only: Option<&str>, bar: &ProgressBar) -> anyhow::Result<Vec<run::Run>> {
    let mut tasks = task::all()?;
    tasks.retain(|task| only.is_none_or(|only| task.id.contains(only)));
    bar.inc_length(u64::try_from(tasks.len() * Surface::ALL.len()).unwrap_or(0));
    let mut runs = Vec::new();
    for task in &tasks {
        for surface in Surface::ALL {
            bar.set_message(format!("{} on {}", task.id, surface.name()));
            let run = run::own_task(stack, task, surface).await;
            runs.push(run.with_context(|| format!("{} on {}", task.id, surface.name()))?);
            bar.inc(1);
        }
    }
    Ok(runs)
}

/// The experiment under both rule modes; each mode is a shop of its own.
async fn fault_rows(stack: &Stack, bar: &ProgressBar) -> anyhow::Result<Vec<FaultRow>> {
    let tasks = task::all()?;
    let plain: &Task =
        tasks.iter().find(|task| task.id == PLAIN_CHECKOUT).context("the plain checkout is gone")?;
    bar.inc_length(u64::try_from(2 * faults::RUNS).unwrap_or(0));
    let mut rows = faults::run(stack, RulesMode::Server, plain, bar).await?;
    let legacy = start(RulesMode::Ui).await?;
    let found = faults::run(&legacy, RulesMode::Ui, plain, bar).await;
    legacy.stop().await;
    rows.extend(found?);
    Ok(rows)
}

async fn start(rules: RulesMode) -> anyhow::Result<Stack> {
    Stack::start(settings(rules)).await.context("the shop could not be started")
}

/// In memory, on free ports, with a clock that stands still and an agent whose word is enough.
fn settings(rules: RulesMode) -> Settings {
    Settings { rules, consent: ConsentLevel::Agent, frozen_at: Some(EPOCH), ..Settings::default() }
}

fn progress(quiet: bool) -> ProgressBar {
    let bar = ProgressBar::new(0);
    if quiet {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}") {
        bar.set_style(style);
    }
    bar
}

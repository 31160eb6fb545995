//! The one table on stdout.

use std::fmt::Write as _;

use super::{Instrument, Report};
use crate::faults::{FaultRow, Policy};
use crate::surfaces::Surface;

/// How much of a difference is printed; `report.json` has it all.
const LINES_MAX: usize = 4;
const WIDTH_MAX: usize = 600;

/// Prints it.
#[expect(clippy::print_stdout, reason = "the table is what the command is run for")]
pub(crate) fn print(report: &Report) {
    print!("{}", text(report));
}

pub(super) fn text(report: &Report) -> String {
    let mut out = String::new();
    line(&mut out, &["", "crud", "actions"]);
    let catalogue = |pick: fn(&crate::surfaces::Catalogue) -> usize| {
        Surface::ALL.map(|surface| report.catalogue.get(surface.name()).map_or(0, pick).to_string())
    };
    row(&mut out, "catalogue: tools", &catalogue(|seen| seen.tools));
    row(&mut out, "catalogue: tokens", &catalogue(|seen| seen.tokens));
    instrument(&mut out, "own tasks", Some(&report.tasks));
    instrument(&mut out, "τ² tasks", report.tau2.as_ref());
    for policy in Policy::ALL {
        let of =
            |surface| report.faults.iter().filter(move |row| row.surface == surface && row.policy == policy);
        row(
            &mut out,
            &format!("lost answer, {}", policy.name()),
            &Surface::ALL.map(|surface| verdict(of(surface))),
        );
    }
    out.push_str(if report.passed() {
        "\nevery expert reached its end state, and by_the_book charged what was meant\n"
    } else {
        "\nNOT everything is as it should be\n"
    });
    for run in report
        .tasks
        .runs
        .iter()
        .chain(report.tau2.iter().flat_map(|tau2| &tau2.runs))
        .filter(|run| !run.passed)
    {
        let _ = writeln!(out, "  {} on {}: {}", run.id, run.surface.name(), run.problems.join("; "));
    }
    for (name, instrument) in [("own task", Some(&report.tasks)), ("τ² task", report.tau2.as_ref())] {
        for difference in instrument.iter().flat_map(|instrument| &instrument.differing) {
            let _ = writeln!(out, "  {name} {} ended differently on the two surfaces", difference.id);
            for (surface, lines) in &difference.only {
                for line in lines.iter().take(LINES_MAX) {
                    let line: String = line.chars().take(WIDTH_MAX).collect();
                    let _ = writeln!(out, "    only on {surface}: {line}");
                }
            }
        }
    }
    for row in report.faults.iter().filter(|row| row.policy == Policy::ByTheBook && !row.is_right()) {
        let _ = writeln!(
            out,
            "  lost_answer@{}:{} by the book on {} ({} rules): {} charges, {} too much, {} stuck: {}",
            row.operation,
            row.placement,
            row.surface.name(),
            row.rules,
            row.actual_charges,
            row.overcharged_minor,
            row.stuck,
            row.told
        );
    }
    out
}

fn instrument(out: &mut String, name: &str, instrument: Option<&Instrument>) {
    let Some(instrument) = instrument else {
        row(out, &format!("{name}: passed"), &["not run".to_owned(), "not run".to_owned()]);
        return;
    };
    let each = |show: fn(&super::Sum) -> String| {
        Surface::ALL.map(|surface| instrument.surfaces.get(surface.name()).map(show).unwrap_or_default())
    };
    row(
        out,
        &format!("{name}: passed"),
        &each(|sum| format!("{} of {}", sum.passed, sum.total - sum.unsupported)),
    );
    row(out, &format!("{name}: unsupported"), &each(|sum| sum.unsupported.to_string()));
    row(out, &format!("{name}: calls"), &each(|sum| sum.calls.to_string()));
    row(out, &format!("{name}: bytes"), &each(|sum| sum.bytes.to_string()));
    row(out, &format!("{name}: tokens"), &each(|sum| sum.tokens.to_string()));
    row(out, &format!("{name}: wall time"), &each(|sum| format!("{} ms", sum.wall_ms)));
}

/// What a policy cost over all placements and rules.
fn verdict<'a>(rows: impl Iterator<Item = &'a FaultRow>) -> String {
    let (mut runs, mut right, mut over, mut stuck) = (0, 0, 0, 0);
    for row in rows {
        runs += 1;
        right += usize::from(row.is_right());
        over += row.overcharged_minor;
        stuck += row.stuck;
    }
    if runs == 0 {
        return "not run".to_owned();
    }
    format!("{right}/{runs} right, {}.{:02} over, {stuck} stuck", over / 100, over % 100)
}

fn row(out: &mut String, name: &str, cells: &[String; 2]) {
    let [crud, actions] = cells;
    line(out, &[name, crud, actions]);
}

fn line(out: &mut String, cells: &[&str; 3]) {
    let [name, crud, actions] = cells;
    let _ = writeln!(out, "{name:<26} {crud:>32} {actions:>32}");
}

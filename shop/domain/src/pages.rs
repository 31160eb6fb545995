//! The pages of `docs/` that are drawn from the rules. A stale page fails here; `TWINSHOP_WRITE_DOCS=1` draws it again:
//!
//! ```text
//! TWINSHOP_WRITE_DOCS=1 cargo test -p shop-domain pages
//! ```

use std::path::{Path, PathBuf};

use crate::{after_sales, machine};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Compares a page with the committed one, or writes it.
fn must_be_current(name: &str, page: &str) {
    let path = workspace().join("docs").join(name);
    if std::env::var_os("TWINSHOP_WRITE_DOCS").is_some() {
        std::fs::write(&path, page).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(committed, page, "docs/{name} is stale; draw it again with TWINSHOP_WRITE_DOCS=1");
}

#[test]
fn every_status_machine_has_its_diagram() {
    let mut page = String::from(
        "# Status machines\n\nDrawn from the tables in `shop/domain`: an arrow is an event, and what has no arrow is \
         refused.\n",
    );
    for (noun, diagram) in machine::diagrams() {
        let title = noun[..1].to_uppercase() + &noun[1..];
        page.push_str(&format!("\n## {title}\n\n```mermaid\n{diagram}```\n"));
    }
    must_be_current("statuses.md", &page);
}

#[test]
fn the_legality_table_has_its_page() {
    let page = format!(
        "# What is legal after a sale\n\nDrawn from the rules in `shop/domain/src/after_sales/rules.rs`. An order is \
         judged by groups of goods, each in one\nof these states. `approval` is a second person's signature; where the \
         rules live in the page (`--rules ui`) every no and\nevery approval is a yes.\n\n{}",
        after_sales::markdown()
    );
    must_be_current("legality.md", &page);
}

/// The design, where it is at hand: `TWINSHOP_DESIGN`, else beside the workspace.
#[test]
fn the_legality_table_is_the_one_of_the_design() {
    let named = std::env::var_os("TWINSHOP_DESIGN").map(PathBuf::from);
    let design = named.unwrap_or_else(|| workspace().join("../shared/design")).join("operations.md");
    if !design.exists() {
        eprintln!("skipped: no {}; name its directory in TWINSHOP_DESIGN", design.display());
        return;
    }
    let text = std::fs::read_to_string(design).unwrap();
    let table = text.split("## After-sales state table").nth(1).unwrap();
    let table: Vec<&str> = table
        .lines()
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'))
        .collect();
    assert_eq!(after_sales::markdown().lines().collect::<Vec<_>>(), table);
}

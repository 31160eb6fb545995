//! `check`: every invariant of gateway.md §5.9, on files at rest.

use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;

/// Prints what does not hold; nothing, when all does.
#[expect(clippy::print_stdout, reason = "the findings are the output")]
pub(crate) async fn check(database: &Path) -> anyhow::Result<ExitCode> {
    if !database.exists() {
        bail!("there is no {}", database.display());
    }
    let findings = shop_stack::check(database).await?;
    for finding in &findings {
        println!("{finding}");
    }
    if findings.is_empty() {
        println!("every invariant holds");
        return Ok(ExitCode::SUCCESS);
    }
    Ok(ExitCode::FAILURE)
}

//! Documents and data in and out.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, bail};

use crate::args::SeedArgs;

/// Prints the OpenAPI document.
pub(crate) fn openapi() -> anyhow::Result<()> {
    print(&serde_json::to_vec_pretty(&shop_stack::openapi())?)
}

/// Writes a seeded shop and its gateway's books to files.
pub(crate) async fn seed(args: SeedArgs) -> anyhow::Result<()> {
    let template = twinshop_seed::template(args.profile, args.seed).await?;
    write_world(&args.database, &template)
}

/// Loads the τ²-bench retail data.
pub(crate) async fn import_tau2(dir: &Path, database: &Path) -> anyhow::Result<()> {
    let template = twinshop_seed::tau2_template(dir).await?;
    write_world(database, &template)
}

/// Projects rows back to db.json's shape.
pub(crate) async fn export_tau2(database: &Path) -> anyhow::Result<()> {
    if !database.exists() {
        bail!("there is no {}; make it with `twinshop import tau2 DIR`", database.display());
    }
    let exported = shop_stack::export_tau2(database).await?;
    print(&serde_json::to_vec_pretty(&exported)?)
}

fn write_world(database: &Path, template: &twinshop_seed::Template) -> anyhow::Result<()> {
    if database.exists() {
        bail!("{} exists; remove it or name another file", database.display());
    }
    let gateway = shop_stack::worlds::gateway_path(database);
    std::fs::write(database, &template.database)
        .with_context(|| format!("writing {}", database.display()))?;
    std::fs::write(&gateway, &template.gateway_ledger)
        .with_context(|| format!("writing {}", gateway.display()))?;
    eprintln!("wrote {} and {}", database.display(), gateway.display());
    Ok(())
}

pub(crate) fn print(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)?;
    out.write_all(b"\n")?;
    Ok(())
}

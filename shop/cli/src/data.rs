//! Documents and data in and out.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, bail};
use indicatif::{ProgressBar, ProgressStyle};
use twinshop_seed::Profile;

use crate::args::SeedArgs;

/// Prints the OpenAPI document.
pub(crate) fn openapi() -> anyhow::Result<()> {
    print(&serde_json::to_vec_pretty(&shop_stack::openapi())?)
}

/// Writes a seeded shop and its gateway's books to files.
pub(crate) async fn seed(args: SeedArgs) -> anyhow::Result<()> {
    if args.profile == Profile::Large {
        return seed_large(&args).await;
    }
    let template = twinshop_seed::template(args.profile, args.seed).await?;
    write_world(&args.database, &template)
}

/// A shop that does not fit into memory, straight into its file.
async fn seed_large(args: &SeedArgs) -> anyhow::Result<()> {
    must_be_new(&args.database)?;
    let progress = ProgressBar::new(0);
    progress.set_style(ProgressStyle::with_template("{pos}/{len} orders {wide_bar} {elapsed}, {eta} to go")?);
    let told = |written: usize, of: usize| {
        progress.set_length(of.try_into().unwrap_or(u64::MAX));
        progress.set_position(written.try_into().unwrap_or(u64::MAX));
        if written == of {
            progress.finish_with_message("making indexes");
        }
    };
    let gateway_ledger = twinshop_seed::seed_file(&args.database, args.profile, args.seed, told).await?;
    let gateway = shop_stack::worlds::gateway_path(&args.database);
    std::fs::write(&gateway, &gateway_ledger).with_context(|| format!("writing {}", gateway.display()))?;
    eprintln!("wrote {} and {}", args.database.display(), gateway.display());
    Ok(())
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
    must_be_new(database)?;
    let gateway = shop_stack::worlds::gateway_path(database);
    shop_stack::worlds::write_world(database, template)?;
    eprintln!("wrote {} and {}", database.display(), gateway.display());
    Ok(())
}

fn must_be_new(database: &Path) -> anyhow::Result<()> {
    if database.exists() {
        bail!("{} exists; remove it or name another file", database.display());
    }
    Ok(())
}

pub(crate) fn print(bytes: &[u8]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)?;
    out.write_all(b"\n")?;
    Ok(())
}

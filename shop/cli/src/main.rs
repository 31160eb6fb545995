//! The one binary: thin subcommands over the stack.
//!
//! Start at [`Command`]; each subcommand is one function in the file of its name.

mod args;
mod check;
mod data;
mod serve;
mod stdio;

use std::process::ExitCode;

use args::{Cli, Command, Export, Import, Mcp};
use clap::Parser;
use tracing_subscriber::EnvFilter;

/// Hung and cut connections are what faults do: actix need not report them.
const QUIET: &str = "warn,actix_http=off,actix_server=warn";

#[tokio::main]
async fn main() -> ExitCode {
    let cli = Cli::parse();
    let filter = EnvFilter::try_from_env("TWINSHOP_LOG").unwrap_or_else(|_| EnvFilter::new(QUIET));
    // Logs go to stderr always: stdout belongs to the ready line, the report and stdio clients.
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    match run(cli.command).await {
        Ok(code) => code,
        Err(error) => {
            eprintln!("twinshop: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Compare(args) => {
            let verdict = twinshop_compare::run(args.options()).await?;
            return Ok(if verdict.passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        Command::Up(args) => serve::up(args).await?,
        Command::Gateway(args) => serve::gateway(args).await?,
        Command::Mcp { door: Mcp::Crud(args) } => stdio::crud(args).await?,
        Command::Mcp { door: Mcp::Actions(args) } => stdio::actions(args).await?,
        Command::Openapi => data::openapi()?,
        Command::Seed(args) => data::seed(args).await?,
        Command::Import { source: Import::Tau2 { dir, database } } => {
            data::import_tau2(&dir, &database).await?
        }
        Command::Export { target: Export::Tau2 { database } } => data::export_tau2(&database).await?,
        Command::Bench(args) => {
            let report = twinshop_bench::run(&args.options(std::env::current_exe()?)).await?;
            data::print(report.to_string().as_bytes())?;
        }
        Command::BenchBare { tools } => {
            let say = |ready: &serde_json::Value| {
                if let Err(error) = data::print(ready.to_string().as_bytes()) {
                    eprintln!("twinshop: the ready line was not written: {error:#}");
                }
            };
            twinshop_bench::bare::serve(&tools, say).await?;
        }
        Command::Check { database } => return check::check(&database).await,
    }
    Ok(ExitCode::SUCCESS)
}

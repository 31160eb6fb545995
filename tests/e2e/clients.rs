//! The official clients list and call both doors, over stdio and over HTTP.
//!
//! They need Node and Python packages, which `.ci/run` installs; where those are missing the test says so, and in
//! CI that is an error.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::shop;

fn clients() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/clients")
}

/// Whether a client can run here; in CI it must.
fn is_there(what: &str, found: bool) -> bool {
    if !found {
        assert!(std::env::var_os("CI").is_none(), "{what} is missing in CI");
        eprintln!("skipped: {what} is not installed; .ci/run shows how to install it");
    }
    found
}

fn run(command: &mut Command, ready: &serde_json::Value) {
    let output = command
        .env("TWINSHOP_READY", ready.to_string())
        .env("TWINSHOP_BINARY", env!("CARGO_BIN_EXE_twinshop"))
        .output()
        .unwrap();
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}");
    assert!(said.contains("all calls answered"), "{said}");
}

#[tokio::test]
async fn the_official_typescript_clients_call_both_doors() {
    let folder = clients().join("typescript");
    if !is_there(
        "the TypeScript MCP client (npm ci in tests/clients/typescript)",
        folder.join("node_modules").exists(),
    ) {
        return;
    }
    let shop = shop(&[]).await;
    for script in ["client-v2.mjs", "sdk-v1.mjs"] {
        run(Command::new("node").arg(folder.join(script)), &shop.ready);
    }
}

#[tokio::test]
async fn the_official_python_client_calls_both_doors() {
    let python = clients().join("python/.venv/bin/python");
    if !is_there("the Python MCP client (tests/clients/python/.venv)", python.exists()) {
        return;
    }
    let shop = shop(&[]).await;
    run(Command::new(python).arg(clients().join("python/client.py")), &shop.ready);
}

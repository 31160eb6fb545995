//! Arrows point down. A new edge belongs in this table and in ARCHITECTURE.md, or nowhere.

use std::collections::BTreeSet;
use std::process::Command;

/// What each of our crates may use of ours.
const MAY_USE: &[(&str, &[&str])] = &[
    ("shop-domain", &[]),
    ("shop-world", &[]),
    ("shop-store", &["shop-domain"]),
    ("shop-gateway", &["shop-world"]),
    ("mcp-host", &["shop-world"]),
    ("mcp-actions-engine", &["shop-world"]),
    ("shop-service", &["shop-domain", "shop-world", "shop-store", "shop-gateway"]),
    ("shop-gateway-sim", &["shop-gateway", "shop-world"]),
    ("shop-api", &["shop-service", "shop-domain", "shop-world"]),
    ("shop-console", &["shop-service", "shop-domain", "shop-world"]),
    ("mcp-actions-flows", &["mcp-actions-engine", "shop-service", "shop-domain", "shop-world"]),
    ("twinshop-seed", &["shop-service", "shop-store", "shop-domain", "shop-world", "shop-gateway"]),
    ("mcp-crud", &["mcp-host"]),
    ("mcp-actions", &["mcp-actions-flows", "mcp-actions-engine", "mcp-host"]),
    (
        "shop-stack",
        &[
            "shop-api",
            "shop-console",
            "shop-service",
            "shop-store",
            "shop-domain",
            "shop-world",
            "shop-gateway",
            "shop-gateway-sim",
            "mcp-host",
            "mcp-crud",
            "mcp-actions",
            "mcp-actions-engine",
            "mcp-actions-flows",
            "twinshop-seed",
        ],
    ),
    ("twinshop-compare", &["shop-stack"]),
    ("twinshop-bench", &["shop-domain", "shop-store", "shop-world", "twinshop-seed", "twinshop-testkit"]),
    ("twinshop-testkit", &[]),
    ("twinshop", &["shop-stack", "twinshop-bench", "twinshop-compare", "twinshop-seed", "mcp-host"]),
];

/// Crates that must never be seen from there.
const NEVER: &[(&str, &[&str])] = &[
    ("shop-domain", &["tokio", "sqlx", "actix-web", "rmcp", "reqwest"]),
    ("shop-world", &["sea-orm", "actix-web", "rmcp"]),
    ("shop-store", &["actix-web", "rmcp", "reqwest"]),
    ("shop-gateway", &["sea-orm", "actix-web"]),
    ("shop-gateway-sim", &["sea-orm"]),
    ("shop-service", &["actix-web", "rmcp", "askama"]),
    ("shop-api", &["sea-orm", "rmcp"]),
    ("shop-console", &["sea-orm", "rmcp"]),
    ("mcp-actions-engine", &["sea-orm", "actix-web", "rmcp"]),
    ("mcp-actions-flows", &["sea-orm", "actix-web", "rmcp"]),
    ("mcp-host", &["sea-orm"]),
    ("mcp-actions", &["sea-orm"]),
    ("mcp-crud", &["sea-orm"]),
    ("twinshop-seed", &["actix-web"]),
];

/// A crate of the workspace with what it uses outside its tests.
struct Package {
    name: String,
    uses: BTreeSet<String>,
}

fn packages() -> Vec<Package> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let name = |value: &serde_json::Value| value["name"].as_str().unwrap().to_owned();
    // Optional ones are for the `testing` features, which only tests switch on.
    let is_normal =
        |dependency: &&serde_json::Value| dependency["kind"].is_null() && dependency["optional"] == false;
    packages
        .iter()
        .map(|package| Package {
            name: name(package),
            uses: package["dependencies"].as_array().unwrap().iter().filter(is_normal).map(name).collect(),
        })
        .collect()
}

#[test]
fn crates_use_only_what_they_may() {
    let packages = packages();
    let ours: BTreeSet<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    let listed: BTreeSet<&str> = MAY_USE.iter().map(|(name, _)| *name).collect();
    assert_eq!(ours, listed, "every crate has its line in MAY_USE");
    for package in &packages {
        let (_, may) = MAY_USE.iter().find(|(name, _)| *name == package.name).unwrap();
        for used in package.uses.iter().filter(|used| ours.contains(used.as_str())) {
            assert!(may.contains(&used.as_str()), "{} must not use {used}", package.name);
        }
        let never = NEVER.iter().find(|(name, _)| *name == package.name).map_or(&[][..], |(_, never)| *never);
        for used in &package.uses {
            assert!(!never.contains(&used.as_str()), "{} must never see {used}", package.name);
        }
    }
}

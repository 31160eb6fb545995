//! The size of files and functions is an invariant, so that everything can be read in one sitting.

use std::path::{Path, PathBuf};

/// Lines of a file.
const FILE_LINES_MAX: usize = 400;

/// Pure data, long by nature.
const DATA: &[&str] = &["shop/domain/src/operations/table.rs"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !matches!(name.as_str(), "target" | ".git" | "node_modules") {
            rust_files(&path, found);
        } else if name.ends_with(".rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_file_is_too_long_to_read() {
    let root = root();
    let mut files = Vec::new();
    rust_files(&root, &mut files);
    assert!(files.len() > 100, "the tree is there");
    let mut long = Vec::new();
    for file in files {
        let name = file.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
        let lines = std::fs::read_to_string(&file).unwrap().lines().count();
        if lines > FILE_LINES_MAX && !DATA.contains(&name.as_str()) {
            long.push(format!("{name}: {lines}"));
        }
    }
    assert!(long.is_empty(), "split these files: {long:#?}");
}

/// Every crate says what it is, what it must never do and where to start.
#[test]
fn every_crate_begins_with_a_tour() {
    let root = root();
    let mut files = Vec::new();
    rust_files(&root, &mut files);
    for file in files.iter().filter(|file| file.ends_with("src/lib.rs")) {
        let text = std::fs::read_to_string(file).unwrap();
        let tour = text.lines().take_while(|line| line.starts_with("//!")).count();
        assert!(tour >= 4, "{} begins with its purpose, its limits and a place to start", file.display());
    }
}

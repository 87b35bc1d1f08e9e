//! The text files of the repository.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders that hold nothing of ours.
const FOREIGN_FOLDERS: &[&str] = &[".git", "target", "node_modules"];

/// What text files end with; a name without an ending is text too.
const TEXT_ENDINGS: &[&str] = &[
    "css", "html", "js", "json", "lock", "md", "rs", "sh", "snap", "sql", "stderr", "toml", "ts", "txt",
    "yaml", "yml",
];

/// One text file.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// From the root of the repository, with `/`.
    pub(crate) path: String,
    /// Its whole text.
    pub(crate) text: String,
}

impl Source {
    pub(crate) fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// The last part of the path.
    pub(crate) fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Tests of a package that lie beside its code: `tests.rs`, or anything in a folder `tests`.
    pub(crate) fn is_test(&self) -> bool {
        self.file_name() == "tests.rs" || self.path.split('/').any(|part| part == "tests")
    }
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every text file of the repository, ordered by path.
pub(crate) fn all() -> Vec<Source> {
    let mut found = Vec::new();
    collect(&root(), "", &mut found);
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

/// Every Rust file of the repository.
pub(crate) fn rust() -> Vec<Source> {
    all().into_iter().filter(Source::is_rust).collect()
}

/// One file that must be there.
#[track_caller]
pub(crate) fn read(path: &str) -> Source {
    match fs::read_to_string(root().join(path)) {
        Ok(text) => Source { path: path.to_owned(), text },
        Err(error) => panic!("{path} must be there and be text: {error}"),
    }
}

fn collect(folder: &Path, prefix: &str, found: &mut Vec<Source>) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => panic!("{} cannot be listed: {error}", folder.display()),
    };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
        let kind = entry.file_type().ok();
        if kind.is_some_and(|kind| kind.is_dir()) && !FOREIGN_FOLDERS.contains(&name.as_str()) {
            collect(&entry.path(), &path, found);
        } else if kind.is_some_and(|kind| kind.is_file()) && is_text(&name) {
            // A file without an ending may be bytes all the same: then it is none of ours.
            found.extend(fs::read_to_string(entry.path()).ok().map(|text| Source { path, text }));
        }
    }
}

fn is_text(name: &str) -> bool {
    Path::new(name)
        .extension()
        .is_none_or(|ending| TEXT_ENDINGS.contains(&ending.to_string_lossy().into_owned().as_str()))
}

#[test]
fn the_tree_is_seen() {
    let files = all();
    for path in ["Cargo.toml", ".ci/run", "runtime/core/src/lib.rs", "tests/tests/tidy.rs", "README.md"] {
        assert!(files.iter().any(|file| file.path == path), "{path} was not found from {}", root().display());
    }
    assert!(files.iter().all(|file| !file.path.starts_with("target/") && !file.path.starts_with(".git/")));
}

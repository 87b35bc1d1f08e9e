//! The packages of the workspace, as their manifests describe them.

use std::fs;

use toml::{Table, Value};

use super::source::{Source, read, root};

/// A manifest and where it lies.
#[derive(Debug, Clone)]
pub(crate) struct Manifest {
    /// From the root of the repository.
    pub(crate) path: String,
    /// What it says.
    pub(crate) table: Table,
}

impl Manifest {
    #[track_caller]
    pub(crate) fn parse(source: &Source) -> Self {
        match source.text.parse() {
            Ok(table) => Self { path: source.path.clone(), table },
            Err(error) => panic!("{} is not TOML: {error}", source.path),
        }
    }

    /// The name of the package.
    pub(crate) fn name(&self) -> &str {
        self.table
            .get("package")
            .and_then(|package| package.get("name"))
            .and_then(Value::as_str)
            .unwrap_or("")
    }

    /// The folder of the package, from the root of the repository.
    pub(crate) fn folder(&self) -> &str {
        self.path.strip_suffix("/Cargo.toml").unwrap_or("")
    }

    /// The packages that this one needs to be built, for any target; tests may need others.
    pub(crate) fn dependencies(&self) -> Vec<String> {
        let of_targets = self.table.get("target").and_then(Value::as_table);
        let tables = std::iter::once(&self.table)
            .chain(of_targets.into_iter().flat_map(Table::values).filter_map(Value::as_table));
        let lists = tables.flat_map(|table| [table.get("dependencies"), table.get("build-dependencies")]);
        let entries = lists.flatten().filter_map(Value::as_table).flatten();
        entries.map(|(name, entry)| package_of(name, entry)).collect()
    }
}

/// A dependency may be renamed: then its entry says which package it is.
fn package_of(name: &str, entry: &Value) -> String {
    entry.get("package").and_then(Value::as_str).unwrap_or(name).to_owned()
}

/// The manifest at the root.
pub(crate) fn workspace() -> Manifest {
    Manifest::parse(&read("Cargo.toml"))
}

/// The manifests of all packages of the workspace.
pub(crate) fn members() -> Vec<Manifest> {
    let workspace = workspace();
    let members = workspace.table.get("workspace").and_then(|workspace| workspace.get("members"));
    let members = members.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let folders = members.flat_map(|member| match member.strip_suffix("/*") {
        Some(parent) => folders_in(parent),
        None => vec![member.to_owned()],
    });
    folders.map(|folder| Manifest::parse(&read(&format!("{folder}/Cargo.toml")))).collect()
}

/// The folders directly in `parent` that are packages, ordered by name.
pub(crate) fn folders_in(parent: &str) -> Vec<String> {
    let entries = match fs::read_dir(root().join(parent)) {
        Ok(entries) => entries,
        Err(error) => panic!("{parent} cannot be listed: {error}"),
    };
    let packages = entries.flatten().filter(|entry| entry.path().join("Cargo.toml").is_file());
    let names = packages.map(|entry| format!("{parent}/{}", entry.file_name().to_string_lossy()));
    let mut names = names.collect::<Vec<_>>();
    names.sort();
    names
}

#[test]
fn dependencies_of_every_kind_but_those_of_tests_are_seen() {
    let text = "[package]\nname = \"p\"\n[dependencies]\na.workspace = true\nb = { package = \"c\", version = \"1\" }\n\
                [dev-dependencies]\nd = \"1\"\n[build-dependencies]\ne = \"1\"\n\
                [target.'cfg(unix)'.dependencies]\nf = \"1\"\n";
    let manifest = Manifest::parse(&Source::new("x/Cargo.toml", text));
    assert_eq!(manifest.name(), "p");
    assert_eq!(manifest.folder(), "x");
    let mut dependencies = manifest.dependencies();
    dependencies.sort();
    assert_eq!(dependencies, ["a", "c", "e", "f"]);
}

#[test]
fn the_members_are_found() {
    let names = members().iter().map(|member| member.name().to_owned()).collect::<Vec<_>>();
    assert!(names.contains(&"steadfast-core".to_owned()), "{names:?}");
    assert!(names.contains(&"tour-booking".to_owned()), "{names:?}");
}

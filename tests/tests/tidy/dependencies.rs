//! Dependencies are declared once, at the root, and without features that nobody asked for.

use toml::Value;

use super::manifest::{Manifest, members, workspace};
use super::offence::{Offence, assert_none};

/// Dependencies that keep their default features, and why.
const DEFAULT_FEATURES: &[(&str, &str)] = &[
    ("anyhow", "`std`, needed to wrap errors of others"),
    ("crc32c", "has no features"),
    ("pin-project", "has no features"),
    ("prettyplease", "the default is empty"),
    ("proc-macro2", "`proc-macro`, needed in a procedural macro"),
    ("quote", "`proc-macro`, needed in a procedural macro"),
    ("serde_bytes", "`std`, needed for vectors"),
    ("syn", "parsing, printing and derive: all that a procedural macro needs"),
    ("tempfile", "`getrandom`, needed for names that nobody guesses"),
    ("thiserror", "`std`, needed for std errors"),
    ("toml", "parsing and printing with serde"),
    ("trybuild", "the default is empty"),
];

/// Entries of `[workspace.dependencies]` with default features and no reason for them.
fn unasked_features(workspace: &Manifest) -> Vec<Offence> {
    let asked = |name: &str| DEFAULT_FEATURES.iter().any(|(exempt, _)| *exempt == name);
    let wrong = entries(workspace).filter(|(name, entry)| has_default_features(entry) && !asked(name));
    let instead = "add `default-features = false` and the features needed, or a reason in tests/tests/tidy/dependencies.rs";
    let offence = |(name, _): (&str, &Value)| {
        Offence::of_file(&workspace.path, format!("{name} comes with its default features"), instead)
    };
    wrong.map(offence).collect()
}

fn entries(workspace: &Manifest) -> impl Iterator<Item = (&str, &Value)> {
    let table = workspace.table.get("workspace").and_then(|table| table.get("dependencies"));
    table.and_then(Value::as_table).into_iter().flatten().map(|(name, entry)| (name.as_str(), entry))
}

/// A package of ours, named by its path, is always whole.
fn has_default_features(entry: &Value) -> bool {
    let is_off = entry.get("default-features").and_then(Value::as_bool) == Some(false);
    entry.get("path").is_none() && !is_off
}

/// Dependencies of a package that do not take their version from the root.
fn own_versions(manifest: &Manifest) -> Vec<Offence> {
    let lists =
        ["dependencies", "dev-dependencies", "build-dependencies"].map(|list| manifest.table.get(list));
    let entries = lists.into_iter().flatten().filter_map(Value::as_table).flatten();
    let own = entries.filter(|(_, entry)| entry.get("workspace").and_then(Value::as_bool) != Some(true));
    let offence = |(name, _): (&String, &Value)| {
        let what = format!("{name} has a version of its own");
        Offence::of_file(
            &manifest.path,
            what,
            "declare it in [workspace.dependencies] and write `workspace = true` here",
        )
    };
    own.map(offence).collect()
}

#[test]
fn default_features_are_asked_for() {
    let workspace = workspace();
    assert_none(&unasked_features(&workspace));
    for (name, reason) in DEFAULT_FEATURES {
        let stands = entries(&workspace).any(|(entry, value)| entry == *name && has_default_features(value));
        assert!(stands, "{name} has no default features any more: remove it from the list ({reason})");
    }
}

#[test]
fn versions_are_declared_at_the_root() {
    assert_none(&members().iter().flat_map(own_versions).collect::<Vec<_>>());
}

fn manifest(text: &str) -> Manifest {
    Manifest::parse(&super::source::Source::new("Cargo.toml", text))
}

#[test]
fn default_features_without_a_reason_are_refused() {
    let text = "[workspace.dependencies]\na = \"1\"\nb = { version = \"1\", default-features = false }\n\
                ours = { path = \"ours\", version = \"1\" }\nsyn = \"3\"\nc = { version = \"1\", features = [\"x\"] }\n";
    let found = unasked_features(&manifest(text)).into_iter().map(|offence| offence.what).collect::<Vec<_>>();
    assert_eq!(found, ["a comes with its default features", "c comes with its default features"]);
}

#[test]
fn a_version_of_its_own_is_refused() {
    let text = "[dependencies]\na.workspace = true\nb = \"1\"\n[dev-dependencies]\nc = { version = \"1\" }\n";
    assert_eq!(own_versions(&manifest(text)).len(), 2);
}

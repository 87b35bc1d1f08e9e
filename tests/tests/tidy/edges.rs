//! Which of our packages may need which: arrows point one way.

use super::manifest::{Manifest, members};
use super::offence::{Offence, assert_none};
use super::source::{Source, read};

/// What a package may need of ours to be built.
enum Allowed {
    /// These and no others.
    Only(&'static [&'static str]),
    /// Everything: it is at the end of all arrows.
    Anything,
}

/// A package outside `examples/` and what it may need. A new row or a longer one is a change of design: change
/// docs/ARCHITECTURE.md in the same commit.
const EDGES: &[(&str, Allowed)] = &[
    ("steadfast-macros", Allowed::Only(&[])),
    ("steadfast-core", Allowed::Only(&[])),
    ("steadfast-store", Allowed::Only(&["steadfast-core"])),
    ("steadfast-store-sled", Allowed::Only(&["steadfast-core", "steadfast-store"])),
    ("steadfast-engine", Allowed::Only(&["steadfast-core", "steadfast-store"])),
    (
        "steadfast",
        Allowed::Only(&[
            "steadfast-core",
            "steadfast-engine",
            "steadfast-macros",
            "steadfast-store",
            "steadfast-store-sled",
        ]),
    ),
    ("steadfast-tests", Allowed::Anything),
    // Measures what programs get, so it uses what they use.
    ("steadfast-bench", Allowed::Only(&["steadfast"])),
    ("xtask", Allowed::Only(&[])),
];

/// The one package that users name, so the examples too.
const EXAMPLE_EDGES: Allowed = Allowed::Only(&["steadfast"]);

fn allowed(manifest: &Manifest) -> Option<&'static Allowed> {
    if manifest.folder().starts_with("examples/") {
        return Some(&EXAMPLE_EDGES);
    }
    EDGES.iter().find(|(name, _)| *name == manifest.name()).map(|(_, allowed)| allowed)
}

/// The edges of one package that the table does not have. `ours` are the names of all our packages.
fn wrong_edges(manifest: &Manifest, ours: &[&str]) -> Vec<Offence> {
    let Some(allowed) = allowed(manifest) else {
        let what = format!("{} is in no row of the table of edges", manifest.name());
        let instead = "decide what it may need, add a row to tests/tests/tidy/edges.rs and its place to docs/ARCHITECTURE.md";
        return vec![Offence::of_file(&manifest.path, what, instead)];
    };
    let needed = manifest.dependencies().into_iter().filter(|name| ours.contains(&name.as_str()));
    let wrong = needed.filter(|name| match allowed {
        Allowed::Only(names) => !names.contains(&name.as_str()),
        Allowed::Anything => false,
    });
    let offence = |name: String| {
        let what = format!("{} must not need {name}", manifest.name());
        Offence::of_file(
            &manifest.path,
            what,
            "move the code to where the arrows of docs/ARCHITECTURE.md point",
        )
    };
    wrong.map(offence).collect()
}

/// Packages that the map of the code does not show.
fn unmapped(map: &Source, names: &[&str]) -> Vec<Offence> {
    let missing = names.iter().filter(|name| !map.text.contains(&format!("`{name}`")));
    let offence = |name: &&str| {
        let what = format!("the code map does not show `{name}`");
        Offence::of_file(
            &map.path,
            what,
            "say what the package holds, its invariants, and what it must not do",
        )
    };
    missing.map(offence).collect()
}

#[test]
fn packages_need_only_what_the_table_allows() {
    let members = members();
    let ours = members.iter().map(Manifest::name).collect::<Vec<_>>();
    let offences = members.iter().flat_map(|member| wrong_edges(member, &ours)).collect::<Vec<_>>();
    assert_none(&offences);
    for (name, _) in EDGES {
        assert!(
            ours.contains(name),
            "{name} is in the table of edges and not in the workspace: remove its row"
        );
    }
}

#[test]
fn the_code_map_shows_every_package() {
    let members = members();
    let names = members.iter().map(Manifest::name).collect::<Vec<_>>();
    assert_none(&unmapped(&read("docs/ARCHITECTURE.md"), &names));
}

fn offences_of(folder: &str, name: &str, dependencies: &str) -> Vec<String> {
    let text = format!("[package]\nname = \"{name}\"\n{dependencies}");
    let manifest = Manifest::parse(&Source::new(&format!("{folder}/Cargo.toml"), &text));
    let ours = ["steadfast", "steadfast-core", "steadfast-engine", "steadfast-store"];
    wrong_edges(&manifest, &ours).into_iter().map(|offence| offence.what).collect()
}

#[test]
fn an_arrow_against_the_direction_is_refused() {
    let found =
        offences_of("runtime/core", "steadfast-core", "[dependencies]\nsteadfast-store.workspace = true\n");
    assert_eq!(found, ["steadfast-core must not need steadfast-store"]);
    let found =
        offences_of("macros", "steadfast-macros", "[build-dependencies]\nsteadfast-core.workspace = true\n");
    assert_eq!(found, ["steadfast-macros must not need steadfast-core"]);
    let renamed = "[dependencies]\ncore = { package = \"steadfast-engine\", version = \"1\" }\n";
    assert_eq!(offences_of("runtime/store", "steadfast-store", renamed).len(), 1);
}

#[test]
fn an_example_names_only_the_sdk() {
    let both = "[dependencies]\nsteadfast.workspace = true\nsteadfast-core.workspace = true\nserde = \"1\"\n";
    assert_eq!(offences_of("examples/x", "x", both), ["x must not need steadfast-core"]);
}

#[test]
fn a_package_without_a_row_is_refused_and_tests_may_need_more() {
    assert_eq!(offences_of("new", "steadfast-new", "").len(), 1);
    let dev = "[dev-dependencies]\nsteadfast.workspace = true\n";
    assert!(offences_of("macros", "steadfast-macros", dev).is_empty());
}

#[test]
fn a_package_that_the_map_lacks_is_refused() {
    let map = Source::new("docs/ARCHITECTURE.md", "`steadfast-core` holds histories");
    assert_eq!(unmapped(&map, &["steadfast-core", "steadfast"]).len(), 1);
}

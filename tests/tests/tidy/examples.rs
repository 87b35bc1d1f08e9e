//! Every example is a package that a newcomer can read: what it is, its workflows, its activities, a test.

use super::manifest::folders_in;
use super::offence::{Offence, assert_none};
use super::source::{Source, all};
use super::tokens::{find_all, tokens};

const EVERYWHERE: &[&str] = &["README.md", "src/main.rs"];
const UNLESS_TINY: &[&str] = &["src/workflows.rs", "src/activities.rs"];

/// Short enough to be one file.
const TINY: &[&str] = &["examples/hello-world"];

/// What the example in `folder` lacks. `files` are all files of the repository.
fn lacking(folder: &str, files: &[Source]) -> Vec<Offence> {
    let own = files.iter().filter(|file| file.path.starts_with(&format!("{folder}/"))).collect::<Vec<_>>();
    let has = |name: &str| own.iter().any(|file| file.path == format!("{folder}/{name}"));
    let parts = if TINY.contains(&folder) { &[] } else { UNLESS_TINY };
    let missing = EVERYWHERE.iter().chain(parts).filter(|name| !has(name));
    let offence = |name: &&str| {
        Offence::of_file(folder, format!("{name} is missing"), "every example has one: write it")
    };
    let mut found = missing.map(offence).collect::<Vec<_>>();
    if !own.iter().any(|file| file.is_rust() && has_test(file)) {
        found.push(Offence::of_file(folder, "it has no test", "test what its README claims"));
    }
    found
}

/// Whether a function is marked `#[test]` or `#[some::test]`.
fn has_test(file: &Source) -> bool {
    let tokens = tokens(&file.text);
    let marks = [["test", "]"], ["test", "("]]
        .into_iter()
        .flat_map(|end| find_all(&tokens, &end))
        .collect::<Vec<_>>();
    marks.into_iter().any(|at| at > 0 && (tokens[at - 1].text == "[" || tokens[at - 1].text == "::"))
}

#[test]
fn every_example_has_its_parts() {
    let (files, folders) = (all(), folders_in("examples"));
    assert!(!folders.is_empty(), "there are examples");
    assert_none(&folders.iter().flat_map(|folder| lacking(folder, &files)).collect::<Vec<_>>());
}

fn lacks(folder: &str, files: &[(&str, &str)]) -> Vec<String> {
    let files =
        files.iter().map(|(name, text)| Source::new(&format!("{folder}/{name}"), text)).collect::<Vec<_>>();
    lacking(folder, &files).into_iter().map(|offence| offence.what).collect()
}

#[test]
fn a_missing_part_is_refused() {
    let found = lacks("examples/x", &[("src/main.rs", "fn main() {}"), ("src/workflows.rs", "")]);
    assert_eq!(found, ["README.md is missing", "src/activities.rs is missing", "it has no test"]);
}

#[test]
fn a_whole_example_is_let_through() {
    let test = "#[tokio::test(flavor = \"multi_thread\")]\nasync fn it_works() {}";
    let files = [("README.md", ""), ("src/main.rs", ""), ("src/workflows.rs", ""), ("src/activities.rs", "")];
    assert!(lacks("examples/x", &[&files[..], &[("tests/it.rs", test)]].concat()).is_empty());
    assert!(
        lacks("examples/hello-world", &[("README.md", ""), ("src/main.rs", "#[test]\nfn f() {}")]).is_empty()
    );
    assert_eq!(
        lacks("examples/hello-world", &[("README.md", ""), ("src/main.rs", "#[cfg(test)] mod t;")]).len(),
        1
    );
}

//! The changelog says what the next release brings.

use super::offence::{Offence, assert_none};
use super::source::{Source, read};

/// The changelog, if it has no section for what is not released yet or that section is empty.
fn without_unreleased(changelog: &Source) -> Option<Offence> {
    let mut lines = changelog.text.lines().map(str::trim);
    let instead = "add `## [Unreleased]` with a bullet for each change that users can see";
    if !lines.any(|line| line.eq_ignore_ascii_case("## [unreleased]")) {
        return Some(Offence::of_file(&changelog.path, "there is no section `[Unreleased]`", instead));
    }
    let mut section = lines.take_while(|line| !line.starts_with("## "));
    let is_empty = !section.any(|line| line.starts_with("- "));
    is_empty.then(|| Offence::of_file(&changelog.path, "the section `[Unreleased]` is empty", instead))
}

#[test]
fn the_changelog_has_an_unreleased_section() {
    assert_none(&without_unreleased(&read("CHANGELOG.md")).into_iter().collect::<Vec<_>>());
}

#[test]
fn a_changelog_without_it_is_refused() {
    let offends = |text: &str| without_unreleased(&Source::new("CHANGELOG.md", text)).is_some();
    assert!(offends("# Changelog\n\n## [0.1.0]\n\n- It works.\n"));
    assert!(offends("# Changelog\n\n## [Unreleased]\n\n## [0.1.0]\n\n- It works.\n"));
    assert!(!offends("# Changelog\n\n## [Unreleased]\n\n### Added\n\n- It works.\n"));
}

//! What a rule found, and how a test reports it.

use std::fmt;

/// One breach of one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Offence {
    /// File or folder, from the root of the repository.
    pub(crate) path: String,
    /// Line, counted from 1, where there is one.
    pub(crate) line: Option<usize>,
    /// What is wrong.
    pub(crate) what: String,
    /// What to do instead.
    pub(crate) instead: String,
}

impl Offence {
    pub(crate) fn of_file(path: &str, what: impl Into<String>, instead: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: None, what: what.into(), instead: instead.into() }
    }

    pub(crate) fn at(path: &str, line: usize, what: impl Into<String>, instead: impl Into<String>) -> Self {
        Self { line: Some(line), ..Self::of_file(path, what, instead) }
    }
}

impl fmt::Display for Offence {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.path)?;
        if let Some(line) = self.line {
            write!(out, ":{line}")?;
        }
        write!(out, ": {}\n      {}", self.what, self.instead)
    }
}

/// Fails the test that calls it, with everything found, unless nothing was found.
#[track_caller]
pub(crate) fn assert_none(offences: &[Offence]) {
    let report = offences.iter().map(|offence| format!("  {offence}")).collect::<Vec<_>>().join("\n");
    assert!(offences.is_empty(), "{} offence(s) against the house rules:\n{report}", offences.len());
}

#[test]
fn a_report_names_place_fault_and_remedy() {
    let offence = Offence::at("sdk/src/lib.rs", 7, "`fn` here", "move it");
    assert_eq!(offence.to_string(), "sdk/src/lib.rs:7: `fn` here\n      move it");
    let outcome = std::panic::catch_unwind(|| assert_none(&[offence]));
    assert!(outcome.is_err(), "an offence fails the test");
    assert_none(&[]);
}

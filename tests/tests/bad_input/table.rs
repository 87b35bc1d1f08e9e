//! The table: what was tried, and what was said.

use std::error::Error;

/// An error with all its causes, as whoever logs it prints it.
pub(crate) fn chain(error: &(dyn Error + 'static)) -> String {
    let mut all = vec![error.to_string()];
    let mut cause = error.source();
    while let Some(error) = cause {
        all.push(error.to_string());
        cause = error.source();
    }
    // An error that only passes another one on says the same.
    all.dedup();
    all.join(": ")
}

/// Inputs with what is said of each.
#[derive(Debug, Default)]
pub(crate) struct Table(Vec<(String, String)>);

impl Table {
    /// Adds what was said; `Ok` is a row too, so that the table shows what was accepted by mistake.
    pub(crate) fn add<T, E: Error + 'static>(&mut self, input: &str, said: Result<T, E>) {
        let said = said.err().map_or_else(|| "accepted".to_owned(), |error| chain(&error));
        self.say(input, said);
    }

    pub(crate) fn say(&mut self, input: &str, said: impl Into<String>) {
        self.0.push((input.to_owned(), said.into()));
    }

    /// Compares the whole table, whole messages.
    #[track_caller]
    pub(crate) fn assert_is(&self, expected: &[(&str, &str)]) {
        for (input, said) in &self.0 {
            show(format_args!("| {input} | {said} |"));
        }
        let found: Vec<(&str, &str)> =
            self.0.iter().map(|(input, said)| (input.as_str(), said.as_str())).collect();
        for (found, expected) in found.iter().zip(expected) {
            assert_eq!(found, expected);
        }
        assert_eq!(found.len(), expected.len());
    }
}

/// Prints a line for people, and for the process that waits for it.
#[expect(clippy::print_stdout, reason = "the table goes into the documentation")]
pub(crate) fn show(line: impl std::fmt::Display) {
    println!("{line}");
}

//! What xtask says to the person or the log that reads it. Nothing else in this package prints.

use std::time::Duration;

/// Announces a step.
#[expect(clippy::print_stdout, reason = "the output of a command-line tool")]
pub(crate) fn heading(index: usize, title: &str) {
    println!("\n==> {index}. {title}");
}

/// Says that a step went well and what it took.
#[expect(clippy::print_stdout, reason = "the output of a command-line tool")]
pub(crate) fn finished(title: &str, took: Duration) {
    println!("==> {title}: done in {}", seconds(took));
}

/// Says something that is no failure: a fallback taken, a check skipped, a tool found.
#[expect(clippy::print_stdout, reason = "the output of a command-line tool")]
pub(crate) fn notice(text: &str) {
    println!("    {text}");
}

/// Prints an error with all its causes.
#[expect(clippy::print_stderr, reason = "the output of a command-line tool")]
pub(crate) fn error(error: &anyhow::Error) {
    eprintln!("\nerror: {error:#}");
}

/// A duration for people.
pub(crate) fn seconds(took: Duration) -> String {
    format!("{:.1} s", took.as_secs_f64())
}

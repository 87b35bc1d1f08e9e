//! Ends of children: by themselves, by a signal, never started.

use std::process::Command;

use super::{ChildError, cargo, code_of, line_of, output_of, run};

fn sh(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
}

#[test]
fn a_child_that_succeeds_is_no_error() {
    assert!(run(&mut sh("exit 0")).is_ok());
}

#[test]
fn the_exit_code_of_a_child_is_passed_on() {
    let error = anyhow::Error::from(run(&mut sh("exit 7")).expect_err("it failed")).context("a step");
    assert_eq!(code_of(&error), 7);
    assert!(format!("{error:#}").ends_with("ended with exit code 7"), "{error:#}");
}

#[test]
fn a_child_killed_by_a_signal_is_reported_as_such() {
    let error = run(&mut sh("kill -9 $$")).expect_err("it was killed");
    assert!(matches!(error, ChildError::Signal { signal: 9, .. }), "{error:?}");
    assert!(error.to_string().contains("killed by signal 9 (SIGKILL"), "{error}");
    assert_eq!(code_of(&anyhow::Error::from(error)), 137);
}

#[test]
fn a_child_that_is_not_there_is_named() {
    let error = output_of(&mut Command::new("no-such-program-anywhere")).expect_err("it is not there");
    assert!(matches!(error, ChildError::Start { .. }), "{error:?}");
    assert_eq!(code_of(&anyhow::Error::from(error)), 127);
}

#[test]
fn an_error_without_a_child_is_1() {
    assert_eq!(code_of(&anyhow::anyhow!("nothing ran")), 1);
}

#[test]
fn a_command_line_shows_the_environment_that_was_set() {
    let mut command = cargo(["doc", "--no-deps"]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    assert_eq!(line_of(&command), "RUSTDOCFLAGS=\"-D warnings\" cargo doc --no-deps");
}

#[test]
fn children_have_no_standard_input() {
    assert_eq!(output_of(&mut sh("cat | wc -c")).expect("it ends").trim(), "0");
}

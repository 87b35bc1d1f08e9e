//! The crash harness in short: a few kills find nothing, and an engine that is broken on purpose is found out.

use std::io;
use std::process::{Command, Output};

fn harness(arguments: &[&str]) -> io::Result<Output> {
    Command::new(env!("CARGO_BIN_EXE_crash-harness")).args(arguments).output()
}

/// The last line of the report.
fn verdict(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).lines().last().unwrap_or_default().to_owned()
}

fn whole(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout))
}

/// The directory that a failing run keeps is of no use when it was meant to fail.
fn remove_kept(output: &Output) -> io::Result<()> {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    text.trim_end()
        .rsplit_once("the directory is kept: ")
        .map_or(Ok(()), |(_, dir)| std::fs::remove_dir_all(dir))
}

#[test]
fn nothing_is_lost_or_repeated() -> io::Result<()> {
    let output = harness(&["--rounds", "12", "--seed", "1"])?;
    assert_eq!(output.status.code(), Some(0), "{}", whole(&output));
    assert_eq!(verdict(&output), "lost 0, repeated 0", "{}", whole(&output));
    Ok(())
}

/// Killed within 50 ms, while the store is opened, while starts are on their way, or a moment later.
#[test]
fn nothing_is_lost_by_workers_that_live_for_a_moment() -> io::Result<()> {
    let output = harness(&["--rounds", "30", "--seed", "1", "--life-max", "50"])?;
    assert_eq!(output.status.code(), Some(0), "{}", whole(&output));
    assert_eq!(verdict(&output), "lost 0, repeated 0", "{}", whole(&output));
    Ok(())
}

fn assert_found(sabotage: &str) -> io::Result<()> {
    assert_found_by(&["--rounds", "40", "--seed", "1", "--sabotage", sabotage])
}

fn assert_found_by(arguments: &[&str]) -> io::Result<()> {
    let output = harness(arguments)?;
    assert_eq!(output.status.code(), Some(1), "{}", whole(&output));
    assert!(verdict(&output).starts_with("lost "), "{}", whole(&output));
    assert!(!verdict(&output).starts_with("lost 0, repeated 0"), "{}", whole(&output));
    remove_kept(&output)
}

#[test]
fn an_early_acknowledgement_is_found() -> io::Result<()> {
    assert_found("ack-early")
}

/// The run ends with the first finding, so the many rounds are mostly not needed.
#[test]
fn an_early_acknowledgement_is_found_in_short_lives_too() -> io::Result<()> {
    assert_found_by(&["--rounds", "160", "--seed", "1", "--life-max", "50", "--sabotage", "ack-early"])
}

#[test]
fn an_effect_before_its_commit_is_found() -> io::Result<()> {
    assert_found("effect-before-commit")
}

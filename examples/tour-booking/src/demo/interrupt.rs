//! Ends the demonstration early when it is asked to.

use std::process::ExitCode;

use anyhow::Context;
use tokio::signal::unix::{SignalKind, signal};

use super::console::Console;
use super::run;
use crate::options::DemoOptions;

/// What a shell shows for a program that was interrupted.
const INTERRUPTED: u8 = 130;

/// Runs the demonstration. On Ctrl-C, or when it is asked to end in another way, its child processes are killed and
/// its temporary folder is removed.
///
/// # Errors
///
/// Fails when a child process does not do its work, when a tour ends otherwise than it should, and when the books of
/// the service do not balance.
pub async fn run_until_interrupted(options: DemoOptions) -> anyhow::Result<ExitCode> {
    let console = Console::stdout();
    let (mut interrupt, mut terminate, mut hangup) = (
        signal(SignalKind::interrupt()).context("Ctrl-C can't be caught")?,
        signal(SignalKind::terminate()).context("SIGTERM can't be caught")?,
        signal(SignalKind::hangup()).context("SIGHUP can't be caught")?,
    );
    // The loser is dropped, and with it the child processes.
    tokio::select! {
        end = run::run(options, &console) => end.map(|()| ExitCode::SUCCESS),
        _ = interrupt.recv() => stop(&console),
        _ = terminate.recv() => stop(&console),
        _ = hangup.recv() => stop(&console),
    }
}

fn stop(console: &Console) -> anyhow::Result<ExitCode> {
    console.line("demo", "interrupted: the child processes are killed")?;
    Ok(ExitCode::from(INTERRUPTED))
}

//! Starts a process for each part, prints what it says, and kills it.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};

use crate::options::{Stage, Task};

/// The first opening after the start has the whole log to read; later ones find what it left.
const OPENINGS: usize = 3;

/// All parts in order.
pub(crate) fn parent(task: &Task) -> anyhow::Result<()> {
    task.place.check_empty()?;
    run(task, Stage::Start)?;
    for _ in 0..OPENINGS {
        run(task, Stage::Reopen)?;
    }
    run(task, Stage::Wake)
}

/// One part: it prints its line and waits to be killed.
fn run(task: &Task, stage: Stage) -> anyhow::Result<()> {
    let program = std::env::current_exe().context("this program cannot be found")?;
    let mut child = Command::new(program)
        .args(["--workload", task.workload.name(), "--stage", stage.name(), "--store", task.place.url()])
        .args(["--n", &task.n.to_string(), "--concurrency", &task.concurrency.to_string()])
        // It ends by itself when this process is gone.
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start a process")?;
    let mut said = String::new();
    let read = match child.stdout.take() {
        Some(out) => BufReader::new(out).read_line(&mut said),
        None => Ok(0),
    };
    // SIGKILL: it has no moment to tidy up. One that is gone already is as good.
    let killed = child.kill();
    child.wait().context("cannot wait for a process")?;
    read.context("cannot read what a process says")?;
    ensure!(said.ends_with('\n'), "the part `{}` failed", stage.name());
    killed.context("cannot kill a process")?;
    print(&said)
}

#[expect(clippy::print_stdout, reason = "the results of the program")]
fn print(line: &str) -> anyhow::Result<()> {
    print!("{line}");
    std::io::Write::flush(&mut std::io::stdout()).context("nobody takes the result")
}

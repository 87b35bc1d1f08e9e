//! A worker process as the parent sees it.

use std::fs::File;
use std::path::Path;
use std::process::{ExitStatus, Stdio};

use anyhow::Context;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStdout, Command};

use super::line::Line;

/// A running worker. It is killed when this is dropped.
#[derive(Debug)]
pub(crate) struct WorkerProcess {
    child: Child,
    stdout: BufReader<ChildStdout>,
    line: Vec<u8>,
}

impl WorkerProcess {
    /// Starts this program as a worker. What it logs goes to the end of a file.
    pub(crate) fn spawn(assignment: &Path, log: &Path) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("this program cannot be found")?;
        let log = File::options().create(true).append(true).open(log).context("cannot open the log")?;
        let mut child = Command::new(program)
            .arg("worker")
            .arg("--assignment")
            .arg(assignment)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .context("cannot start a worker")?;
        let stdout = child.stdout.take().context("the worker has no stdout")?;
        Ok(Self { child, stdout: BufReader::new(stdout), line: Vec::new() })
    }

    /// The next line, or `None` when the worker is gone. A line that a kill cut short was never said.
    /// Safe to drop and call again.
    pub(crate) async fn next_line(&mut self) -> anyhow::Result<Option<Line>> {
        self.stdout.read_until(b'\n', &mut self.line).await.context("cannot read from the worker")?;
        if self.line.last() != Some(&b'\n') {
            return Ok(None);
        }
        let line = serde_json::from_slice(&self.line).with_context(|| {
            format!("the worker said something else: {}", String::from_utf8_lossy(&self.line))
        })?;
        self.line.clear();
        Ok(Some(line))
    }

    /// Sends SIGKILL. One that is gone already is as good.
    pub(crate) fn kill(&mut self) -> anyhow::Result<()> {
        self.child.start_kill().context("cannot kill the worker")
    }

    /// Waits for its end.
    pub(crate) async fn wait(mut self) -> anyhow::Result<ExitStatus> {
        self.child.wait().await.context("cannot wait for the worker")
    }
}

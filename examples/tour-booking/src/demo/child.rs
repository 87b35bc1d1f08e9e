//! A worker process, from the side of the process that started it.

use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, bail};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use crate::options::WorkerOptions;
use crate::report::Report;

/// How long a worker may be silent. All retries of one step together take less.
const SILENCE_MAX: Duration = Duration::from_secs(90);

/// A running worker process. It is killed when this is dropped, and ends by itself when this process dies.
#[derive(Debug)]
pub(super) struct WorkerProcess {
    child: Child,
    pid: u32,
    lines: Lines<BufReader<ChildStdout>>,
    /// Its stdin, which says that this process lives. Nothing is ever written to it.
    _lifeline: ChildStdin,
}

impl WorkerProcess {
    pub(super) fn spawn(program: &Path, options: &WorkerOptions) -> anyhow::Result<Self> {
        let mut child = Command::new(program)
            .arg("worker")
            .args(options.to_args())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Ctrl-C is for the demonstration alone, which then kills its children.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let pid = child.id().context("the worker has no process id")?;
        let lifeline = child.stdin.take().context("the worker has no stdin")?;
        let stdout = child.stdout.take().context("the worker has no stdout")?;
        Ok(Self { child, pid, lines: BufReader::new(stdout).lines(), _lifeline: lifeline })
    }

    pub(super) fn pid(&self) -> u32 {
        self.pid
    }

    /// The next thing it tells.
    pub(super) async fn next(&mut self) -> anyhow::Result<Report> {
        let Ok(line) = timeout(SILENCE_MAX, self.lines.next_line()).await else {
            bail!("the worker has told nothing for {} s", SILENCE_MAX.as_secs());
        };
        let Some(line) = line.context("the worker can't be heard")? else {
            let status = self.child.wait().await?;
            bail!("the worker ended too early, with {status}");
        };
        serde_json::from_str(&line).with_context(|| format!("the worker told {line:?}"))
    }

    /// Kills it with SIGKILL and waits until it is gone.
    pub(super) async fn kill(mut self) -> anyhow::Result<ExitStatus> {
        self.child.start_kill().context("cannot kill the worker")?;
        Ok(self.child.wait().await?)
    }

    /// Waits until it has ended, which it does by itself.
    pub(super) async fn end(mut self) -> anyhow::Result<()> {
        let Ok(status) = timeout(SILENCE_MAX, self.child.wait()).await else {
            bail!("the worker does not end");
        };
        let status = status?;
        if !status.success() {
            bail!("the worker ended with {status}");
        }
        Ok(())
    }
}

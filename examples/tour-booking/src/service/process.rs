//! The service as a process of its own, started and killed by a test or a demonstration.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, bail};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::timeout;

use super::options::Options;
use super::run::READY_PREFIX;

/// How long a service may take until it listens.
const READY_TIMEOUT: Duration = Duration::from_secs(30);

/// A running service process. It is killed when this is dropped, and ends by itself when this process dies.
#[derive(Debug)]
pub struct ServiceProcess {
    child: Child,
    pid: u32,
    address: SocketAddr,
    /// Its stdin, which says that this process lives. Nothing is ever written to it.
    _lifeline: ChildStdin,
}

impl ServiceProcess {
    /// Starts `program service …` and waits until it listens.
    ///
    /// # Errors
    ///
    /// Fails when the program can't be started, ends, or isn't ready in time; its own error is on stderr.
    pub async fn spawn(program: &Path, options: &Options) -> anyhow::Result<Self> {
        let mut child = Command::new(program)
            .args(["service", "--lifeline"])
            .args(options.to_args())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Ctrl-C is for the process that started it, which then kills it.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let pid = child.id().context("the service has no process id")?;
        let lifeline = child.stdin.take().context("the service has no stdin")?;
        let stdout = child.stdout.take().context("the service has no stdout")?;
        let mut line = String::new();
        timeout(READY_TIMEOUT, BufReader::new(stdout).read_line(&mut line))
            .await
            .context("the booking service is not ready in time")??;
        let Some(address) = parse_ready(&line) else {
            bail!("the booking service did not start; it printed {:?}", line.trim_end());
        };
        Ok(Self { child, pid, address, _lifeline: lifeline })
    }

    /// Its process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Kills it with SIGKILL and waits until it is gone.
    ///
    /// # Errors
    ///
    /// Fails when the process can't be killed.
    pub async fn kill(mut self) -> anyhow::Result<()> {
        self.child.kill().await.context("cannot kill the booking service")
    }
}

fn parse_ready(line: &str) -> Option<SocketAddr> {
    line.trim_end().strip_prefix(READY_PREFIX)?.parse().ok()
}

//! The service as a process of its own, started and killed by a test or a demonstration.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, bail};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::options::Options;
use super::run::READY_PREFIX;

/// How long a service may take until it listens.
const READY_TIMEOUT: Duration = Duration::from_secs(30);

/// A running service process. It is killed when this is dropped.
#[derive(Debug)]
pub struct ServiceProcess {
    child: Child,
    address: SocketAddr,
}

impl ServiceProcess {
    /// Starts `program service …` and waits until it listens.
    ///
    /// # Errors
    ///
    /// Fails when the program can't be started, ends, or isn't ready in time; its own error is on stderr.
    pub async fn spawn(program: &Path, options: &Options) -> anyhow::Result<Self> {
        let mut child = Command::new(program)
            .arg("service")
            .args(options.to_args())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let stdout = child.stdout.take().context("the service has no stdout")?;
        let mut line = String::new();
        timeout(READY_TIMEOUT, BufReader::new(stdout).read_line(&mut line))
            .await
            .context("the booking service is not ready in time")??;
        let Some(address) = parse_ready(&line) else {
            bail!("the booking service did not start; it printed {:?}", line.trim_end());
        };
        Ok(Self { child, address })
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

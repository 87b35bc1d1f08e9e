//! Puts the parts together and runs them.

use std::future::{Future, ready};
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr};

use anyhow::Context;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, spawn_blocking};

use super::hangup::{Hangup, HangupListener};
use super::ledger::{Ledger, LedgerError};
use super::options::Options;
use super::{clerk, http};

/// What the service prints before its address when it is ready, on a line of its own.
pub const READY_PREFIX: &str = "listening on ";

/// Runs the service until Ctrl-C. Every other end is a crash, which is safe at any moment.
///
/// # Errors
///
/// Fails when the ledger can't be opened or the port can't be bound, and as soon as the ledger can't be written:
/// callers are better served by a restart than by a service that can promise nothing.
pub async fn run(options: Options) -> anyhow::Result<()> {
    let running = start(options).await?;
    announce(running.address()).context("cannot print the address")?;
    let interrupted = async {
        if tokio::signal::ctrl_c().await.is_err() {
            // Without the handler Ctrl-C ends the process all the same.
            std::future::pending::<()>().await;
        }
    };
    running.serve_until(interrupted).await
}

/// Starts the service inside this process, for tests.
///
/// # Errors
///
/// As [`run`].
pub async fn start(options: Options) -> anyhow::Result<Running> {
    let dir = options.dir.clone();
    let (ledger, register) = spawn_blocking(move || Ledger::open(&dir)).await??;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port))
        .await
        .with_context(|| format!("cannot listen on port {}", options.port))?;
    let address = listener.local_addr()?;
    let (handle, clerk) = clerk::start(ledger, register);
    let service = http::router(handle, &options).into_make_service_with_connect_info::<Hangup>();
    let (stop, stopped) = oneshot::channel();
    let server = axum::serve(HangupListener(listener), service).with_graceful_shutdown(async {
        // A sender that was dropped stops the server as well.
        drop(stopped.await);
    });
    Ok(Running { address, stop, server: tokio::spawn(async { server.await }), clerk })
}

/// A service that runs inside this process.
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    server: JoinHandle<io::Result<()>>,
    clerk: JoinHandle<Result<(), LedgerError>>,
}

impl Running {
    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until the future is ready, then answers the calls in hand and stops. The directory is free afterwards.
    ///
    /// # Errors
    ///
    /// Fails when the ledger can't be written.
    pub async fn serve_until(mut self, stop: impl Future<Output = ()>) -> anyhow::Result<()> {
        tokio::select! {
            // The server keeps the clerk's handles, so the clerk ends first only by an error.
            ended = &mut self.clerk => return Ok(ended??),
            () = stop => {}
        }
        drop(self.stop);
        self.server.await??;
        Ok(self.clerk.await??)
    }

    /// Stops now.
    ///
    /// # Errors
    ///
    /// As [`serve_until`](Self::serve_until).
    pub async fn stop(self) -> anyhow::Result<()> {
        self.serve_until(ready(())).await
    }
}

fn announce(address: SocketAddr) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{READY_PREFIX}{address}")?;
    stdout.flush()
}

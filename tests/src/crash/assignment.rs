//! What a worker is to do in its round; a file, because it does not fit a command line.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::options::Fault;

/// One worker's round.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Assignment {
    pub(crate) round: u32,
    pub(crate) seed: u64,
    /// The directory of the store.
    pub(crate) store: PathBuf,
    /// The file of marks.
    pub(crate) trace: PathBuf,
    pub(crate) booking: SocketAddr,
    pub(crate) ledger: SocketAddr,
    pub(crate) sabotage: Option<Fault>,
    pub(crate) kill: Option<PointKill>,
    /// How many workflows are to be in flight.
    pub(crate) in_flight: usize,
    /// The number of the next new case.
    pub(crate) next: u64,
    /// Cases whose result is not known, oldest first.
    pub(crate) open: Vec<OpenCase>,
    /// The last worker starts nothing new, waits until everything is closed, and writes all runs to this file.
    pub(crate) runs: Option<PathBuf>,
}

/// A case that an earlier worker left.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct OpenCase {
    pub(crate) number: u64,
    /// Its start was acknowledged. If not it is asked for again, as the same request.
    pub(crate) is_started: bool,
    /// What became of its cancel is known.
    pub(crate) is_cancel_settled: bool,
}

/// Where the worker is to end itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PointKill {
    pub(crate) point: String,
    pub(crate) hit: u64,
    pub(crate) stall_micros: u64,
}

impl Assignment {
    pub(crate) fn write(&self, path: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_vec_pretty(self)?;
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_slice(&text).with_context(|| format!("{} is no assignment", path.display()))
    }
}

//! What the harness is told.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};

/// Kills worker processes over many workflows on one directory, and checks that nothing acknowledged is lost and
/// that nothing runs twice
#[derive(Debug, Parser)]
#[command(name = "crash-harness", args_conflicts_with_subcommands = true)]
pub(crate) struct Options {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) plan: PlanOptions,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The process that is killed
    #[command(hide = true)]
    Worker {
        /// What it is to do, as JSON
        #[arg(long, value_name = "FILE")]
        assignment: PathBuf,
    },
}

#[derive(Debug, Clone, Args)]
pub(crate) struct PlanOptions {
    /// How often the worker process is killed
    #[arg(long, default_value_t = 200)]
    pub(crate) rounds: u32,
    /// Decides what is asked for and what is killed when
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Kill each worker at a random moment of its first so many milliseconds, counted from when it begins to open the
    /// store or from when everything is in flight
    #[arg(long, value_name = "MILLIS")]
    pub(crate) life_max: Option<u64>,
    /// Break the engine on purpose: this must be found
    #[arg(long, value_enum)]
    pub(crate) sabotage: Option<Fault>,
}

/// A way to break the engine, handed on to it as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(crate) enum Fault {
    /// Acknowledge before the commit is durable
    AckEarly,
    /// Let an effect happen before the commit that it belongs to
    EffectBeforeCommit,
}

//! How the service is started.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::step::{Kind, Step};

/// The options of the service, also those of the `service` subcommand.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Options {
    /// Directory of the ledger; made if it is missing
    #[arg(long, value_name = "PATH")]
    pub dir: PathBuf,
    /// Port on 127.0.0.1; 0 lets the system choose a free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub port: u16,
    /// Decline every booking of this kind
    #[arg(long, value_name = "STEP")]
    pub fail: Option<Kind>,
    /// Act on the first call of this step for each key, then drop the connection unanswered; may be repeated
    #[arg(long, value_name = "STEP")]
    pub lose_reply: Vec<Step>,
}

impl Options {
    /// A service that behaves well, on a port that the system chooses.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into(), port: 0, fail: None, lose_reply: Vec::new() }
    }

    /// The same options as arguments of the `service` subcommand.
    #[must_use]
    pub fn to_args(&self) -> Vec<OsString> {
        let mut args =
            vec!["--dir".into(), self.dir.clone().into(), "--port".into(), self.port.to_string().into()];
        if let Some(kind) = self.fail {
            args.extend(["--fail".into(), kind.name().into()]);
        }
        for step in &self.lose_reply {
            args.extend(["--lose-reply".into(), step.name().into()]);
        }
        args
    }
}

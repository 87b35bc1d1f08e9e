//! The options of the demonstration and of its worker process.

use std::ffi::OsString;
use std::net::SocketAddr;

use clap::{Args, ValueEnum, value_parser};

use crate::service::Step;
use crate::workflows::FailAt;

/// The most tours of one demonstration.
const TOURS_MAX: i64 = 1_000;

/// What is shown.
#[derive(Debug, Clone, Args)]
pub struct DemoOptions {
    /// Store of the workflows, such as ./tours; without it a fresh temporary folder, removed at success
    #[arg(long, value_name = "URL")]
    pub store: Option<String>,
    /// Kill the worker process when its N-th commit is on disk and nobody has been told of it
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = value_parser!(u64).range(1..))]
    pub kill_after: u64,
    /// Kill nothing
    #[arg(long, conflicts_with = "kill_after")]
    pub no_kill: bool,
    /// Where every second tour fails
    #[arg(long, value_name = "STEP", default_value = "card")]
    pub fail: FailAt,
    /// The service acts on the first call of this step, then drops the connection unanswered; may be repeated
    #[arg(long, value_name = "STEP")]
    pub lose_reply: Vec<Step>,
    /// How many tours are booked; every second one fails
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = value_parser!(u32).range(1..=TOURS_MAX))]
    pub tours: u32,
}

/// What a worker process is told. It makes the same plan of tours as the demonstration that started it.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct WorkerOptions {
    /// Store of the workflows
    #[arg(long, value_name = "URL")]
    pub store: String,
    /// Address of the booking service
    #[arg(long, value_name = "ADDRESS")]
    pub service: SocketAddr,
    /// How many tours are booked
    #[arg(long, value_name = "N")]
    pub tours: u32,
    /// Where every second tour fails
    #[arg(long, value_name = "STEP")]
    pub fail: FailAt,
    /// Part of all ids, to tell demonstrations on one store apart
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub label: String,
    /// Stand still for good when the N-th commit is on disk and nobody has been told of it
    #[arg(long, value_name = "N")]
    pub kill_after: Option<u64>,
}

impl WorkerOptions {
    /// The same options as arguments of the `worker` subcommand.
    #[must_use]
    pub fn to_args(&self) -> Vec<OsString> {
        let mut args = Vec::new();
        let mut push = |name: &str, value: &str| args.push(OsString::from(format!("--{name}={value}")));
        push("store", &self.store);
        push("service", &self.service.to_string());
        push("tours", &self.tours.to_string());
        if let Some(fail) = self.fail.to_possible_value() {
            push("fail", fail.get_name());
        }
        push("label", &self.label);
        if let Some(commit) = self.kill_after {
            push("kill-after", &commit.to_string());
        }
        args
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        options: WorkerOptions,
    }

    #[test]
    fn options_come_back_from_their_arguments() {
        for fail in FailAt::value_variants() {
            let options = WorkerOptions {
                store: "-odd name".into(),
                service: SocketAddr::from(([127, 0, 0, 1], 80)),
                tours: 3,
                fail: *fail,
                label: String::new(),
                kill_after: Some(7),
            };
            let args = [OsString::from("worker")].into_iter().chain(options.to_args());
            assert_eq!(Cli::try_parse_from(args).unwrap().options, options);
        }
    }
}

//! Books tours with a saga, kills the process that does it in the middle, and shows what happens then.

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tour_booking::{demo, lifeline, options, service, worker};

/// Books tours with a saga, kills the worker process in the middle of it, starts another one, and shows the history
#[derive(Debug, Parser)]
#[command(name = "tour-booking", args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    demo: options::DemoOptions,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs the outside booking service until it is interrupted
    Service {
        #[command(flatten)]
        options: service::Options,
        /// End when stdin is closed
        #[arg(long)]
        lifeline: bool,
    },
    /// Runs the worker process of the demonstration, which reads its reports; ends when stdin is closed
    Worker(options::WorkerOptions),
}

#[tokio::main]
async fn main() -> ExitCode {
    let cli = Cli::parse();
    let end = match cli.command {
        Some(command) => run(command).await.map(|()| ExitCode::SUCCESS),
        None => demo::run_until_interrupted(cli.demo).await,
    };
    end.unwrap_or_else(|error| {
        // Nothing can be done for a reader that does not even take the error.
        drop(writeln!(std::io::stderr(), "error: {error:#}"));
        ExitCode::FAILURE
    })
}

async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Service { options, lifeline } => {
            if lifeline {
                lifeline::hold()?;
            }
            service::run(options).await
        }
        Command::Worker(options) => {
            lifeline::hold()?;
            worker::run(&options).await
        }
    }
}

//! A tour booked by a saga that survives kill -9.

use clap::{Parser, Subcommand};
use tour_booking::service;

/// Books tours with a saga.
#[derive(Debug, Parser)]
#[command(name = "tour-booking")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs the outside booking service until it is interrupted.
    Service(service::Options),
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Service(options) => service::run(options).await,
    }
}

//! `cargo xtask crash`: builds the crash harness and runs it. The harness itself lives with the tests.

use crate::process::{self, cargo};
use crate::steps::Steps;

const HARNESS: [&str; 4] = ["--package", "steadfast-tests", "--bin", "crash-harness"];

/// Options of `cargo xtask crash`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// How often the worker process is killed
    #[arg(long)]
    rounds: u32,
    /// Decides what is killed when; the same seed does the same again
    #[arg(long)]
    seed: u64,
    /// Kill each worker at a random moment of its first so many milliseconds
    #[arg(long, value_name = "MILLIS")]
    life_max: Option<u64>,
    /// Break the engine on purpose: the harness must find it and fail
    #[arg(long, value_enum)]
    sabotage: Option<Sabotage>,
}

/// A way to break the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Sabotage {
    /// Acknowledge before the commit is durable
    AckEarly,
    /// Let an effect happen before the commit that it belongs to
    EffectBeforeCommit,
}

impl Sabotage {
    fn name(self) -> &'static str {
        match self {
            Self::AckEarly => "ack-early",
            Self::EffectBeforeCommit => "effect-before-commit",
        }
    }
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let mut steps = Steps::new();
    steps.step("build", || {
        process::run(cargo(["build"]).args(HARNESS))?;
        Ok(())
    })?;
    steps.step("rounds", || {
        process::run(cargo(["run", "--quiet"]).args(HARNESS).arg("--").args(harness_arguments(options)))?;
        Ok(())
    })
}

fn harness_arguments(options: &Options) -> Vec<String> {
    let mut arguments = vec!["--rounds".to_owned(), options.rounds.to_string()];
    arguments.extend(["--seed".to_owned(), options.seed.to_string()]);
    if let Some(millis) = options.life_max {
        arguments.extend(["--life-max".to_owned(), millis.to_string()]);
    }
    if let Some(sabotage) = options.sabotage {
        arguments.extend(["--sabotage".to_owned(), sabotage.name().to_owned()]);
    }
    arguments
}

#[cfg(test)]
mod tests {
    use clap::{Args, FromArgMatches, ValueEnum};

    use super::{Options, Sabotage, harness_arguments};

    fn parsed(arguments: &[&str]) -> Result<Options, clap::Error> {
        let command = Options::augment_args(clap::Command::new("crash").no_binary_name(true));
        Options::from_arg_matches(&command.try_get_matches_from(arguments)?)
    }

    #[test]
    fn the_harness_gets_the_same_arguments() {
        for given in [
            vec!["--rounds", "200", "--seed", "1"],
            vec!["--rounds", "200", "--seed", "1", "--life-max", "50"],
            vec!["--rounds", "3", "--seed", "18446744073709551615", "--sabotage", "effect-before-commit"],
        ] {
            assert_eq!(harness_arguments(&parsed(&given).expect("it is right")), given);
        }
    }

    #[test]
    fn a_sabotage_has_one_name() {
        for sabotage in Sabotage::value_variants() {
            let value = sabotage.to_possible_value().expect("none is hidden");
            assert_eq!(value.get_name(), sabotage.name());
        }
    }

    #[test]
    fn an_unknown_sabotage_is_refused() {
        assert!(parsed(&["--rounds", "1", "--seed", "1", "--sabotage", "gently"]).is_err());
        assert!(parsed(&["--rounds", "1"]).is_err());
    }
}

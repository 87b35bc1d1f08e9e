//! `cargo xtask simulate`: builds the simulation and runs it. It lives with the engine and the tests.

use crate::process::{self, cargo};
use crate::steps::Steps;

/// Optimised: the same seeds do the same, ten times as fast.
const PROGRAM: [&str; 5] = ["--release", "--package", "steadfast-tests", "--bin", "simulate"];

/// Options of `cargo xtask simulate`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// How many seeds
    #[arg(long)]
    seeds: u64,
    /// The first seed
    #[arg(long)]
    from: u64,
    /// Break the engine or the store on purpose: this must be found
    #[arg(long, value_enum)]
    sabotage: Option<Sabotage>,
}

/// A way to break something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Sabotage {
    /// The store takes commits of owners that were replaced
    NoFence,
    /// Acknowledge before the commit is durable
    AckEarly,
    /// Let an effect happen before the commit that it belongs to
    EffectBeforeCommit,
}

impl Sabotage {
    fn name(self) -> &'static str {
        match self {
            Self::NoFence => "no-fence",
            Self::AckEarly => "ack-early",
            Self::EffectBeforeCommit => "effect-before-commit",
        }
    }
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let mut steps = Steps::new();
    steps.step("build", || {
        process::run(cargo(["build"]).args(PROGRAM))?;
        Ok(())
    })?;
    steps.step("seeds", || {
        process::run(cargo(["run", "--quiet"]).args(PROGRAM).arg("--").args(arguments(options)))?;
        Ok(())
    })
}

fn arguments(options: &Options) -> Vec<String> {
    let mut arguments = vec!["--seeds".to_owned(), options.seeds.to_string()];
    arguments.extend(["--from".to_owned(), options.from.to_string()]);
    if let Some(sabotage) = options.sabotage {
        arguments.extend(["--sabotage".to_owned(), sabotage.name().to_owned()]);
    }
    arguments
}

#[cfg(test)]
mod tests {
    use clap::{Args, FromArgMatches, ValueEnum};

    use super::{Options, Sabotage, arguments};

    #[test]
    fn the_program_gets_the_same_arguments() {
        let command = Options::augment_args(clap::Command::new("simulate").no_binary_name(true));
        for given in [
            vec!["--seeds", "1000", "--from", "1"],
            vec!["--seeds", "1", "--from", "18446744073709551615", "--sabotage", "no-fence"],
        ] {
            let matches = command.clone().try_get_matches_from(&given).expect("it is right");
            assert_eq!(arguments(&Options::from_arg_matches(&matches).expect("it is right")), given);
        }
    }

    #[test]
    fn a_sabotage_has_one_name() {
        for sabotage in Sabotage::value_variants() {
            let value = sabotage.to_possible_value().expect("none is hidden");
            assert_eq!(value.get_name(), sabotage.name());
        }
    }
}

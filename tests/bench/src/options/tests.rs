use super::*;

fn task(line: &str) -> Result<Task, String> {
    let words = std::iter::once("steadfast-bench").chain(line.split_whitespace());
    Options::try_parse_from(words).and_then(Options::checked).map_err(|error| error.to_string())
}

#[test]
fn a_workload_has_its_usual_size() {
    let task = task("--workload w1 --store ./dir").expect("it is right");
    assert_eq!((task.workload, task.n, task.concurrency), (Workload::W1, 20, 512));
    assert_eq!(task.place, Place::parse("./dir"));
}

#[test]
fn every_option_reaches_its_workload() {
    let task = task("--workload W2 --secs 600 --concurrency 64 --store memory:").expect("it is right");
    assert_eq!((task.secs, task.concurrency), (Some(Duration::from_secs(600)), 64));
    assert_eq!(task.place.dir(), None);
}

#[test]
fn names_are_those_of_the_results() {
    for workload in Workload::value_variants() {
        let parsed =
            task(&format!("--workload {} --store ./dir --n 7", workload.name())).expect("it is right");
        assert_eq!((parsed.workload, parsed.n), (*workload, 7));
    }
    for stage in Stage::value_variants() {
        let line = format!("--workload W6 --store ./dir --stage {}", stage.name());
        assert_eq!(task(&line).expect("it is right").stage, Some(*stage));
    }
}

#[test]
fn what_does_not_apply_is_refused_with_the_reason() {
    for (line, reason) in [
        ("--workload raw --store ./dir --concurrency 8", "raw has one caller"),
        ("--workload W5 --store ./dir --concurrency 8", "W5 has one caller"),
        ("--workload W1 --store ./dir --secs 8", "say how much of W1 with `--n`"),
        ("--workload W2 --store ./dir --secs 8 --n 8", "cannot be used with"),
        ("--workload W2 --store ./dir --stage start", "W2 has none"),
        ("--workload W6 --store memory:", "W6 needs a directory"),
        ("--workload raw --store memory:", "raw needs a directory"),
        ("--workload W3 --store ./dir", "invalid value 'W3'"),
        ("--workload W1 --store ./dir --n 0", "invalid value '0'"),
        ("--workload W1", "--store"),
    ] {
        let error = task(line).expect_err(line);
        assert!(error.contains(reason), "{line}: {error}");
    }
}

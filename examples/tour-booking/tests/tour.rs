//! The demonstration as a program, whatever it is told: it ends with 0 only if the service's own books balance.

use std::process::{Output, Stdio};

use anyhow::Context;
use tempfile::TempDir;
use tokio::process::Command;
use tokio::task::JoinSet;

/// Demonstrations at a time: each one is three processes that mostly wait for the disk.
const PARALLEL: usize = 4;

fn demo(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tour-booking"));
    command.args(args).stdin(Stdio::null()).kill_on_drop(true);
    command
}

/// Runs it, which must end with 0, and gives what it printed.
async fn shown(args: &[&str]) -> anyhow::Result<String> {
    let Output { status, stdout, stderr } = demo(args).output().await?;
    let (stdout, stderr) = (String::from_utf8(stdout)?, String::from_utf8(stderr)?);
    assert!(status.success(), "{args:?} ended with {status}\n{stdout}\n{stderr}");
    assert!(stdout.contains("\n balanced  "), "{args:?}\n{stdout}");
    Ok(stdout)
}

fn assert_shows(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.contains(line), "{line:?} is missing in\n{text}");
    }
}

/// Runs many at a time, and hands what each printed to `check`.
async fn shown_each(
    runs: impl IntoIterator<Item = Vec<String>>,
    check: impl Fn(&[String], &str),
) -> anyhow::Result<()> {
    let mut runs = runs.into_iter();
    let mut running = JoinSet::new();
    let start = |running: &mut JoinSet<_>, args: Vec<String>| {
        running.spawn(async move {
            let borrowed: Vec<&str> = args.iter().map(String::as_str).collect();
            let text = shown(&borrowed).await?;
            anyhow::Ok((args, text))
        });
    };
    for args in runs.by_ref().take(PARALLEL) {
        start(&mut running, args);
    }
    while let Some(ended) = running.join_next().await {
        let (args, text) = ended??;
        check(&args, &text);
        if let Some(args) = runs.next() {
            start(&mut running, args);
        }
    }
    Ok(())
}

fn args(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// How many commits the demonstration takes if nothing is killed.
async fn commits(options: &[&str]) -> anyhow::Result<u64> {
    let text = shown(&[options, &["--no-kill"]].concat()).await?;
    let line = text.lines().find_map(|line| line.split_once("done after ")).context("no count of commits")?;
    Ok(line.1.split(' ').next().unwrap_or_default().parse()?)
}

#[tokio::test]
async fn the_first_command_of_the_readme_keeps_its_word() -> anyhow::Result<()> {
    let text = shown(&[]).await?;
    assert_shows(
        &text,
        &[
            "commit 3 is on disk, nobody has been told: SIGKILL to pid",
            "worker 2  finds tour-1 in the store, 6 events",
            "killed with SIGKILL after commit 3; worker 2 replays the events above and goes on",
            "attempt 1 failed    the worker was lost",
            "charge_card = \"card-3\", attempt 2",
            "tour-1 booked: hotel-1, flight-2, card-3",
            "CompensationStarted",
            "cancel_flight undoes",
            "tour-2 failed: declined; every step is undone",
            "tours: 1 completed, 1 compensated; bookings: 5 took effect, 2 cancelled, 1 declined",
        ],
    );
    assert!(!text.contains('\x1b'), "colours are for terminals\n{text}");
    Ok(())
}

#[tokio::test]
async fn a_kill_after_every_commit_leaves_balanced_books() -> anyhow::Result<()> {
    let last = commits(&[]).await?;
    assert!(last >= 10, "two tours take at least ten commits, not {last}");
    let runs = (1..=last).map(|commit| args(&format!("--kill-after {commit}")));
    shown_each(runs, |args, text| {
        assert_shows(text, &["nobody has been told: SIGKILL to pid", "\n worker 2  done after"]);
        assert!(!text.contains("worker 3"), "{args:?}\n{text}");
    })
    .await
}

#[tokio::test]
async fn a_commit_that_never_comes_kills_nothing() -> anyhow::Result<()> {
    let text = shown(&["--kill-after", "1000"]).await?;
    assert_shows(&text, &["commit 1000 never came, so it was not killed"]);
    assert!(!text.contains("SIGKILL"), "{text}");
    Ok(())
}

#[tokio::test]
async fn a_lost_reply_of_every_step_is_asked_for_again() -> anyhow::Result<()> {
    let steps = ["hotel", "flight", "card", "cancel-hotel", "cancel-flight"];
    let runs = steps.map(|step| format!("--lose-reply {step}")).into_iter().chain([
        "--lose-reply cancel-card --fail after-card".to_owned(),
        "--no-kill --lose-reply hotel --lose-reply cancel-card --fail after-card".to_owned(),
    ]);
    shown_each(runs.map(|run| args(&run)), |_, text| {
        assert_shows(text, &["then drop the connection", "attempt 1 failed    BookingError: no answer"]);
        assert!(!text.contains("\n     note"), "{text}");
        assert!(!text.contains("; 0 repeated calls had no effect"), "{text}");
    })
    .await
}

#[tokio::test]
async fn a_reply_that_nobody_asks_for_is_not_lost() -> anyhow::Result<()> {
    let text = shown(&["--lose-reply", "cancel-card"]).await?;
    assert_shows(&text, &["nobody called cancel-card, so no reply to it was lost; --fail after-card"]);
    Ok(())
}

#[tokio::test]
async fn a_tour_can_fail_at_every_step() -> anyhow::Result<()> {
    let runs = ["hotel", "flight", "card", "after-card"].map(|step| args(&format!("--fail {step}")));
    shown_each(runs, |args, text| {
        let undone = match args[1].as_str() {
            "hotel" => "tour-2 failed: declined; nothing had to be undone",
            "after-card" => "tour-2 failed: the traveller withdraws; every step is undone",
            _ => "tour-2 failed: declined; every step is undone",
        };
        assert_shows(text, &[undone, "tours: 1 completed, 1 compensated"]);
    })
    .await
}

#[tokio::test]
async fn a_kill_after_every_commit_of_a_full_unwinding_with_lost_replies() -> anyhow::Result<()> {
    let options = "--fail after-card --lose-reply card --lose-reply cancel-card --lose-reply cancel-hotel";
    let borrowed: Vec<&str> = options.split(' ').collect();
    let last = commits(&borrowed).await?;
    shown_each((1..=last).map(|commit| args(&format!("{options} --kill-after {commit}"))), |_, text| {
        assert_shows(
            text,
            &["nobody has been told: SIGKILL to pid", "tour-2 failed: the traveller withdraws"],
        );
    })
    .await
}

#[tokio::test]
async fn many_tours_succeed_and_fail_by_turns() -> anyhow::Result<()> {
    let text = shown(&["--tours", "7", "--kill-after", "20"]).await?;
    assert_shows(&text, &["tours: 4 completed, 3 compensated", "The history of tour-7,"]);
    Ok(())
}

#[tokio::test]
async fn a_store_is_used_again_and_again() -> anyhow::Result<()> {
    let dir = TempDir::new()?;
    let store = dir.path().join("store");
    let store = store.to_str().context("a readable path")?;
    for url in [store.to_owned(), store.to_owned(), format!("sled:{store}")] {
        shown(&["--store", &url]).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_store_in_memory_is_not_killed() -> anyhow::Result<()> {
    shown(&["--store", "memory:", "--no-kill"]).await?;
    let Output { status, stderr, .. } = demo(&["--store", "memory:"]).output().await?;
    assert_eq!(status.code(), Some(1));
    let stderr = String::from_utf8(stderr)?;
    assert!(stderr.contains("a store in memory is gone with its process"), "{stderr}");
    Ok(())
}

#[tokio::test]
async fn a_store_that_cannot_be_opened_is_an_error() -> anyhow::Result<()> {
    let folder = TempDir::new()?;
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let Output { status, stdout, stderr } =
        demo(&["--store", file]).env("TMPDIR", folder.path()).output().await?;
    assert_eq!(status.code(), Some(1));
    let (stdout, stderr) = (String::from_utf8(stdout)?, String::from_utf8(stderr)?);
    assert!(stderr.contains("error: worker 1: the worker ended too early"), "{stderr}");
    assert!(stderr.contains("cannot be opened"), "{stderr}");
    assert!(stdout.contains("left to be looked at"), "{stdout}");
    Ok(())
}

//! However the demonstration ends, it leaves no process behind.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use anyhow::Context;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

const PATIENCE: Duration = Duration::from_secs(30);

/// A demonstration that takes long, with a store that is kept. What else it leaves behind, it leaves in the folder.
fn start(folder: &TempDir) -> anyhow::Result<Child> {
    Ok(Command::new(env!("CARGO_BIN_EXE_tour-booking"))
        .args(["--tours", "1000", "--no-kill", "--store"])
        .arg(folder.path().join("kept"))
        .env("TMPDIR", folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()?)
}

/// A demonstration whose worker has begun, with the ids of its child processes.
async fn begun(folder: &TempDir) -> anyhow::Result<(Child, Vec<u32>)> {
    let mut demo = start(folder)?;
    let stdout = demo.stdout.take().context("no stdout")?;
    let mut lines = BufReader::new(stdout).lines();
    let mut children = Vec::new();
    while let Some(line) = timeout(PATIENCE, lines.next_line()).await?? {
        if let Some((_, rest)) = line.split_once("  pid ") {
            children.push(rest.split(',').next().unwrap_or_default().parse()?);
        }
        if line.contains(" is asked for") {
            // The reader stays: the demonstration is not to end because of its stdout.
            tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
            return Ok((demo, children));
        }
    }
    anyhow::bail!("the demonstration did not begin")
}

async fn send(signal: &str, demo: &Child) -> anyhow::Result<()> {
    let pid = demo.id().context("it has ended already")?;
    let sent = Command::new("sh").args(["-c", &format!("kill -{signal} {pid}")]).status().await?;
    assert!(sent.success());
    Ok(())
}

/// Whether the process is there and not merely waiting to be reaped.
fn runs(pid: u32) -> bool {
    let stat = std::fs::read_to_string(PathBuf::from(format!("/proc/{pid}/stat"))).unwrap_or_default();
    let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
    state.is_some_and(|state| state != 'Z')
}

/// Whether the store is all there is.
fn is_tidy(folder: &TempDir) -> anyhow::Result<bool> {
    let names = std::fs::read_dir(folder.path())?.map(|entry| Ok(entry?.file_name()));
    Ok(names.collect::<std::io::Result<Vec<_>>>()? == ["kept"])
}

async fn assert_gone(children: &[u32]) -> anyhow::Result<()> {
    assert_eq!(children.len(), 2, "a service and a worker");
    let gone = async {
        while children.iter().any(|pid| runs(*pid)) {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(PATIENCE, gone).await.with_context(|| format!("of {children:?} some are still there"))
}

#[tokio::test]
async fn an_interrupt_kills_the_children() -> anyhow::Result<()> {
    for signal in ["INT", "TERM", "HUP"] {
        let folder = TempDir::new()?;
        let (mut demo, children) = begun(&folder).await?;
        assert!(children.iter().all(|pid| runs(*pid)));
        send(signal, &demo).await?;
        let status = timeout(PATIENCE, demo.wait()).await??;
        assert_eq!(status.code(), Some(130), "{signal}");
        assert_gone(&children).await?;
        assert!(is_tidy(&folder)?, "{signal}");
    }
    Ok(())
}

#[tokio::test]
async fn children_end_by_themselves_when_the_demonstration_is_killed() -> anyhow::Result<()> {
    let folder = TempDir::new()?;
    let (mut demo, children) = begun(&folder).await?;
    demo.kill().await?;
    assert_gone(&children).await
}

#[tokio::test]
async fn what_was_left_in_a_store_does_not_disturb_the_next() -> anyhow::Result<()> {
    let folder = TempDir::new()?;
    let (mut demo, children) = begun(&folder).await?;
    demo.kill().await?;
    assert_gone(&children).await?;
    let mut next = Command::new(env!("CARGO_BIN_EXE_tour-booking"));
    let output = next.arg("--store").arg(folder.path().join("kept")).kill_on_drop(true).output().await?;
    assert!(output.status.success(), "{output:?}");
    Ok(())
}

#[tokio::test]
async fn a_worker_that_is_killed_by_others_is_an_error() -> anyhow::Result<()> {
    let folder = TempDir::new()?;
    let (mut demo, children) = begun(&folder).await?;
    let worker = children.last().context("a worker")?;
    Command::new("sh").args(["-c", &format!("kill -KILL {worker}")]).status().await?;
    let status = timeout(PATIENCE, demo.wait()).await??;
    assert_eq!(status.code(), Some(1));
    assert!(!is_tidy(&folder)?, "it is left to be looked at");
    assert_gone(&children).await
}

#[tokio::test]
async fn a_reader_that_goes_away_ends_it() -> anyhow::Result<()> {
    let folder = TempDir::new()?;
    let mut demo = start(&folder)?;
    let stdout = demo.stdout.take().context("no stdout")?;
    let mut first = String::new();
    timeout(PATIENCE, BufReader::new(stdout).read_line(&mut first)).await??;
    let status = timeout(PATIENCE, demo.wait()).await??;
    assert_eq!(status.code(), Some(1));
    Ok(())
}

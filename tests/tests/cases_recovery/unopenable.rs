//! Case 2, C4: a directory that cannot be opened is named with the reason, and nothing in it is lost.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, ensure};
use steadfast::OpenError;
use steadfast::prelude::*;
use steadfast_tests::kit::{QUEUE, TestResult};

#[workflow]
async fn nap(ctx: WorkflowContext, seconds: u64) -> Result<u64, WorkflowError> {
    ctx.sleep(secs(seconds)).await?;
    Ok(seconds)
}

type Files = BTreeMap<String, Vec<u8>>;

/// Every file of a directory that holds no other directory of ours, by its name below it.
fn files(dir: &Path) -> TestResult<Files> {
    let mut all = BTreeMap::new();
    let mut left = vec![dir.to_owned()];
    while let Some(next) = left.pop() {
        for entry in fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                left.push(path);
            } else {
                all.insert(path.strip_prefix(dir)?.display().to_string(), fs::read(&path)?);
            }
        }
    }
    Ok(all)
}

fn put(dir: &Path, files: &Files) -> TestResult {
    if dir.exists() {
        fs::remove_dir_all(dir)?;
    }
    fs::create_dir_all(dir)?;
    for (name, bytes) in files {
        let path = dir.join(name);
        fs::create_dir_all(path.parent().context("it is below the directory")?)?;
        fs::write(path, bytes)?;
    }
    Ok(())
}

async fn open(dir: &Path) -> Result<Engine, OpenError> {
    Engine::open(dir.display().to_string()).await
}

/// A store with a closed run and an open one, as it was in the middle of its life and at the end of it.
async fn made(dir: &Path) -> TestResult<(Files, Files)> {
    let engine = open(dir).await?;
    engine.worker(QUEUE).workflow(nap).start().await?;
    let client = engine.client();
    client.start(nap, 0).id("closed").queue(QUEUE).await?.result().await?;
    let early = files(dir)?;
    client.start(nap, 86_400).id("open").queue(QUEUE).await?;
    for number in 0..50 {
        client.start(nap, 0).id(format!("closed {number}")).queue(QUEUE).await?.result().await?;
    }
    engine.shutdown().await;
    drop(engine);
    let late = files(dir)?;
    Ok((early, late))
}

/// What was done to a file.
type Damage = fn(&mut Files, &Files);

fn file<'a>(files: &'a mut Files, name: &str) -> &'a mut Vec<u8> {
    files.entry(name.to_owned()).or_default()
}

const NO_SEGMENT: &str = "no segment of the log has a whole header";

/// Each with what the error says besides the directory.
const DAMAGES: [(&str, Damage, &str); 8] = [
    (
        "the marker says something else",
        |files, _| *file(files, "steadfast") = b"a band".to_vec(),
        "steadfast",
    ),
    (
        "the marker is of a newer format",
        |files, _| *file(files, "steadfast") = b"steadfast store\nformat 99\n".to_vec(),
        "format 99",
    ),
    (
        "the settings of the database are no settings",
        |files, _| *file(files, "conf") = b"{{{".to_vec(),
        "conf",
    ),
    ("the log is missing", |files, _| drop(files.remove("db")), "db"),
    ("the log is empty", |files, _| file(files, "db").clear(), NO_SEGMENT),
    ("the log is zeroed", |files, _| file(files, "db").fill(0), NO_SEGMENT),
    ("the log is text", |files, _| *file(files, "db") = b"not a log at all\n".repeat(40_000), NO_SEGMENT),
    ("the log is an older one", |files, early| *file(files, "db") = early["db"].clone(), "ends too early"),
];

/// The database opens its log for writing, and takes what it cannot read for a write that was cut off. The error says
/// where what it may have overwritten is kept: that is put back here.
fn put_back(mut left: Files, before: &Files) -> Files {
    let kept: Vec<_> = left
        .iter()
        .filter_map(|(name, bytes)| {
            let offset = name.strip_prefix("steadfast.kept/db-at-")?.parse::<usize>().ok()?;
            Some((offset, bytes.clone()))
        })
        .collect();
    let log = file(&mut left, "db");
    for (offset, bytes) in kept {
        log.resize(log.len().max(offset + bytes.len()), 0);
        log[offset..offset + bytes.len()].copy_from_slice(&bytes);
    }
    match before.get("db") {
        Some(before) => log.truncate(before.len()),
        None => {
            drop(left.remove("db").filter(|log| !log.is_empty()).map(|log| left.insert("db".to_owned(), log)))
        }
    }
    left
}

fn told(error: &OpenError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

#[tokio::test]
async fn case_02_a_directory_that_cannot_be_opened_is_named_and_nothing_in_it_is_lost() -> TestResult {
    let place = tempfile::tempdir()?;
    let dir = place.path().join("tours");
    let (early, whole) = made(&dir).await?;
    for (what, damage, reason) in DAMAGES {
        let mut damaged = whole.clone();
        damage(&mut damaged, &early);
        put(&dir, &damaged)?;
        // Twice: the first attempt must not make the second one succeed.
        for attempt in 1..=2 {
            let error = open(&dir).await.err().with_context(|| format!("{what}: it was opened"))?;
            let told = told(&error);
            ensure!(!matches!(error, OpenError::Panicked), "{what}: {told}");
            ensure!(
                told.contains(&dir.display().to_string()),
                "{what}: it does not name the directory: {told}"
            );
            ensure!(told.contains(reason), "{what}: it does not say why: {told}");
            let left = files(&dir)?;
            // Only a log that is one is opened at all.
            ensure!(left == damaged || told.contains("steadfast.kept"), "{what}: the directory was changed");
            let left = put_back(left, &damaged);
            let changed: Vec<_> =
                damaged.iter().filter(|(name, bytes)| left.get(*name) != Some(bytes)).collect();
            let names: Vec<_> = changed.iter().map(|(name, _)| name).collect();
            ensure!(names.is_empty(), "{what}, attempt {attempt}: {names:?} were changed; {told}");
        }
    }
    // With its own files back it is as it was.
    put(&dir, &whole)?;
    let engine = open(&dir).await?;
    engine.worker(QUEUE).workflow(nap).start().await?;
    let client = engine.client();
    assert_eq!(client.handle_of(nap, "closed").result().await?, 0);
    ensure!(client.handle("open").describe().await?.timers.len() == 1);
    let rows = client.list(steadfast::ListFilter::default(), None, 100).await?.rows;
    assert_eq!(rows.len(), 52);
    engine.shutdown().await;
    Ok(())
}

//! Addresses and directories that are no store of ours, or are held by somebody else.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, ensure};
use steadfast::prelude::*;
use steadfast_tests::kit::TestResult;

use crate::table::{Table, show};

/// Names the directory that a child process is to hold.
const HOLD: &str = "STEADFAST_TEST_HOLD";

const ELSEWHERE: &str = "use an empty directory or one that does not exist";

/// Every file below a directory with its contents.
fn contents(dir: &Path) -> TestResult<BTreeMap<String, Vec<u8>>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            all.extend(contents(&path)?);
        } else {
            all.insert(path.display().to_string(), fs::read(&path)?);
        }
    }
    Ok(all)
}

async fn open(dir: &Path) -> Result<(), steadfast::OpenError> {
    Engine::open(dir.display().to_string()).await.map(drop)
}

#[tokio::test]
async fn an_address_that_names_no_store_is_refused() -> TestResult {
    let mut said = Table::default();
    for address in
        ["", "  ", "sled:", "sled:  ", "memory:tours", "redis://localhost", "sledd:./dir", "file:./dir"]
    {
        said.add(address, Engine::open(address).await);
    }
    let known = "is no store of this build; known are `./dir`, `sled:./dir` and `memory:`";
    let nameless = |address: &str| {
        format!("`{address}` is not the address of a store: it names no directory; write `./dir`")
    };
    said.assert_is(&[
        ("", &nameless("")),
        ("  ", &nameless("  ")),
        ("sled:", &nameless("sled:")),
        ("sled:  ", &nameless("sled:  ")),
        (
            "memory:tours",
            "`memory:tours` is not the address of a store: a store in memory has no name; write `memory:`",
        ),
        ("redis://localhost", &format!("`redis:` {known}")),
        ("sledd:./dir", &format!("`sledd:` {known}")),
        ("file:./dir", &format!("`file:` {known}")),
    ]);
    Ok(())
}

#[tokio::test]
async fn a_foreign_directory_is_refused_and_left_as_it_is() -> TestResult {
    let dir = tempfile::tempdir()?;
    let place = |name: &str| dir.path().join(name);
    let shown = |name: &str| place(name).display().to_string();
    for name in ["photos", "newer", "other-marker", "no-format", "marker-is-dir", "other-database"] {
        fs::create_dir(place(name))?;
    }
    fs::write(place("photos").join("beach.jpg"), "jpeg")?;
    fs::write(place("newer").join("steadfast"), "steadfast store\nformat 99\n")?;
    fs::write(place("other-marker").join("steadfast"), "a band of the nineties\n")?;
    fs::write(place("no-format").join("steadfast"), "steadfast store\n")?;
    fs::create_dir(place("marker-is-dir").join("steadfast"))?;
    fs::write(place("a-file"), "text")?;
    // A database of another program, as sled lays it out.
    fs::write(place("other-database").join("conf"), "segment_size: 524288\n")?;
    fs::write(place("other-database").join("db"), "log")?;
    let before = contents(dir.path())?;
    let mut said = Table::default();
    for name in ["photos", "newer", "other-marker", "no-format", "marker-is-dir", "other-database", "a-file"]
    {
        said.add(name, open(&place(name)).await);
    }
    let cannot = |name: &str| format!("the store at `{}` cannot be opened: ", shown(name));
    let foreign = |name: &str, holds: &str| {
        format!(
            "{}{} is not a store of Steadfast: it holds `{holds}` and no file `steadfast`; {ELSEWHERE}",
            cannot(name),
            shown(name),
        )
    };
    said.assert_is(&[
        ("photos", &foreign("photos", "beach.jpg")),
        (
            "newer",
            &format!(
                "{}the store in {} has format 99, this version of Steadfast reads format 1: use the version that made it, or a newer one",
                cannot("newer"),
                shown("newer"),
            ),
        ),
        (
            "other-marker",
            &format!(
                "{}{} is not a store of Steadfast: {}/steadfast says something else; {ELSEWHERE}",
                cannot("other-marker"),
                shown("other-marker"),
                shown("other-marker"),
            ),
        ),
        (
            "no-format",
            &format!("{}{}/steadfast cannot be read: it names no format", cannot("no-format"), shown("no-format")),
        ),
        (
            "marker-is-dir",
            &format!(
                "{}{} is not a store of Steadfast: `steadfast` in it is a directory; {ELSEWHERE}",
                cannot("marker-is-dir"),
                shown("marker-is-dir"),
            ),
        ),
        ("other-database", &foreign("other-database", "conf")),
        ("a-file", &format!("{}{} is not a directory; a store needs one of its own", cannot("a-file"), shown("a-file"))),
    ]);
    ensure!(contents(dir.path())? == before, "the files were changed");
    Ok(())
}

/// Holds a directory until its input ends: what the test below runs as another process.
#[tokio::test]
async fn holds_a_directory_when_it_is_told_to() -> TestResult {
    let Ok(dir) = std::env::var(HOLD) else { return Ok(()) };
    let engine = Engine::open(dir).await?;
    show("held");
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    engine.shutdown().await;
    Ok(())
}

/// A process that holds the directory; its output has to be kept open as long as it lives.
fn hold(dir: &Path) -> TestResult<(Child, impl Sized)> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(["--exact", "directories::holds_a_directory_when_it_is_told_to", "--nocapture"])
        .env(HOLD, dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut told = BufReader::new(child.stdout.take().context("its output")?).lines();
    while let Some(line) = told.next() {
        if line?.ends_with("held") {
            return Ok((child, told));
        }
    }
    anyhow::bail!("the child ended")
}

#[tokio::test]
async fn a_directory_that_another_process_holds_is_refused_until_it_is_free() -> TestResult {
    let dir = tempfile::tempdir()?;
    let (mut child, told) = hold(dir.path())?;
    let before = contents(dir.path())?;
    let mut said = Table::default();
    said.add("held by another process", open(dir.path()).await);
    ensure!(contents(dir.path())? == before, "the files were changed");
    drop(child.stdin.take());
    ensure!(child.wait()?.success());
    drop(told);
    let engine = Engine::open(dir.path().display().to_string()).await?;
    said.add("held by this process", open(dir.path()).await);
    engine.shutdown().await;
    drop(engine);
    said.add("free", open(dir.path()).await);
    let shown = dir.path().display();
    let held = format!(
        "the store at `{shown}` cannot be opened: the store in {shown} is held by another process or handle; stop that one first"
    );
    said.assert_is(&[
        ("held by another process", &held),
        ("held by this process", &held),
        ("free", "accepted"),
    ]);
    Ok(())
}

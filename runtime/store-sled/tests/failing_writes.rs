//! Writes that fail: the store gives up at once, and what was acknowledged is whole when it is opened again.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use steadfast_core::{RunId, ShardId, Timestamp};
use steadfast_store::{Commits, Due, Requests, Room, Runs, Sessions, StoreErrorKind, Write};
use steadfast_store_sled::{Probe, SledOptions, SledStore, Step};
use tempfile::TempDir;

#[cfg(test)]
mod support;

use support::child::{child_after, child_dir, child_with_mounts, output_of, said};
use support::{Owner, options};

#[cfg(test)]
fn run(number: u64) -> RunId {
    RunId::from_bytes(u128::from(number).to_be_bytes())
}

/// A transition whose parts all name its number: four due keys and a request of 12,000 bytes.
#[cfg(test)]
fn numbered(number: u64) -> Vec<Write> {
    let due = |part| Write::PutDue { at: Timestamp::from_micros(part), run: run(number) };
    let outcome = vec![u8::try_from(number % 251).unwrap(); 12_000];
    let mut writes: Vec<_> = (0..4).map(due).collect();
    writes.push(Write::PutRequest {
        workflow: format!("workflow-{number}").try_into().unwrap(),
        request: "start".to_owned().try_into().unwrap(),
        row: steadfast_store::RequestRow { run_id: run(number), at: Timestamp::ZERO, outcome },
    });
    writes
}

/// How many parts of each numbered transition are there.
#[cfg(test)]
fn parts(store: &SledStore, up_to: u64) -> Vec<usize> {
    let due = store.due(ShardId(0), None, Timestamp::MAX, 1_000_000).unwrap();
    let mut parts: Vec<_> = (0..=up_to).map(|number| usize::from(requested(store, number))).collect();
    for (number, count) in (0..).zip(&mut parts) {
        *count += due.iter().filter(|entry| entry.run == run(number)).count();
    }
    parts
}

#[cfg(test)]
fn requested(store: &SledStore, number: u64) -> bool {
    let workflow = format!("workflow-{number}").try_into().unwrap();
    let row = store.request(ShardId(0), &workflow, &"start".to_owned().try_into().unwrap()).unwrap();
    let whole = |outcome: &[u8]| outcome.iter().all(|byte| u64::from(*byte) == number % 251);
    assert!(row.as_ref().is_none_or(|row| whole(&row.outcome)));
    row.is_some()
}

/// Every acknowledged transition is whole, and the one that failed is whole or not there.
#[cfg(test)]
fn check(store: &SledStore, acknowledged: u64) {
    let parts = parts(store, acknowledged + 2);
    let (whole, rest) = parts[1..].split_at(usize::try_from(acknowledged).unwrap());
    assert!(whole.iter().all(|count| *count == 5), "an acknowledged transition is not whole: {whole:?}");
    assert!([0, 5].contains(&rest[0]), "the one that failed is whole or not there");
    assert_eq!(rest[1], 0);
}

#[test]
fn a_failure_at_any_step_poisons_the_store() {
    for step in [Step::Begin, Step::Applied, Step::Flushed, Step::Synced] {
        let dir = TempDir::new().unwrap();
        let armed = Arc::new(AtomicU64::new(0));
        let fails = Arc::clone(&armed);
        let mut with_probe = options(dir.path());
        with_probe.probe = Probe::from_fn(move |at| {
            let fail = at == step && fails.load(Ordering::Relaxed) == 1;
            if fail { Err(io::Error::from_raw_os_error(28)) } else { Ok(()) }
        });
        let store = SledStore::open(with_probe).unwrap();
        let owner = Owner::of(&store);
        owner.commit(&store, numbered(1));
        armed.store(1, Ordering::Relaxed);
        let error = owner.try_commit(&store, numbered(2)).unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Full, "{error}");
        armed.store(0, Ordering::Relaxed);
        let kinds = [
            owner.try_commit(&store, numbered(3)).unwrap_err().kind(),
            store.head(ShardId(0), run(1)).unwrap_err().kind(),
            store.shards().unwrap_err().kind(),
            store.now().unwrap_err().kind(),
            store.last_time().unwrap_err().kind(),
            store.end_session(owner.session).unwrap_err().kind(),
        ];
        assert!(kinds.iter().all(|kind| *kind == StoreErrorKind::Poisoned), "{kinds:?}");
        let text = store.last_time().unwrap_err().to_string();
        assert!(text.contains("gave up after a failed write and must be opened again"), "{text}");
        drop(store);
        check(&SledStore::open(options(dir.path())).unwrap(), 1);
    }
}

#[test]
fn little_room_is_told_before_it_is_none() {
    let dir = TempDir::new().unwrap();
    let mut greedy = options(dir.path());
    greedy.reserve_bytes = u64::MAX;
    let store = SledStore::open(greedy).unwrap();
    assert!(matches!(store.room().unwrap(), Room::Low { reserve: u64::MAX, free } if free > 0));
    let owner = Owner::of(&store);
    owner.commit(&store, numbered(1));
    drop(store);
    let mut modest = options(dir.path());
    modest.reserve_bytes = 1;
    assert_eq!(SledStore::open(modest).unwrap().room().unwrap(), Room::Enough);
}

/// Commits until it fails; says how many were acknowledged and how it failed.
#[cfg(test)]
fn fill(options: SledOptions) -> (u64, String) {
    let store = SledStore::open(options).unwrap();
    let owner = Owner::of(&store);
    for number in 1..100_000 {
        if let Err(error) = owner.try_commit(&store, numbered(number)) {
            let after = owner.try_commit(&store, numbered(number)).unwrap_err().kind();
            return (number - 1, format!("{:?}, then {after:?}: {error}", error.kind()));
        }
    }
    panic!("the disk does not fill up");
}

#[test]
fn a_full_disk_loses_nothing_that_was_acknowledged() {
    if let Some(dir) = child_dir() {
        return child_fills_a_disk(&dir);
    }
    let dir = TempDir::new().unwrap();
    let script = "mount -t tmpfs -o size=24m none \"$DIR\"";
    let Some(command) =
        child_with_mounts(script, "a_full_disk_loses_nothing_that_was_acknowledged", dir.path())
    else {
        return;
    };
    let text = output_of(command);
    assert!(said(&text, "FAILED").starts_with("Full, then Poisoned: "), "{text}");
    said(&text, "REOPENED FULL");
    assert!(said(&text, "ACKNOWLEDGED").parse::<u64>().unwrap() > 100, "{text}");
}

/// What the second process does.
#[cfg(test)]
fn child_fills_a_disk(dir: &Path) {
    let ballast = dir.join("ballast");
    fs::write(&ballast, vec![1; 4 * 1024 * 1024]).unwrap();
    let store_dir = dir.join("store");
    let (acknowledged, how) = fill(options(&store_dir));
    println!("FAILED {how}");
    println!("ACKNOWLEDGED {acknowledged}");
    match SledStore::open(options(&store_dir)) {
        Ok(store) => {
            check(&store, acknowledged);
            println!("REOPENED FULL and whole");
        }
        Err(error) => println!("REOPENED FULL {:?}: {error}", error.kind()),
    }
    fs::remove_file(ballast).unwrap();
    goes_on(&store_dir, acknowledged);
}

/// With space again everything is there and more can be stored.
#[cfg(test)]
fn goes_on(dir: &Path, acknowledged: u64) {
    let store = SledStore::open(options(dir)).unwrap();
    check(&store, acknowledged);
    let owner = Owner::of(&store);
    owner.commit(&store, numbered(acknowledged + 7));
    drop(store);
    let store = SledStore::open(options(dir)).unwrap();
    assert_eq!(parts(&store, acknowledged + 7).last(), Some(&5));
}

#[test]
fn a_file_that_may_not_grow_loses_nothing_that_was_acknowledged() {
    if let Some(dir) = child_dir() {
        return child_fills_a_file(&dir);
    }
    let dir = TempDir::new().unwrap();
    // A write beyond the limit fails instead of killing the process.
    let script = "trap '' XFSZ; ulimit -f 12288";
    let text = output_of(child_after(
        script,
        "a_file_that_may_not_grow_loses_nothing_that_was_acknowledged",
        dir.path(),
    ));
    assert!(said(&text, "FAILED").starts_with("Full, then Poisoned: "), "{text}");
    let acknowledged = said(&text, "ACKNOWLEDGED").parse::<u64>().unwrap();
    assert!(acknowledged > 50, "{text}");
    goes_on(&dir.path().join("store"), acknowledged);
}

/// What the second process does.
#[cfg(test)]
fn child_fills_a_file(dir: &Path) {
    let (acknowledged, how) = fill(options(&dir.join("store")));
    println!("FAILED {how}");
    println!("ACKNOWLEDGED {acknowledged}");
}

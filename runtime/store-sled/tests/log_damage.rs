//! Bits flipped at random in sled's own files: opening ends with a store or with an error, and a history that is not
//! what was written is never taken for one.

use std::fs;
use std::path::Path;

use steadfast_core::{EventId, RunId, ShardId, Timestamp};
use steadfast_store::Commits;
use steadfast_store::{
    Group, HistoryEnd, HistoryRecord, ListFilter, ListingRow, RunHead, RunStatus, Runs, StoreError,
    StoreErrorKind, Visibility, Write,
};
use steadfast_store_sled::SledStore;
use tempfile::TempDir;

#[cfg(test)]
mod support;

use support::{Owner, options, with_raw};

const RUNS: u64 = 40;
const EVENTS: u64 = 30;
const HITS: u64 = 20;

#[cfg(test)]
fn run(number: u64) -> RunId {
    RunId::from_bytes(u128::from(number).to_be_bytes())
}

#[cfg(test)]
fn body(number: u64, event: u64) -> Vec<u8> {
    vec![u8::try_from((number * 31 + event) % 251).unwrap(); 200]
}

#[cfg(test)]
fn head(number: u64, end: HistoryEnd) -> RunHead {
    RunHead {
        run_id: run(number),
        workflow_id: "workflow".to_owned().try_into().unwrap(),
        workflow_type: "book_tour".to_owned().try_into().unwrap(),
        status: RunStatus::Running,
        last_event: end.last_event,
        history_hash: end.hash,
        history_bytes: end.bytes,
        due: None,
        has_items: false,
        mail_next: 0,
        body: body(number, 0),
    }
}

/// Runs that grow in turn, each listed; never opened again, so no snapshot covers the log.
#[cfg(test)]
fn fill(dir: &Path) {
    let store = SledStore::open(options(dir)).unwrap();
    let owner = Owner::of(&store);
    let mut ends = vec![HistoryEnd::default(); usize::try_from(RUNS).unwrap()];
    for event in 1..=EVENTS {
        for (number, end) in (0..).zip(&mut ends) {
            let record = HistoryRecord { first: EventId(event), count: 1, body: body(number, event) };
            *end = end.with(&record);
            let head = head(number, *end);
            let row = ListingRow {
                started_at: Timestamp::from_micros(number),
                run_id: run(number),
                workflow_id: head.workflow_id.clone(),
                workflow_type: head.workflow_type.clone(),
                status: RunStatus::Running,
                needs_attention: false,
                closed_at: None,
            };
            let mut writes = vec![Write::AppendHistory { run: run(number), record }, Write::PutHead(head)];
            if event == 1 {
                writes.push(Write::PutListing(row));
            }
            let group = Group { at: Timestamp::ZERO, transitions: vec![owner.transition(writes)] };
            store.commit(&group).unwrap();
        }
    }
}

/// Reads a run as an engine does. `Ok(false)`: what is there is not whole, and it shows.
#[cfg(test)]
fn is_whole(store: &SledStore, number: u64) -> Result<bool, StoreError> {
    let Some(head) = store.head(ShardId(0), run(number))? else { return Ok(false) };
    let records = store.history(ShardId(0), run(number), EventId(1), 1_000)?;
    let mut end = HistoryEnd::default();
    for record in &records {
        if record.first != end.last_event.next() {
            return Ok(false);
        }
        end = end.with(record);
    }
    if end != HistoryEnd::of(&head) {
        return Ok(false);
    }
    // What passes is what was written, if perhaps not all of it.
    assert!(records.iter().all(|record| record.body == body(number, record.first.0)));
    Ok(head.last_event == EventId(EVENTS))
}

/// What sled overwrote was kept: put back, and with the bit as it was, everything is there again.
#[cfg(test)]
fn repair(dir: &Path, log: &[u8]) {
    let kept = dir.join("steadfast.kept");
    let mut restored = fs::read(dir.join("db")).unwrap();
    for entry in fs::read_dir(&kept).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let offset: usize = name.strip_prefix("db-at-").unwrap().parse().unwrap();
        let bytes = fs::read(path).unwrap();
        restored.resize(restored.len().max(offset + bytes.len()), 0);
        restored[offset..offset + bytes.len()].copy_from_slice(&bytes);
    }
    restored.resize(log.len(), 0);
    let differing: Vec<_> = (0..log.len()).filter(|at| restored[*at] != log[*at]).collect();
    let (count, first, last) = (differing.len(), differing.first(), differing.last());
    assert!(count <= 1, "more than the flipped bit differs: {count} bytes from {first:?} to {last:?}");
    for at in differing {
        restored[at] = log[at];
    }
    fs::write(dir.join("db"), restored).unwrap();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_string_lossy().starts_with("snap.") {
            fs::remove_file(path).unwrap();
        }
    }
    let store = SledStore::open(options(dir)).unwrap();
    assert!((0..RUNS).all(|number| is_whole(&store, number).unwrap()));
    assert!(!kept.exists(), "what opened well keeps nothing");
}

#[test]
fn a_bit_flipped_in_the_log_is_never_taken_for_data() {
    let made = TempDir::new().unwrap();
    fill(made.path());
    with_raw(made.path(), |_| ());
    let log = fs::read(made.path().join("db")).unwrap();
    let used = log.iter().rposition(|byte| *byte != 0).unwrap();
    let (mut refused, mut noticed, mut harmless) = (0, 0, 0);
    let mut state: usize = 0x1234_5677;
    for _ in 0..HITS {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let dir = TempDir::new().unwrap();
        fs::create_dir(dir.path().join("blobs")).unwrap();
        for name in ["conf", "steadfast", "steadfast.conf", "steadfast.counter"] {
            fs::copy(made.path().join(name), dir.path().join(name)).unwrap();
        }
        let mut damaged = log.clone();
        println!("bit {} of byte {} of {used}", state % 8, state % used);
        damaged[state % used] ^= 1 << (state % 8);
        fs::write(dir.path().join("db"), damaged).unwrap();
        let store = match SledStore::open(options(dir.path())) {
            Ok(store) => store,
            Err(error) => {
                assert_eq!(error.kind(), StoreErrorKind::Corrupt, "{error}");
                refused += 1;
                repair(dir.path(), &log);
                continue;
            }
        };
        let listed = store.list(&ListFilter::default(), None, 1_000).map(|page| page.rows.len() as u64);
        let whole = (0..RUNS).filter(|number| matches!(is_whole(&store, *number), Ok(true))).count() as u64;
        if listed.is_ok_and(|listed| listed == RUNS) && whole == RUNS { harmless += 1 } else { noticed += 1 }
    }
    println!(
        "{HITS} hits: {refused} refused at open, {noticed} noticed when read, {harmless} in bytes not in use"
    );
    assert!(refused + noticed > 0, "no hit was noticed");
}

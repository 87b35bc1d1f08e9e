//! Damaged files: an error that names the place, nothing rewritten, nothing silently lost.

use std::fs;
use std::path::Path;

use steadfast_core::{EventId, RunId, ShardId, Timestamp};
use steadfast_store::{
    Commits, Due, DueEntry, Group, ItemRow, Refusal, Runs, StoreErrorKind, Verdict, Write,
};
use steadfast_store_sled::SledStore;
use tempfile::TempDir;

#[cfg(test)]
mod support;

use support::child::contents;
use support::{Owner, options, with_raw};

const DUE_TABLE: u8 = 10;

/// A closed store with so many groups of one due key each.
#[cfg(test)]
fn closed_store(groups: u64) -> TempDir {
    let dir = TempDir::new().unwrap();
    let store = SledStore::open(options(dir.path())).unwrap();
    add(&store, groups);
    dir
}

#[cfg(test)]
fn add(store: &SledStore, groups: u64) {
    let owner = Owner::of(store);
    for micros in 0..groups {
        let run = RunId::from_bytes([u8::try_from(micros % 200).unwrap(); 16]);
        owner.commit(store, vec![Write::PutDue { at: Timestamp::from_micros(micros), run }]);
    }
}

#[cfg(test)]
fn due(store: &SledStore) -> Result<usize, steadfast_store::StoreError> {
    store.due(ShardId(0), None, Timestamp::MAX, 1_000).map(|rows| rows.len())
}

#[cfg(test)]
fn remove_snapshots(dir: &Path) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_string_lossy().starts_with("snap.") {
            fs::remove_file(path).unwrap();
        }
    }
}

#[test]
fn every_flipped_bit_of_a_value_is_noticed_and_named() {
    // One row for each bit; each gets another bit flipped.
    const BITS: usize = 15 * 8;
    let dir = closed_store(BITS as u64);
    let places: Vec<String> = with_raw(dir.path(), |db| {
        let rows: Vec<_> = db.scan_prefix([DUE_TABLE]).map(Result::unwrap).collect();
        assert!(rows.len() == BITS && rows.iter().all(|(_, value)| value.len() * 8 == BITS));
        for (bit, (key, value)) in rows.iter().enumerate() {
            let mut value = value.to_vec();
            value[bit / 8] ^= 1 << (bit % 8);
            db.insert(key, value).unwrap();
        }
        rows.iter().map(|(key, _)| key.iter().map(|byte| format!("{byte:02x}")).collect()).collect()
    });
    let store = SledStore::open(options(dir.path())).unwrap();
    let mut after = None;
    for (micros, place) in (0..).zip(places) {
        let error = store.due(ShardId(0), after, Timestamp::MAX, 1).unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Corrupt, "bit {micros}: {error}");
        let text = error.to_string();
        assert!(text.starts_with(&format!("row of table `due`, key {place} cannot be read")), "{text}");
        let run = RunId::from_bytes([u8::try_from(micros).unwrap(); 16]);
        after = Some(DueEntry { at: Timestamp::from_micros(micros), run });
    }
}

#[test]
fn a_value_under_another_key_is_noticed() {
    let dir = closed_store(2);
    with_raw(dir.path(), |db| {
        let rows: Vec<_> = db.scan_prefix([DUE_TABLE]).map(Result::unwrap).collect();
        db.insert(&rows[0].0, &rows[1].1).unwrap();
    });
    let store = SledStore::open(options(dir.path())).unwrap();
    assert!(due(&store).unwrap_err().to_string().ends_with("its checksum does not match"));
}

#[test]
fn a_damaged_row_is_never_replaced_and_refuses_its_transition_whole() {
    const ITEM_TABLE: u8 = 7;
    let dir = closed_store(0);
    let run = RunId::from_bytes([1; 16]);
    let item = |byte| Write::PutItem { run, row: ItemRow { item: EventId(1), body: vec![byte; 9] } };
    let store = SledStore::open(options(dir.path())).unwrap();
    Owner::of(&store).commit(&store, vec![item(1)]);
    drop(store);
    with_raw(dir.path(), |db| {
        let (key, value) = db.scan_prefix([ITEM_TABLE]).next().unwrap().unwrap();
        let mut value = value.to_vec();
        value[20] ^= 1;
        db.insert(key, value).unwrap();
    });
    let store = SledStore::open(options(dir.path())).unwrap();
    let owner = Owner::of(&store);
    let at = |micros| Write::PutDue { at: Timestamp::from_micros(micros), run };
    let delete = Write::DeleteItem { run, item: EventId(1) };
    let transitions =
        [vec![at(1), item(2)], vec![at(2), delete], vec![at(3)]].map(|writes| owner.transition(writes));
    let group = Group { at: Timestamp::ZERO, transitions: transitions.to_vec() };
    let unreadable = Verdict::Refused(Refusal::Unreadable { table: "item" });
    assert_eq!(store.commit(&group).unwrap(), [unreadable, unreadable, Verdict::Committed]);
    let due = store.due(ShardId(0), None, Timestamp::MAX, 10).unwrap();
    assert_eq!(due, [DueEntry { at: Timestamp::from_micros(3), run }]);
    let error = store.items(ShardId(0), run, None, 10).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Corrupt, "{error}");
}

#[test]
fn a_damaged_conf_is_named_with_its_cure() {
    let dir = closed_store(3);
    let conf = dir.path().join("conf");
    let good = fs::read(&conf).unwrap();
    for bad in [good[..9].to_vec(), Vec::new(), vec![0; good.len()]] {
        fs::write(&conf, bad).unwrap();
        let before = contents(dir.path());
        let error = SledStore::open(options(dir.path())).unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Corrupt, "{error}");
        assert!(error.to_string().contains("put its first 62 bytes in place"), "{error}");
        assert!(contents(dir.path()) == before, "the files were changed");
    }
    let copy = fs::read(dir.path().join("steadfast.conf")).unwrap();
    fs::write(&conf, &copy[..62]).unwrap();
    assert_eq!(due(&SledStore::open(options(dir.path())).unwrap()).unwrap(), 3);
}

#[test]
fn a_log_whose_tail_was_cut_is_noticed() {
    let dir = closed_store(0);
    let before = TempDir::new().unwrap();
    for name in ["db", "conf"] {
        fs::copy(dir.path().join(name), before.path().join(name)).unwrap();
    }
    add(&SledStore::open(options(dir.path())).unwrap(), 20);
    // The log as it was twenty groups ago, clean in itself.
    with_raw(dir.path(), |_| ());
    fs::copy(before.path().join("db"), dir.path().join("db")).unwrap();
    remove_snapshots(dir.path());
    let error = SledStore::open(options(dir.path())).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Corrupt, "{error}");
    assert!(error.to_string().contains("ends too early: it has"), "{error}");
}

#[test]
fn missing_files_are_named() {
    for name in ["steadfast.counter", "steadfast.conf"] {
        let dir = closed_store(1);
        fs::remove_file(dir.path().join(name)).unwrap();
        let error = SledStore::open(options(dir.path())).unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Corrupt, "{error}");
        assert!(error.to_string().contains(name), "{error}");
    }
    let dir = closed_store(1);
    with_raw(dir.path(), |_| ());
    fs::remove_file(dir.path().join("db")).unwrap();
    let before = contents(dir.path());
    let error = SledStore::open(options(dir.path())).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Corrupt, "{error}");
    assert!(contents(dir.path()) == before, "the files were changed");
}

#[test]
fn an_empty_marker_of_a_store_with_data_is_no_new_store() {
    let dir = closed_store(1);
    fs::write(dir.path().join("steadfast"), "").unwrap();
    let error = SledStore::open(options(dir.path())).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Corrupt, "{error}");
    assert!(error.to_string().contains("it is empty, but the store is not"), "{error}");
}

#[test]
fn a_torn_counter_leaves_the_other_slot() {
    let dir = closed_store(5);
    let path = dir.path().join("steadfast.counter");
    let good = fs::read(&path).unwrap();
    for slot in [0, 4_096] {
        let mut torn = good.clone();
        torn[slot + 9] ^= 1;
        fs::write(&path, &torn).unwrap();
        assert_eq!(due(&SledStore::open(options(dir.path())).unwrap()).unwrap(), 5);
    }
}

#[test]
fn half_written_snapshots_are_removed() {
    let dir = closed_store(5);
    let half = dir.path().join("snap.0000000000000C00.generating");
    fs::write(&half, "half").unwrap();
    assert_eq!(due(&SledStore::open(options(dir.path())).unwrap()).unwrap(), 5);
    assert!(!half.exists());
}

#[test]
fn files_among_the_blobs_are_refused() {
    let dir = closed_store(1);
    fs::write(dir.path().join("blobs/123"), "x").unwrap();
    let error = SledStore::open(options(dir.path())).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Corrupt, "{error}");
    assert!(error.to_string().contains("it must be empty"), "{error}");
    assert!(dir.path().join("blobs/123").exists());
}

/// A creation that was cut off at any file leaves a directory that opens as a new store.
#[test]
fn an_interrupted_creation_is_taken_up_again() {
    let made = closed_store(0);
    let dir = TempDir::new().unwrap();
    let restart = |files: &[&str]| {
        fs::remove_dir_all(dir.path()).unwrap();
        fs::create_dir(dir.path()).unwrap();
        fs::write(dir.path().join("steadfast"), "").unwrap();
        for name in files {
            fs::copy(made.path().join(name), dir.path().join(name)).unwrap();
        }
    };
    let stages: [&[&str]; 4] =
        [&[], &["conf"], &["conf", "steadfast.conf"], &["conf", "steadfast.conf", "steadfast.counter"]];
    for files in stages {
        restart(files);
        if files.contains(&"steadfast.counter") {
            // A count of groups belongs to a complete store.
            fs::write(dir.path().join("steadfast.counter"), "torn").unwrap();
        }
        fs::create_dir_all(dir.path().join("steadfast.creating/blobs")).unwrap();
        let store = SledStore::open(options(dir.path())).unwrap();
        add(&store, 2);
        drop(store);
        assert_eq!(due(&SledStore::open(options(dir.path())).unwrap()).unwrap(), 2);
        assert!(!dir.path().join("steadfast.creating").exists());
    }
}

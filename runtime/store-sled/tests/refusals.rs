//! Directories that cannot be opened: each a clear error, each left as it was.

use std::fs;
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::Stdio;

use steadfast_core::{RunId, ShardId, Timestamp};
use steadfast_store::{Commits, StoreError, StoreErrorKind, Write};
use steadfast_store_sled::SledStore;
use tempfile::TempDir;

#[cfg(test)]
mod support;

use support::child::{child, child_dir, child_with_mounts, contents, output_of, said};
use support::{Owner, options, with_raw};

/// A closed store with a row in it.
#[cfg(test)]
fn closed_store() -> TempDir {
    let dir = TempDir::new().unwrap();
    let store = SledStore::open(options(dir.path())).unwrap();
    let owner = Owner::of(&store);
    let run = RunId::from_bytes([1; 16]);
    owner.commit(&store, vec![Write::PutDue { at: Timestamp::ZERO, run }]);
    drop(store);
    // The lock of a database that was just closed is given up a moment later.
    with_raw(dir.path(), |_| ());
    dir
}

/// Opening fails in one way and leaves everything as it was.
#[cfg(test)]
#[track_caller]
fn refused(dir: &Path, kind: StoreErrorKind, text: &str) -> StoreError {
    let before = contents(dir);
    let error = SledStore::open(options(dir)).unwrap_err();
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.to_string().contains(text), "`{error}` does not say `{text}`");
    assert!(contents(dir) == before, "the files were changed");
    error
}

#[test]
fn a_directory_that_another_process_holds_is_left_alone() {
    if let Some(dir) = child_dir() {
        return child_holds(&dir);
    }
    let dir = closed_store();
    let mut holder = child("a_directory_that_another_process_holds_is_left_alone", dir.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(holder.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("HOLDING")));
    let error = refused(dir.path(), StoreErrorKind::Held, "is held by another process or handle");
    assert!(error.to_string().contains(&dir.path().display().to_string()));
    holder.stdin.take().unwrap().write_all(b"\n").unwrap();
    lines.for_each(drop);
    assert!(holder.wait().unwrap().success());
    SledStore::open(options(dir.path())).unwrap();
}

/// What the second process does.
#[cfg(test)]
fn child_holds(dir: &Path) {
    let _store = SledStore::open(options(dir)).unwrap();
    println!("HOLDING");
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

#[test]
fn a_second_handle_in_one_process_is_refused_too() {
    let dir = TempDir::new().unwrap();
    let store = SledStore::open(options(dir.path())).unwrap();
    let error = SledStore::open(options(dir.path())).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Held, "{error}");
    drop(store);
    SledStore::open(options(dir.path())).unwrap();
}

#[test]
fn a_directory_of_another_program_is_left_alone() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("thesis.tex"), "years of work").unwrap();
    refused(dir.path(), StoreErrorKind::Foreign, "it holds `thesis.tex` and no file `steadfast`");
    fs::write(dir.path().join("steadfast"), "a poem").unwrap();
    refused(dir.path(), StoreErrorKind::Foreign, "says something else");
    fs::remove_file(dir.path().join("steadfast")).unwrap();
    fs::create_dir(dir.path().join("steadfast")).unwrap();
    refused(dir.path(), StoreErrorKind::Foreign, "is a directory");
}

#[test]
fn a_sled_database_of_another_program_is_left_alone() {
    let dir = TempDir::new().unwrap();
    with_raw(dir.path(), |db| drop(db.insert("key", "value").unwrap()));
    refused(dir.path(), StoreErrorKind::Foreign, "is not a store of Steadfast");
}

#[test]
fn a_database_that_was_swapped_for_another_one_is_noticed() {
    let (ours, theirs) = (closed_store(), TempDir::new().unwrap());
    with_raw(theirs.path(), |db| drop(db.insert("key", "value").unwrap()));
    for name in ["db", "conf"] {
        fs::copy(theirs.path().join(name), ours.path().join(name)).unwrap();
    }
    for entry in fs::read_dir(ours.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_string_lossy().starts_with("snap.") {
            fs::remove_file(path).unwrap();
        }
    }
    let error = SledStore::open(options(ours.path())).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Foreign, "{error}");
    assert!(error.to_string().contains("it holds keys of another program"), "{error}");
}

#[test]
fn a_newer_format_is_left_alone() {
    let dir = closed_store();
    fs::write(dir.path().join("steadfast"), "steadfast store\nformat 2\nwhatever comes then\n").unwrap();
    refused(dir.path(), StoreErrorKind::Foreign, "has format 2, this version of Steadfast reads format 1");
    fs::write(dir.path().join("steadfast"), "steadfast store\nformat x\n").unwrap();
    refused(dir.path(), StoreErrorKind::Corrupt, "it names no format");
}

#[test]
fn a_path_that_is_no_directory_is_refused() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("file"), "x").unwrap();
    for path in [dir.path().join("file"), dir.path().join("file/store")] {
        let error = SledStore::open(options(&path)).unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Invalid, "{error}");
        assert!(error.to_string().contains("is not a directory"), "{error}");
    }
}

#[test]
fn a_read_only_directory_is_left_alone() {
    if let Some(dir) = child_dir() {
        return child_opens_read_only(&dir);
    }
    let dir = closed_store();
    let before = contents(dir.path());
    let script = r#"mount --bind "$DIR" "$DIR" && mount -o remount,bind,ro "$DIR""#;
    let Some(command) = child_with_mounts(script, "a_read_only_directory_is_left_alone", dir.path()) else {
        return;
    };
    let text = output_of(command);
    let existing = said(&text, "EXISTING");
    assert!(
        existing.starts_with("ReadOnly: cannot open") && existing.contains("it may not be written"),
        "{existing}"
    );
    let new = said(&text, "NEW");
    assert!(new.starts_with("ReadOnly: cannot create"), "{new}");
    assert!(contents(dir.path()) == before, "the files were changed");
}

/// What the second process does.
#[cfg(test)]
fn child_opens_read_only(dir: &Path) {
    for (word, path) in [("EXISTING", dir.to_path_buf()), ("NEW", dir.join("new"))] {
        let error = SledStore::open(options(&path)).unwrap_err();
        println!("{word} {:?}: {error}", error.kind());
    }
}

#[test]
fn the_number_of_shards_never_changes() {
    let dir = closed_store();
    let mut other = options(dir.path());
    other.shard_count = Some(5);
    let error = SledStore::open(other).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Invalid, "{error}");
    assert!(
        error.to_string().contains("was made with 4 shards, which never changes; 5 were asked for"),
        "{error}"
    );
    let mut any = options(dir.path());
    any.shard_count = None;
    let store = SledStore::open(any).unwrap();
    assert_eq!(steadfast_store::Sessions::shard_count(&store), 4);
    assert!(store.with_namespace(support::namespace("test"), Some(9)).is_err());
    assert_eq!(store.last_time().unwrap(), Timestamp::from_micros(1));
    assert_eq!(steadfast_store::Due::due(&store, ShardId(0), None, Timestamp::MAX, 9).unwrap().len(), 1);
}

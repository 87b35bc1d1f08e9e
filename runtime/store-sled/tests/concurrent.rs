//! Readers beside the writer: a row in chunks that is replaced while it is read is the old one or the new one.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use steadfast_core::{EventId, RunId, ShardId};
use steadfast_store::{ItemRow, Runs, Write};
use steadfast_store_sled::SledStore;
use tempfile::TempDir;

#[cfg(test)]
mod support;

use support::{Owner, options};

#[test]
fn a_row_that_is_replaced_while_it_is_read_is_whole() {
    let dir = TempDir::new().unwrap();
    let store = SledStore::open(options(dir.path())).unwrap();
    let owner = Owner::of(&store);
    let run = RunId::from_bytes([1; 16]);
    // Every size has its own byte, so that a mixture shows.
    let item = |round: usize| {
        let kind = round % 5;
        let body = vec![u8::try_from(kind).unwrap(); 2_000 + kind * 9_000];
        Write::PutItem { run, row: ItemRow { item: EventId(1), body } }
    };
    owner.commit(&store, vec![item(0)]);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let read = || {
            let mut reads = 0_u64;
            while !done.load(Ordering::Relaxed) {
                let rows = store.items(ShardId(0), run, None, 10).unwrap();
                let body = &rows[0].body;
                assert!(body.iter().all(|byte| *byte == body[0]));
                assert_eq!(body.len(), 2_000 + usize::from(body[0]) * 9_000);
                reads += 1;
            }
            reads
        };
        let readers = [scope.spawn(read), scope.spawn(read)];
        for round in 1..600 {
            owner.commit(&store, vec![item(round)]);
        }
        done.store(true, Ordering::Relaxed);
        assert!(readers.into_iter().all(|reader| reader.join().unwrap() > 0));
    });
}

//! The largest keys and values in the worst order: nothing ever goes to a file of its own, which sled never syncs.

use steadfast_core::{EventId, RunId};
use steadfast_store::{RequestRow, Write};
use steadfast_store_sled::SledStore;
use tempfile::TempDir;

#[cfg(test)]
mod support;

use support::{Owner, options, with_raw};

#[test]
fn the_largest_rows_under_the_longest_ids_stay_in_the_log() {
    let dir = TempDir::new().unwrap();
    let store = SledStore::open(options(dir.path())).unwrap();
    let owner = Owner::of(&store);
    let mut state: u64 = 77;
    for round in 0..60 {
        let mut writes = Vec::new();
        for _ in 0..25 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            // Ids just short enough to stand in the key, and ids of full length that differ at their end.
            let length = if state.is_multiple_of(2) { 76 } else { 980 };
            let id = format!("{}{:020}", "w".repeat(length), state % 3_000);
            let row = RequestRow {
                run_id: RunId::from_bytes(u128::from(state).to_be_bytes()),
                at: steadfast_core::Timestamp::ZERO,
                outcome: vec![u8::try_from(round).unwrap(); 3_900 + usize::try_from(state % 5_000).unwrap()],
            };
            writes.push(Write::PutRequest {
                workflow: id.clone().try_into().unwrap(),
                request: id.try_into().unwrap(),
                row,
            });
        }
        // The store itself refuses to acknowledge a group that left a blob.
        owner.commit(&store, writes);
    }
    drop(store);
    let store = SledStore::open(options(dir.path())).unwrap();
    assert_eq!(std::fs::read_dir(store.dir().join("blobs")).unwrap().count(), 0);
}

/// A row in chunks takes all of them along when it shrinks or goes.
#[test]
fn no_chunk_outlives_its_row() {
    const CHUNKS: [u8; 1] = [16];
    let dir = TempDir::new().unwrap();
    let store = SledStore::open(options(dir.path())).unwrap();
    let owner = Owner::of(&store);
    let run = RunId::from_bytes([5; 16]);
    let item = |event| steadfast_store::ItemRow { item: EventId(event), body: vec![9; 30_000] };
    let small = steadfast_store::ItemRow { item: EventId(1), body: vec![9; 30] };
    owner.commit(&store, vec![Write::PutItem { run, row: item(1) }, Write::PutItem { run, row: item(2) }]);
    drop(store);
    assert_eq!(with_raw(dir.path(), |db| db.scan_prefix(CHUNKS).count()), 14);
    let store = SledStore::open(options(dir.path())).unwrap();
    let owner = Owner::of(&store);
    owner.commit(
        &store,
        vec![Write::PutItem { run, row: small }, Write::DeleteItem { run, item: EventId(2) }],
    );
    drop(store);
    assert_eq!(with_raw(dir.path(), |db| db.scan_prefix(CHUNKS).count()), 0);
}

//! Due keys: in order of time, then run.

use steadfast_core::{ShardId, Timestamp};

use super::fixture::Fixture;
use super::harness::Harness;
use super::rows::{SHARD, ok, run};
use crate::contract::{DueEntry, Write};

/// Times that tell a wrong byte order, and the ends of the range.
const TIMES: [u64; 8] = [0, 1, 255, 256, 65_535, 65_536, 1 << 40, u64::MAX];

fn entries() -> Vec<DueEntry> {
    let at = |micros| {
        [2, 1, 256, 255].map(|number| DueEntry { at: Timestamp::from_micros(micros), run: run(number) })
    };
    TIMES.iter().flat_map(|micros| at(*micros)).collect()
}

fn put(entry: &DueEntry) -> Write {
    Write::PutDue { at: entry.at, run: entry.run }
}

pub(super) fn keys_come_in_order_of_time_and_run(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let mut expected = entries();
    let mut writes: Vec<_> = expected.iter().map(put).collect();
    writes.reverse();
    fixture.commit(writes);
    expected.sort();
    assert_eq!(ok(fixture.store().due(SHARD, None, Timestamp::MAX, 1_000)), expected);
    assert_eq!(ok(fixture.store().due(SHARD, None, Timestamp::MAX, 5)), expected[..5]);
    assert_eq!(ok(fixture.store().due(SHARD, None, Timestamp::MAX, 0)), []);
    assert_eq!(ok(fixture.store().next_due(SHARD, None)), Some(expected[0]), "zero is at once");
}

pub(super) fn a_page_goes_on_behind_its_last_key(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let mut expected = entries();
    fixture.commit(expected.iter().map(put).collect());
    expected.sort();
    for limit in [1, 3, 100] {
        let mut read = Vec::new();
        loop {
            let page = ok(fixture.store().due(SHARD, read.last().copied(), Timestamp::MAX, limit));
            // A store that repeats itself must not keep the suite going for ever.
            if page.is_empty() || read.len() > expected.len() {
                break;
            }
            read.extend(page);
        }
        assert_eq!(read, expected);
    }
    let last = expected.last().copied();
    assert_eq!(ok(fixture.store().next_due(SHARD, last)), None);
    // A position need not exist itself.
    let between = DueEntry { at: Timestamp::from_micros(100), run: run(1) };
    let next = expected.iter().find(|entry| **entry > between).copied();
    assert_eq!(ok(fixture.store().next_due(SHARD, Some(between))), next);
}

pub(super) fn until_is_included(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let mut expected = entries();
    fixture.commit(expected.iter().map(put).collect());
    expected.sort();
    for until in [0, 1, 254, 255, 256, 65_536, u64::MAX] {
        let until = Timestamp::from_micros(until);
        let due: Vec<_> = expected.iter().copied().filter(|entry| entry.at <= until).collect();
        assert_eq!(ok(fixture.store().due(SHARD, None, until, 1_000)), due);
        let after = expected[5];
        let due: Vec<_> = due.into_iter().filter(|entry| *entry > after).collect();
        assert_eq!(ok(fixture.store().due(SHARD, Some(after), until, 1_000)), due);
    }
}

pub(super) fn a_deleted_key_is_gone(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let entry = |micros| DueEntry { at: Timestamp::from_micros(micros), run: run(1) };
    fixture.commit(vec![put(&entry(0)), put(&entry(5))]);
    fixture.commit(vec![Write::DeleteDue { at: Timestamp::ZERO, run: run(1) }, put(&entry(7))]);
    assert_eq!(ok(fixture.store().due(SHARD, None, Timestamp::MAX, 10)), [entry(5), entry(7)]);
    fixture.commit(vec![Write::DeleteDue { at: Timestamp::from_micros(5), run: run(2) }]);
    assert_eq!(ok(fixture.store().due(SHARD, None, Timestamp::MAX, 10)), [entry(5), entry(7)]);
}

pub(super) fn shards_do_not_mix(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let shards = [0, 1, 2, 3].map(ShardId);
    let entry = |shard: ShardId| DueEntry { at: Timestamp::MAX, run: run(u64::from(shard.0) + 1) };
    for shard in shards {
        fixture.commit_in(shard, vec![put(&entry(shard))]);
    }
    for shard in shards {
        assert_eq!(ok(fixture.store().due(shard, None, Timestamp::MAX, 10)), [entry(shard)]);
        assert_eq!(ok(fixture.store().next_due(shard, Some(entry(shard)))), None);
    }
}

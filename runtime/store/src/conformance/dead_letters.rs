//! Dead letters: every one on exactly one page.

use steadfast_core::{EventId, ShardId};

use super::fixture::Fixture;
use super::harness::Harness;
use super::rows::{SHARD, dead_letter, ok, run};
use crate::contract::{DeadLetterRow, Store, Write};

/// All pages, joined.
pub(super) fn pages(store: &dyn Store, limit: usize) -> Vec<DeadLetterRow> {
    let mut rows = Vec::new();
    let mut after = None;
    for _ in 0..10_000 {
        let page = ok(store.dead_letters(after, limit));
        assert!(page.rows.len() <= limit, "a page holds at most {limit} rows");
        rows.extend(page.rows);
        match page.next {
            Some(next) => after = Some(next),
            None => return rows,
        }
    }
    panic!("the list does not end");
}

pub(super) fn every_row_is_on_exactly_one_page_in_order(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let mut rows = Vec::new();
    for shard in [3, 0, 1].map(ShardId) {
        let of_shard: Vec<_> = [300, 2, 255]
            .iter()
            .flat_map(|number| [256, 1, 255].map(|scheduled| dead_letter(shard, run(*number), scheduled)))
            .collect();
        fixture.commit_in(shard, of_shard.iter().cloned().map(Write::PutDeadLetter).collect());
        rows.extend(of_shard);
    }
    rows.sort_by_key(|row| (row.shard, row.run_id, row.scheduled));
    for limit in [100, 27, 26, 4, 1] {
        assert_eq!(pages(fixture.store(), limit), rows, "with pages of {limit}");
    }
}

pub(super) fn a_row_is_found_replaced_and_removed(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let mut row = dead_letter(SHARD, run(1), 4);
    fixture.commit(vec![Write::PutDeadLetter(row.clone())]);
    fixture.commit_in(ShardId(1), vec![Write::PutDeadLetter(dead_letter(ShardId(1), run(1), 4))]);
    row.body = vec![7; 10_000];
    fixture.commit(vec![Write::PutDeadLetter(row.clone())]);
    let find = |fixture: &Fixture<'_>, shard| ok(fixture.store().dead_letter(shard, run(1), EventId(4)));
    assert_eq!(find(&fixture, SHARD), Some(row));
    assert_eq!(ok(fixture.store().dead_letter(SHARD, run(1), EventId(5))), None);
    fixture.commit(vec![Write::DeleteDeadLetter { run: run(1), scheduled: EventId(4) }]);
    assert_eq!(find(&fixture, SHARD), None);
    assert_eq!(find(&fixture, ShardId(1)), Some(dead_letter(ShardId(1), run(1), 4)));
}

//! Lists of runs: every row on exactly one page.

use steadfast_core::ShardId;

use super::fixture::Fixture;
use super::harness::Harness;
use super::rows::{at, listing, ok, run, workflow, workflow_type};
use crate::contract::{ListFilter, ListPosition, ListingRow, RunStatus, Store, Write};

/// All pages of a list, joined.
pub(super) fn pages(store: &dyn Store, filter: &ListFilter, limit: usize) -> Vec<ListingRow> {
    let mut rows = Vec::new();
    let mut after: Option<ListPosition> = None;
    // Far more pages than any property has rows: a list that never ends fails.
    for _ in 0..10_000 {
        let page = ok(store.list(filter, after, limit));
        assert!(page.rows.len() <= limit, "a page holds at most {limit} rows");
        assert!(page.rows.iter().all(|row| filter.matches(row)), "only rows that pass are listed");
        rows.extend(page.rows);
        match page.next {
            Some(next) => after = Some(next),
            None => return rows,
        }
    }
    panic!("the list does not end");
}

/// Runs in all shards, some of them started in the same moment.
fn many(count: u64) -> Vec<(ShardId, ListingRow)> {
    let row = |number: u64| {
        let mut row = listing(number / 3, run(number * 7_919 % 1_000));
        row.status = RunStatus::ALL[usize::try_from(number).unwrap_or(0) % RunStatus::ALL.len()];
        row.needs_attention = number.is_multiple_of(5);
        row.workflow_type = workflow_type(if number.is_multiple_of(2) { "even" } else { "odd" });
        (ShardId(u16::try_from(number % 4).unwrap_or(0)), row)
    };
    (1..=count).map(row).collect()
}

fn stored(harness: &mut dyn Harness, count: u64) -> (Fixture<'_>, Vec<ListingRow>) {
    let mut fixture = Fixture::new(harness);
    let rows = many(count);
    for chunk in rows.chunks(50) {
        let group =
            chunk.iter().map(|(shard, row)| fixture.transition(*shard, vec![Write::PutListing(row.clone())]));
        let group = group.collect();
        fixture.group(group);
    }
    let mut rows: Vec<_> = rows.into_iter().map(|(_, row)| row).collect();
    rows.sort_by_key(|row| std::cmp::Reverse((row.started_at, row.run_id)));
    (fixture, rows)
}

pub(super) fn every_row_is_on_exactly_one_page(harness: &mut dyn Harness) {
    let (fixture, rows) = stored(harness, 701);
    for limit in [1_000, 701, 700, 100, 7] {
        assert_eq!(pages(fixture.store(), &ListFilter::default(), limit), rows, "with pages of {limit}");
    }
}

pub(super) fn rows_come_newest_first(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    for (started, number) in [(5, 1), (255, 2), (256, 3), (256, 300), (65_536, 4), (1, 9)] {
        fixture.commit(vec![Write::PutListing(listing(started, run(number)))]);
    }
    let order: Vec<_> =
        pages(fixture.store(), &ListFilter::default(), 10).iter().map(|row| row.run_id).collect();
    assert_eq!(order, [4, 300, 3, 2, 1, 9].map(run));
}

pub(super) fn filters_restrict(harness: &mut dyn Harness) {
    let (fixture, rows) = stored(harness, 300);
    let filters = [
        ListFilter { statuses: vec![RunStatus::Failed, RunStatus::Blocked], ..ListFilter::default() },
        ListFilter { workflow_type: Some(workflow_type("odd")), ..ListFilter::default() },
        ListFilter { workflow_id: Some(workflow("workflow-none")), ..ListFilter::default() },
        ListFilter { workflow_id: Some(rows[77].workflow_id.clone()), ..ListFilter::default() },
        ListFilter { needs_attention: true, statuses: vec![RunStatus::Running], ..ListFilter::default() },
    ];
    for filter in filters {
        let expected: Vec<_> = rows.iter().filter(|row| filter.matches(row)).cloned().collect();
        for limit in [1_000, 3] {
            assert_eq!(pages(fixture.store(), &filter, limit), expected, "{filter:?} in pages of {limit}");
        }
    }
}

pub(super) fn a_changed_row_shows_its_new_state(harness: &mut dyn Harness) {
    let (mut fixture, mut rows) = stored(harness, 30);
    rows[9].status = RunStatus::Completed;
    rows[9].closed_at = Some(at(99));
    let gone = rows.remove(20);
    fixture.commit(vec![
        Write::PutListing(rows[9].clone()),
        Write::DeleteListing { started_at: gone.started_at, run: gone.run_id },
    ]);
    assert_eq!(pages(fixture.store(), &ListFilter::default(), 4), rows);
}

pub(super) fn paging_bears_starts_meanwhile(harness: &mut dyn Harness) {
    let (mut fixture, rows) = stored(harness, 90);
    let mut seen = Vec::new();
    let mut after = None;
    for (number, row) in (1..).zip(&rows) {
        let page = ok(fixture.store().list(&ListFilter::default(), after, 10));
        seen.extend(page.rows);
        let Some(next) = page.next else { break };
        after = Some(next);
        // One newer than all, one older than all, one of those already seen changes.
        let mut changed = row.clone();
        changed.needs_attention = true;
        fixture.commit(vec![
            Write::PutListing(listing(500 + number, run(5_000 + number))),
            Write::PutListing(listing(0, run(6_000 + number))),
            Write::PutListing(changed),
        ]);
    }
    for row in &rows {
        let times = seen.iter().filter(|other| other.run_id == row.run_id).count();
        assert_eq!(times, 1, "{} was there throughout and is on {times} pages", row.run_id);
    }
}

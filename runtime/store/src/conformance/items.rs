//! Open items that do not fit the head.

use steadfast_core::{EventId, ShardId};

use super::fixture::Fixture;
use super::harness::Harness;
use super::rows::{SHARD, item, ok, run};
use crate::contract::Write;

pub(super) fn rows_come_in_order_of_their_event(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let events = [70_000, 256, 255, 1, 65_536, 2, u64::MAX, 65_535];
    let put = |event: &u64| Write::PutItem { run: run(1), row: item(*event, 20) };
    fixture.commit(events.iter().map(put).collect());
    fixture.commit(vec![Write::PutItem { run: run(2), row: item(3, 20) }]);
    let mut sorted = events;
    sorted.sort_unstable();
    let all = sorted.map(|event| item(event, 20));
    assert_eq!(ok(fixture.store().items(SHARD, run(1), None, 100)), all);
    assert_eq!(ok(fixture.store().items(SHARD, run(1), None, 3)), all[..3]);
    assert_eq!(ok(fixture.store().items(SHARD, run(1), Some(EventId(255)), 3)), all[3..6]);
    assert_eq!(ok(fixture.store().items(SHARD, run(1), Some(EventId(300)), 2)), all[4..6]);
    assert_eq!(ok(fixture.store().items(SHARD, run(1), Some(EventId(u64::MAX)), 2)), []);
    assert_eq!(ok(fixture.store().items(ShardId(1), run(1), None, 2)), []);
}

pub(super) fn a_row_is_replaced_and_removed(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    fixture.commit((1..=1_000).map(|event| Write::PutItem { run: run(1), row: item(event, 9) }).collect());
    fixture.commit(vec![
        Write::PutItem { run: run(1), row: item(500, 77) },
        Write::DeleteItem { run: run(1), item: EventId(501) },
        Write::DeleteItem { run: run(2), item: EventId(502) },
    ]);
    let rows = ok(fixture.store().items(SHARD, run(1), None, 2_000));
    assert_eq!(rows.len(), 999);
    assert_eq!(rows[498..501], [item(499, 9), item(500, 77), item(502, 9)]);
}

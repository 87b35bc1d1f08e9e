//! The inbox of a shard and the mailbox of a run.

use steadfast_core::ShardId;

use super::fixture::Fixture;
use super::harness::Harness;
use super::rows::{SHARD, mail, message, ok, run};
use crate::contract::{InboxRow, Write};

fn send(to: ShardId, from: u64, sequence: u64) -> Write {
    Write::PutMessage { to, row: message(run(from), sequence) }
}

fn of_sender(rows: &[InboxRow], from: u64) -> Vec<u64> {
    rows.iter().filter(|row| row.from == run(from)).map(|row| row.sequence).collect()
}

pub(super) fn those_of_one_sender_come_in_order(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let numbers = [300, 256, 0, 255, 70_000, 1];
    fixture.commit(
        numbers.iter().flat_map(|number| [send(SHARD, 2, *number), send(SHARD, 1, *number)]).collect(),
    );
    let rows = ok(fixture.store().inbox(SHARD, 100));
    assert_eq!(rows.len(), 12);
    for sender in [1, 2] {
        assert_eq!(of_sender(&rows, sender), [0, 1, 255, 256, 300, 70_000]);
    }
    let some = ok(fixture.store().inbox(SHARD, 4));
    assert_eq!(some.len(), 4);
    for sender in [1, 2] {
        let seen = of_sender(&some, sender);
        assert_eq!(seen, [0, 1, 255, 256][..seen.len()], "a short page leaves no gap");
    }
}

pub(super) fn a_lower_number_that_comes_late_is_seen(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    fixture.commit(vec![send(SHARD, 1, 5), send(SHARD, 9, 1)]);
    assert_eq!(ok(fixture.store().inbox(SHARD, 10)).len(), 2);
    fixture.commit(vec![Write::DeleteMessage { from: run(9), sequence: 1 }]);
    fixture.commit_in(ShardId(1), vec![send(SHARD, 1, 3), send(SHARD, 0, 2)]);
    let rows = ok(fixture.store().inbox(SHARD, 10));
    assert_eq!(of_sender(&rows, 1), [3, 5]);
    assert_eq!(of_sender(&rows, 0), [2]);
    assert_eq!(of_sender(&rows, 9), [0; 0]);
}

pub(super) fn a_message_lies_in_the_shard_of_its_receiver(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    fixture
        .commit_in(ShardId(1), vec![send(ShardId(2), 1, 0), send(ShardId(3), 1, 0), send(ShardId(1), 1, 0)]);
    for shard in [1, 2, 3].map(ShardId) {
        assert_eq!(ok(fixture.store().inbox(shard, 10)), [message(run(1), 0)]);
    }
    // The receiver removes it from its own shard only.
    fixture.commit_in(ShardId(2), vec![Write::DeleteMessage { from: run(1), sequence: 0 }]);
    assert_eq!(ok(fixture.store().inbox(ShardId(2), 10)), []);
    assert_eq!(ok(fixture.store().inbox(ShardId(3), 10)), [message(run(1), 0)]);
    assert_eq!(ok(fixture.store().inbox(SHARD, 10)), []);
}

pub(super) fn a_mailbox_is_read_in_order_from_a_number_on(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let put = |of, sequence| Write::PutMail { run: run(of), row: mail(sequence) };
    fixture.commit([256, 3, 255, 0].iter().map(|sequence| put(1, *sequence)).collect());
    fixture.commit(vec![put(2, 1)]);
    let read = |fixture: &Fixture<'_>, from, limit| ok(fixture.store().mail(SHARD, run(1), from, limit));
    assert_eq!(read(&fixture, 0, 10), [0, 3, 255, 256].map(mail));
    assert_eq!(read(&fixture, 0, 2), [0, 3].map(mail));
    assert_eq!(read(&fixture, 3, 10), [3, 255, 256].map(mail));
    assert_eq!(read(&fixture, 4, 10), [255, 256].map(mail));
    assert_eq!(read(&fixture, 257, 10), []);
    fixture.commit(vec![Write::DeleteMail { run: run(1), sequence: 3 }, put(1, 2)]);
    assert_eq!(read(&fixture, 0, 10), [0, 2, 255, 256].map(mail));
    assert_eq!(ok(fixture.store().mail(ShardId(1), run(1), 0, 10)), []);
}

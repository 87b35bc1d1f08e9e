//! Rows that were damaged behind the store's back. Stores whose harness cannot damage anything pass without a look.

use steadfast_core::EventId;

use super::fixture::Fixture;
use super::harness::{Damaged, Harness};
use super::rows::{SHARD, Story, at, bytes, ok, one_of_each, run};
use crate::contract::{ListFilter, Refusal, Store, StoreError, StoreErrorKind, Verdict, Write};

fn read(store: &dyn Store, row: Damaged) -> Result<(), StoreError> {
    match row {
        Damaged::Head => store.head(SHARD, run(1)).map(drop),
        Damaged::History => store.history(SHARD, run(1), EventId(1), 10).map(drop),
        Damaged::Item => store.items(SHARD, run(1), None, 10).map(drop),
        Damaged::Listing => store.list(&ListFilter::default(), None, 10).map(drop),
        Damaged::Mail => store.mail(SHARD, run(1), 0, 10).map(drop),
        Damaged::Inbox => store.inbox(SHARD, 10).map(drop),
        Damaged::DeadLetter => store.dead_letters(None, 10).map(drop),
        Damaged::Breaker => store.breakers(None, 10).map(drop),
    }
}

const ALL: [Damaged; 8] = [
    Damaged::Head,
    Damaged::History,
    Damaged::Item,
    Damaged::Listing,
    Damaged::Mail,
    Damaged::Inbox,
    Damaged::DeadLetter,
    Damaged::Breaker,
];

pub(super) fn a_damaged_row_is_an_error_not_a_gap(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    fixture.commit(one_of_each());
    for row in ALL {
        ok(read(fixture.store(), row));
        if !fixture.harness.damage(row) {
            return;
        }
        let first = read(fixture.store(), row);
        let Err(error) = &first else { panic!("a damaged {row:?} was read") };
        assert_eq!(error.kind(), StoreErrorKind::Corrupt, "{error}");
        fixture.reopen();
        let again = read(fixture.store(), row);
        let texts = (first.map_err(|error| error.to_string()), again.map_err(|error| error.to_string()));
        assert_eq!(texts.0, texts.1, "reading left it as it was");
    }
}

pub(super) fn a_damaged_head_refuses_its_run_only(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let (mut damaged, mut sound) = (Story::new(run(1)), Story::new(run(2)));
    fixture.commit(damaged.step());
    fixture.commit(sound.step());
    if !fixture.harness.damage(Damaged::Head) {
        return;
    }
    fixture.take_over();
    let (expected, writes) = (damaged.expected(), damaged.step());
    let group = vec![
        fixture.expecting(expected, writes),
        fixture.transition(SHARD, vec![Write::PutHead(super::rows::head(run(1), damaged.end, bytes(1, 1)))]),
        fixture.transition(SHARD, sound.step()),
        fixture.transition(SHARD, vec![Write::PutDue { at: at(1), run: run(1) }]),
    ];
    let verdicts = fixture.group(group);
    let unreadable = Verdict::Refused(Refusal::Unreadable { table: "head" });
    assert_eq!(verdicts, [unreadable, unreadable, Verdict::Committed, Verdict::Committed]);
}

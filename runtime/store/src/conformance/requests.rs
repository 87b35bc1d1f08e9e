//! Requests and current runs: rows under ids that users choose.

use steadfast_core::ShardId;

use super::fixture::Fixture;
use super::harness::Harness;
use super::rows::{SHARD, current, ok, outcome, request, run, workflow};
use crate::contract::Write;

pub(super) fn the_outcome_is_found_by_workflow_and_request(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    // Ids that a careless key would join to the same text.
    let pairs = [("a", "bc"), ("ab", "c"), ("abc", "a"), ("a", "b"), ("ä", "b")];
    let put = |(number, (of, id)): (u64, &(&str, &str))| Write::PutRequest {
        workflow: workflow(of),
        request: request(id),
        row: outcome(run(number), 30),
    };
    fixture.commit((1..).zip(&pairs).map(put).collect());
    for (number, (of, id)) in (1..).zip(&pairs) {
        let found = ok(fixture.store().request(SHARD, &workflow(of), &request(id)));
        assert_eq!(found, Some(outcome(run(number), 30)));
    }
    assert_eq!(ok(fixture.store().request(SHARD, &workflow("a"), &request("c"))), None);
    assert_eq!(ok(fixture.store().request(ShardId(1), &workflow("a"), &request("b"))), None);
}

pub(super) fn long_ids_are_told_apart(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let long = "x".repeat(999);
    let ids: Vec<String> = ["1", "2", "3"].iter().map(|end| format!("{long}{end}")).collect();
    let lengths = (90..110).map(|length| "y".repeat(length));
    let ids: Vec<String> = ids.into_iter().chain(lengths).collect();
    for (number, id) in (1..).zip(&ids) {
        let row = current(run(number));
        let put = Write::PutRequest {
            workflow: workflow(id),
            request: request(id),
            row: outcome(run(number), 9_000),
        };
        fixture.commit(vec![put, Write::PutCurrent { workflow: workflow(id), row }]);
    }
    for (number, id) in (1..).zip(&ids) {
        assert_eq!(ok(fixture.store().current(SHARD, &workflow(id))), Some(current(run(number))));
        let found = ok(fixture.store().request(SHARD, &workflow(id), &request(id)));
        assert_eq!(found, Some(outcome(run(number), 9_000)));
        assert_eq!(ok(fixture.store().request(SHARD, &workflow(id), &request("other"))), None);
    }
    assert_eq!(ok(fixture.store().current(SHARD, &workflow(&long))), None);
    assert_eq!(ok(fixture.store().current(ShardId(1), &workflow(&ids[0]))), None);
}

//! Circuit breakers: one record each, the newest.

use super::fixture::Fixture;
use super::harness::Harness;
use super::rows::{breaker, ok};
use crate::contract::{BreakerRow, Store, Write};

/// All pages, joined; sorted, as their order is the store's own.
pub(super) fn pages(store: &dyn Store, limit: usize) -> Vec<BreakerRow> {
    let mut rows = Vec::new();
    let mut after = None;
    for _ in 0..10_000 {
        let page = ok(store.breakers(after.as_ref(), limit));
        assert!(page.rows.len() <= limit, "a page holds at most {limit} rows");
        rows.extend(page.rows);
        match page.next {
            Some(next) => after = Some(next),
            None => {
                rows.sort_by(|one, other| (&one.activity, &one.key).cmp(&(&other.activity, &other.key)));
                return rows;
            }
        }
    }
    panic!("the list does not end");
}

pub(super) fn every_breaker_is_on_exactly_one_page(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let long = "k".repeat(1_000);
    let mut rows = Vec::new();
    for activity in ["charge", "charge_card", "c"] {
        for key in ["", "e", "eu", "us", long.as_str(), &long[..999]] {
            rows.push(breaker(activity, key, 1));
        }
    }
    fixture.commit(rows.iter().cloned().map(Write::PutBreaker).collect());
    rows.sort_by(|one, other| (&one.activity, &one.key).cmp(&(&other.activity, &other.key)));
    for limit in [100, 18, 17, 4, 1] {
        assert_eq!(pages(fixture.store(), limit), rows, "with pages of {limit}");
    }
}

pub(super) fn only_a_newer_record_replaces_one(harness: &mut dyn Harness) {
    let mut fixture = Fixture::new(harness);
    let put = |version| Write::PutBreaker(breaker("charge", "eu", version));
    fixture.commit(vec![put(2)]);
    fixture.commit_in(steadfast_core::ShardId(1), vec![put(5)]);
    fixture.commit(vec![put(4), put(3)]);
    let mut same = breaker("charge", "eu", 5);
    same.body = vec![0];
    fixture.commit(vec![Write::PutBreaker(same)]);
    assert_eq!(pages(fixture.store(), 10), [breaker("charge", "eu", 5)]);
    fixture.commit(vec![put(7), put(6)]);
    fixture.reopen();
    assert_eq!(pages(fixture.store(), 10), [breaker("charge", "eu", 7)]);
}

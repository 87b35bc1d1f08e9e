//! What the decorator lets go wrong, and that without a plan it changes nothing.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use steadfast_core::{EventId, Namespace, RunId, ShardId, Timestamp};
use steadfast_store::conformance::{Harness, run_all};
use steadfast_store::faults::{CallKind, Fault, FaultPlan, FaultRates, FaultStore, Phase};
use steadfast_store::{
    Commits, Due, Expected, Group, HistoryEnd, HistoryRecord, MemoryStore, Refusal, RunHead, RunStatus, Runs,
    Sessions, Store, StoreErrorKind, Transition, Verdict, Write,
};

#[cfg(test)]
mod faulty {
    use super::*;

    pub(super) struct Faulty(pub(super) FaultStore<MemoryStore>);

    impl Harness for Faulty {
        fn store(&self) -> &dyn Store {
            &self.0
        }

        fn reopen(&mut self) {}

        fn advance(&mut self, by: Duration) -> bool {
            self.0.inner().advance(by);
            true
        }
    }

    pub(super) fn store(plan: FaultPlan) -> FaultStore<MemoryStore> {
        let namespace = Namespace::new("test").unwrap();
        FaultStore::new(MemoryStore::new(namespace, 4, Timestamp::from_micros(1_000_000)), plan)
    }

    pub(super) fn owned(plan: FaultPlan) -> FaultStore<MemoryStore> {
        let store = store(plan);
        let session = store.inner().open_session("test", Duration::from_secs(60)).unwrap();
        store.inner().claim_shard(session.id, ShardId(0)).unwrap();
        store
    }

    pub(super) fn run() -> RunId {
        RunId::from_bytes([7; 16])
    }

    /// The first activation of a run.
    pub(super) fn start() -> Group {
        let record = HistoryRecord { first: EventId(1), count: 1, body: vec![1, 2, 3] };
        let end = HistoryEnd::default().with(&record);
        let head = RunHead {
            run_id: run(),
            workflow_id: "tour".to_owned().try_into().unwrap(),
            workflow_type: "book_tour".to_owned().try_into().unwrap(),
            status: RunStatus::Running,
            last_event: end.last_event,
            history_hash: end.hash,
            history_bytes: end.bytes,
            due: None,
            has_items: false,
            mail_next: 0,
            body: Vec::new(),
        };
        let writes = vec![
            Write::AppendHistory { run: run(), record },
            Write::PutHead(head),
            Write::PutDue { at: Timestamp::ZERO, run: run() },
        ];
        let shard = ShardId(0);
        let epoch = steadfast_core::Epoch(1);
        let expected = Some(Expected { run: run(), last_event: EventId(0) });
        Group { at: Timestamp::ZERO, transitions: vec![Transition { shard, epoch, expected, writes }] }
    }
}

use faulty::{Faulty, owned, run, start, store};

#[test]
fn without_a_plan_it_passes_the_suite() {
    run_all(&|| Box::new(Faulty(store(FaultPlan::none()))));
}

#[test]
fn a_call_that_fails_before_has_no_effect_and_one_that_fails_after_has() {
    let plan = FaultPlan::none().at(CallKind::Commit, 1, Fault::FailBefore).at(
        CallKind::Commit,
        2,
        Fault::FailAfter,
    );
    let store = owned(plan);
    assert_eq!(store.commit(&start()).unwrap_err().kind(), StoreErrorKind::Unavailable);
    assert_eq!(store.head(ShardId(0), run()).unwrap(), None);
    let error = store.commit(&start()).unwrap_err();
    assert_eq!(error.to_string(), "Commit #2 failed by plan after it happened");
    assert!(store.head(ShardId(0), run()).unwrap().is_some());
    let moved = Verdict::Refused(Refusal::Moved { now: EventId(1) });
    assert_eq!(store.commit(&start()).unwrap(), [moved], "who tries again learns that it happened");
    assert_eq!(store.calls(CallKind::Commit), 3);
    assert_eq!(store.injected().len(), 2);
}

#[test]
fn a_commit_that_happens_twice_is_refused_the_second_time() {
    let store = owned(FaultPlan::none().at(CallKind::Commit, 1, Fault::Duplicate));
    assert_eq!(store.commit(&start()).unwrap(), [Verdict::Committed]);
    let duplicated = store.duplicated_commits();
    assert_eq!(duplicated[0].first, [Verdict::Committed]);
    let moved = Verdict::Refused(Refusal::Moved { now: EventId(1) });
    assert_eq!(duplicated[0].second, Some(vec![moved]));
    assert_eq!(store.history(ShardId(0), run(), EventId(1), 10).unwrap().len(), 1);
    assert_eq!(store.due(ShardId(0), None, Timestamp::MAX, 10).unwrap().len(), 1);
}

#[test]
fn a_seed_repeats_its_faults_and_prints_itself() {
    let rates = FaultRates { fail_before: 10, fail_after: 10, delay: 10, duplicate: 10 };
    let faults =
        |plan: &FaultPlan| -> Vec<_> { (1..500).map(|nth| plan.fault(CallKind::Commit, nth)).collect() };
    let plan = FaultPlan::seeded(42, rates).only(&[CallKind::Commit]);
    assert_eq!(faults(&plan), faults(&plan.clone()));
    assert_ne!(faults(&plan), faults(&FaultPlan::seeded(43, rates)));
    for fault in [Fault::FailBefore, Fault::FailAfter, Fault::Delay, Fault::Duplicate] {
        let count = faults(&plan).iter().filter(|found| **found == Some(fault)).count();
        assert!((25..80).contains(&count), "{fault:?} happens {count} times in 500");
    }
    assert!((1..500).all(|nth| plan.fault(CallKind::Head, nth).is_none()), "only commits go wrong");
    let text = "seed 42 (fail before 10 %, fail after 10 %, delay 10 %, duplicate 10 %), only [Commit]";
    assert_eq!(plan.to_string(), text);
    assert!(format!("{:?}", store(plan)).contains("seed 42"));
}

#[test]
fn the_hook_sees_every_call_and_can_cut_the_store_off() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let cut_at = Arc::new(AtomicU64::new(u64::MAX));
    let (log, cut) = (Arc::clone(&seen), Arc::clone(&cut_at));
    let store = owned(FaultPlan::none().at(CallKind::Commit, 1, Fault::Delay)).with_hook(move |call| {
        let mut log = log.lock().unwrap();
        log.push((call.kind, call.phase));
        (log.len() as u64 >= cut.load(Ordering::Relaxed)).then_some(StoreErrorKind::Unavailable)
    });
    store.commit(&start()).unwrap();
    let phases = [Phase::Before, Phase::Delayed, Phase::After].map(|phase| (CallKind::Commit, phase));
    assert_eq!(*seen.lock().unwrap(), phases);
    cut_at.store(5, Ordering::Relaxed);
    // Cut off after its effect, then for good.
    let error = store.open_session("late", Duration::from_secs(1)).unwrap_err();
    assert_eq!(error.to_string(), "OpenSession #1 was cut off (After)");
    assert_eq!(store.inner().sessions().unwrap().len(), 2);
    assert!(store.head(ShardId(0), run()).is_err());
}

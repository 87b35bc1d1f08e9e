//! Ten thousand activities one after the other.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::ensure;
use steadfast::prelude::*;
use steadfast::store::Write;
use steadfast_tests::kit::{Bed, Commit, Ledger, ServiceError, StoreKind, TestResult};

use crate::closed::{self, show};

const ACTIVITIES: u64 = 10_000;
const SAMPLE: usize = 100;
/// Numbers are stored in as many bytes as they need, and a few stand in each commit.
const GROWTH_BYTES_MAX: u64 = 20;

#[derive(Clone)]
struct Desk {
    ledger: Ledger,
    begun: Arc<Mutex<Vec<Instant>>>,
}

#[activity(module = desk)]
impl Desk {
    #[activity]
    async fn step(&self, ctx: ActivityContext, number: u64) -> Result<u64, ServiceError> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
        self.ledger.act(&ctx, "step", 1).await?;
        Ok(number)
    }
}

#[workflow]
async fn line(ctx: WorkflowContext) -> Result<u64, WorkflowError> {
    let mut sum = 0;
    for number in 0..ACTIVITIES {
        sum += desk::step(&ctx, number).await?;
    }
    Ok(sum)
}

/// What one activity is: the completion of one and the grant of the next, in one commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Work {
    commits: u64,
    transitions: u64,
    keys: u64,
    events: u64,
    bytes: u64,
}

fn work(commits: &[Commit]) -> Work {
    let writes = || commits.iter().flat_map(|commit| &commit.group.transitions).flat_map(|one| &one.writes);
    let bytes = |write: &Write| {
        if let Write::PutHead(head) = write {
            head.body.len()
        } else if let Write::AppendHistory { record, .. } = write {
            record.body.len()
        } else {
            0
        }
    };
    Work {
        commits: commits.len() as u64,
        transitions: commits.iter().map(|commit| commit.group.transitions.len() as u64).sum(),
        keys: writes().count() as u64,
        events: commits.iter().map(|commit| commit.events.len() as u64).sum(),
        bytes: writes().map(|write| bytes(write) as u64).sum(),
    }
}

/// The first and the last hundred, start and close aside.
fn samples(commits: &[Commit]) -> TestResult<(Work, Work)> {
    let between = &commits[1..commits.len() - 1];
    ensure!(between.len() >= 2 * SAMPLE, "{} commits", commits.len());
    Ok((work(&between[..SAMPLE]), work(&between[between.len() - SAMPLE..])))
}

async fn ten_thousand_activities_in_a_line_cost_the_same_each(kind: StoreKind) -> TestResult {
    let mut bed = Bed::new(kind).await?;
    let begun = Arc::new(Mutex::new(Vec::new()));
    let times = Arc::clone(&begun);
    bed.serve(move |worker, ledger| {
        worker.workflow(line).activities(Desk { ledger, begun: Arc::clone(&times) })
    })
    .await?;
    let run = bed.start(line, "l", ()).await?;
    assert_eq!(run.result().await?, 49_995_000);
    let commits = bed.gate().commits();
    assert_eq!(commits.len() as u64, ACTIVITIES + 1, "one commit an activity");
    let (first, last) = samples(&commits)?;
    let sample = SAMPLE as u64;
    assert_eq!(
        (first.commits, first.transitions, first.keys, first.events),
        (sample, sample, 2 * sample, 2 * sample)
    );
    assert_eq!(Work { bytes: 0, ..first }, Work { bytes: 0, ..last });
    let growth = last.bytes.saturating_sub(first.bytes) / sample;
    show(format_args!(
        "{kind:?}: bytes an activity: {} first, {} last",
        first.bytes / sample,
        last.bytes / sample
    ));
    assert!(growth <= GROWTH_BYTES_MAX, "{growth} bytes more for each");
    print_times(kind, &begun.lock().unwrap_or_else(PoisonError::into_inner));
    let calls = bed.ledger().calls();
    assert!(
        calls.iter().all(|call| call.attempt == 1) && calls.len() as u64 == ACTIVITIES,
        "each called once"
    );
    let events = closed::check(&bed, steadfast::__private::definition(line), "l").await?;
    assert_eq!(events.len() as u64, 2 * ACTIVITIES + 2);
    Ok(())
}

/// For people: times depend on the machine.
fn print_times(kind: StoreKind, begun: &[Instant]) {
    let each = |from: usize, to: usize| {
        let count = u32::try_from(to - from).unwrap_or(u32::MAX);
        begun.get(to).zip(begun.get(from)).map(|(to, from)| to.duration_since(*from) / count)
    };
    let last = begun.len() - 1;
    show(format_args!(
        "{kind:?}: time an activity: {:?} from 100 to 200, {:?} in the last 1,000",
        each(SAMPLE, 2 * SAMPLE),
        each(last - 1_000, last),
    ));
}

steadfast_tests::on_stores!(ten_thousand_activities_in_a_line_cost_the_same_each);

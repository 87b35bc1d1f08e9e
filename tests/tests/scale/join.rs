//! A thousand activities in one `join_all`.

use steadfast::prelude::*;
use steadfast::store::Write;
use steadfast_tests::kit::{Bed, Commit, Ledger, ServiceError, StoreKind, TestResult};

use crate::closed::{self, show};

const ACTIVITIES: u64 = 1_000;

struct Desk(Ledger);

#[activity(module = desk)]
impl Desk {
    #[activity]
    async fn step(&self, ctx: ActivityContext, number: u64) -> Result<u64, ServiceError> {
        self.0.act(&ctx, "step", 1).await?;
        Ok(number)
    }
}

#[workflow]
async fn fan(ctx: WorkflowContext) -> Result<Vec<u64>, WorkflowError> {
    let mut numbers = Vec::new();
    for number in join_all((0..ACTIVITIES).map(|number| desk::step(&ctx, number))).await {
        numbers.push(number?);
    }
    Ok(numbers)
}

fn keys(commits: &[Commit]) -> usize {
    commits.iter().flat_map(|commit| &commit.group.transitions).map(|one| one.writes.len()).sum()
}

async fn join_with(kind: StoreKind, slots: usize) -> TestResult {
    let mut bed = Bed::new(kind).await?;
    bed.serve(move |worker, ledger| worker.workflow(fan).activities(Desk(ledger)).slots(slots)).await?;
    let run = bed.start(fan, "f", ()).await?;
    assert_eq!(run.result().await?, (0..ACTIVITIES).collect::<Vec<_>>(), "in the order of the calls");
    let calls = bed.ledger().calls();
    assert!(
        calls.iter().all(|call| call.attempt == 1) && calls.len() as u64 == ACTIVITIES,
        "each called once"
    );
    let events = closed::check(&bed, steadfast::__private::definition(fan), "f").await?;
    assert_eq!(events.len() as u64, 2 * ACTIVITIES + 2);

    let commits = bed.gate().commits();
    let transitions: usize = commits.iter().map(|commit| commit.group.transitions.len()).sum();
    show(format_args!(
        "{kind:?}, {slots} slots: {} commits, {transitions} transitions, {} keys",
        commits.len(),
        keys(&commits)
    ));
    // A completion is at most four keys; the grant of one that waited is two more.
    let (start, rest) = commits.split_first().ok_or_else(|| anyhow::anyhow!("nothing is written"))?;
    let scheduled = start.events.iter().filter(|(_, event)| event.kind.name() == "ActivityScheduled").count();
    assert_eq!(scheduled as u64, ACTIVITIES, "all of them are scheduled in the first commit");
    let waited = ACTIVITIES.saturating_sub(slots as u64);
    assert!(keys(rest) as u64 <= 4 * ACTIVITIES + 2 * waited + 5, "{} keys", keys(rest));
    for commit in rest {
        for transition in &commit.group.transitions {
            let heads = transition.writes.iter().filter(|write| matches!(write, Write::PutHead(_))).count();
            assert_eq!(heads, 1, "each transition is about one run, once");
        }
    }
    Ok(())
}

async fn a_thousand_activities_in_one_join_all_run_at_a_time(kind: StoreKind) -> TestResult {
    join_with(kind, 1_000).await
}

async fn a_thousand_activities_in_one_join_all_share_ten_slots(kind: StoreKind) -> TestResult {
    join_with(kind, 10).await
}

steadfast_tests::on_stores!(
    a_thousand_activities_in_one_join_all_run_at_a_time,
    a_thousand_activities_in_one_join_all_share_ten_slots,
);

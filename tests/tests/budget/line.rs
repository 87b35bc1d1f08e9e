//! Starts, and activities one after the other.

use steadfast::prelude::*;
use steadfast_tests::kit::{Bed, Door, QUEUE, StoreKind, TestResult};

use crate::cost::{Mark, kinds, show};

const START_KEYS_MAX: u64 = 6;
const CLOSE_KEYS_MAX: u64 = 5;
const ACTIVITY_KEYS: u64 = 2;

struct Desk(Door);

#[activity(module = desk)]
impl Desk {
    #[activity]
    async fn wait(&self) -> Result<(), AnyFailure> {
        self.0.pass().await;
        Ok(())
    }

    #[activity(compensate = unstep)]
    async fn step(&self, number: u64) -> Result<u64, AnyFailure> {
        Ok(number)
    }

    #[activity]
    async fn unstep(&self, step: UndoOf<desk::step>) -> Result<(), AnyFailure> {
        let _ = step;
        Ok(())
    }
}

#[workflow]
async fn nothing(ctx: WorkflowContext) -> Result<(), WorkflowError> {
    let _ = ctx;
    Ok(())
}

#[workflow]
async fn naps(ctx: WorkflowContext) -> Result<(), WorkflowError> {
    Ok(ctx.sleep(secs(1)).await?)
}

#[workflow]
async fn waits(ctx: WorkflowContext) -> Result<(), WorkflowError> {
    Ok(desk::wait(&ctx).await?)
}

#[workflow]
async fn sixteen(ctx: WorkflowContext) -> Result<(), WorkflowError> {
    try_join_all((0..16).map(|_| desk::wait(&ctx))).await?;
    Ok(())
}

#[workflow]
async fn line(ctx: WorkflowContext, activities: u64) -> Result<u64, WorkflowError> {
    let mut sum = 0;
    for number in 0..activities {
        sum += desk::step(&ctx, number).await?;
    }
    Ok(sum)
}

#[workflow]
async fn saga(ctx: WorkflowContext, steps: u64) -> Result<u64, WorkflowError> {
    ctx.saga(async |saga| {
        let mut sum = 0;
        for number in 0..steps {
            sum += desk::step(saga, number).await?;
        }
        Ok(sum)
    })
    .await
}

async fn bed(kind: StoreKind) -> TestResult<Bed> {
    let mut bed = Bed::new(kind).await?;
    bed.serve(|worker, _| {
        let worker = worker.workflow(nothing).workflow(naps).workflow(waits).workflow(sixteen);
        worker.workflow(line).workflow(saga).activities(Desk(Door::new())).slots(100)
    })
    .await?;
    Ok(bed)
}

async fn a_start_costs_at_most_six_keys(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    for id in ["naps", "waits", "sixteen", "delayed", "requested"] {
        let mark = Mark::now(&bed)?;
        let client = bed.client();
        let started = match id {
            "naps" => client.start(naps, ()).id(id).queue(QUEUE).await?.id().to_owned(),
            "waits" => client.start(waits, ()).id(id).queue(QUEUE).await?.id().to_owned(),
            "sixteen" => client.start(sixteen, ()).id(id).queue(QUEUE).await?.id().to_owned(),
            "delayed" => {
                client.start(waits, ()).id(id).queue(QUEUE).start_delay(secs(9)).await?.id().to_owned()
            }
            _ => client.start(waits, ()).id(id).queue(QUEUE).request_id("r").await?.id().to_owned(),
        };
        let cost = mark.cost(&bed)?;
        let kinds: Vec<_> = cost.commits.iter().map(|writes| kinds(writes)).collect();
        show(format_args!("{kind:?}: start `{started}`: {} keys {kinds:?}", cost.keys()));
        assert_eq!((cost.stats.groups, cost.stats.transitions), (1, 1), "{kinds:?}");
        assert!(cost.keys() <= START_KEYS_MAX, "{} keys: {kinds:?}", cost.keys());
    }
    Ok(())
}

async fn a_run_that_ends_at_its_start_costs_a_start(kind: StoreKind) -> TestResult {
    let bed = bed(kind).await?;
    let mark = Mark::now(&bed)?;
    bed.start(nothing, "n", ()).await?.result().await?;
    let cost = mark.cost(&bed)?;
    assert_eq!((cost.stats.groups, cost.stats.transitions), (1, 1));
    assert!(cost.keys() <= START_KEYS_MAX, "{:?}", cost.commits);
    Ok(())
}

/// The first commit is a start, the last one a close; each one between is one activity: two keys, one sync.
async fn each_activity_of_a_line_costs_two_keys_and_one_commit(kind: StoreKind) -> TestResult {
    const ACTIVITIES: u64 = 100;
    for name in ["line", "saga"] {
        let bed = bed(kind).await?;
        let mark = Mark::now(&bed)?;
        let sum = match name {
            "line" => bed.start(line, name, ACTIVITIES).await?.result().await?,
            _ => bed.start(saga, name, ACTIVITIES).await?.result().await?,
        };
        assert_eq!(sum, 4_950);
        let cost = mark.cost(&bed)?;
        assert_eq!(cost.stats.transitions, ACTIVITIES + 1, "one transition an activity, and the start");
        assert_eq!(cost.stats.groups, ACTIVITIES + 1, "one commit an activity, and the start");
        let [first, between @ .., last] = cost.commits.as_slice() else { anyhow::bail!("{cost:?}") };
        assert!(first.len() as u64 <= START_KEYS_MAX, "{:?}", kinds(first));
        assert!(last.len() as u64 <= CLOSE_KEYS_MAX, "{:?}", kinds(last));
        for writes in between {
            assert_eq!(kinds(writes), ["head", "history"]);
        }
        let chunks = cost.keys() - cost.commits.iter().map(|writes| writes.len() as u64).sum::<u64>();
        assert_eq!(chunks, 0, "no value is cut");
        let most = START_KEYS_MAX + (ACTIVITIES - 1) * ACTIVITY_KEYS + CLOSE_KEYS_MAX;
        assert!(cost.keys() <= most, "{} keys", cost.keys());
        show(format_args!(
            "{kind:?}: {name} of {ACTIVITIES}: {} keys, {} commits, {} syncs; start {:?}, close {:?}",
            cost.keys(),
            cost.stats.groups,
            cost.stats.syncs,
            kinds(first),
            kinds(last),
        ));
        assert!(cost.stats.syncs <= ACTIVITIES + 1, "{} syncs", cost.stats.syncs);
    }
    Ok(())
}

async fn many_lines_side_by_side_share_their_syncs(kind: StoreKind) -> TestResult {
    const RUNS: u64 = 20;
    const ACTIVITIES: u64 = 30;
    let bed = bed(kind).await?;
    let mark = Mark::now(&bed)?;
    let mut runs = Vec::new();
    for number in 0..RUNS {
        runs.push(bed.start(line, &number.to_string(), ACTIVITIES).await?);
    }
    for run in runs {
        assert_eq!(run.result().await?, 435);
    }
    let cost = mark.cost(&bed)?;
    assert_eq!(cost.stats.transitions, RUNS * (ACTIVITIES + 1));
    show(format_args!("{kind:?}: {RUNS} lines of {ACTIVITIES}: {} syncs", cost.stats.syncs));
    assert!(cost.stats.syncs <= RUNS * (ACTIVITIES + 1), "at most one sync an activity");
    let most = RUNS * (START_KEYS_MAX + (ACTIVITIES - 1) * ACTIVITY_KEYS + CLOSE_KEYS_MAX);
    assert!(cost.keys() <= most, "{} keys", cost.keys());
    Ok(())
}

steadfast_tests::on_stores!(
    a_start_costs_at_most_six_keys,
    a_run_that_ends_at_its_start_costs_a_start,
    each_activity_of_a_line_costs_two_keys_and_one_commit,
    many_lines_side_by_side_share_their_syncs,
);

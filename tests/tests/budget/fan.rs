//! A thousand activities at a time.

use std::sync::Arc;

use steadfast::prelude::*;
use steadfast_tests::kit::{Bed, Door, StoreKind, TestResult};

use crate::cost::{Mark, kinds, show};

const OPEN: usize = 1_000;
const COMPLETION_KEYS_MAX: u64 = 4;

struct Desk(Arc<Vec<Door>>);

#[activity(module = desk)]
impl Desk {
    #[activity]
    async fn wait(&self, number: usize) -> Result<usize, AnyFailure> {
        let door = self.0.get(number).ok_or_else(|| AnyFailure::non_retryable("no such door"))?;
        door.pass().await;
        Ok(number)
    }
}

#[workflow]
async fn fan(ctx: WorkflowContext) -> Result<usize, WorkflowError> {
    let mut sum = 0;
    for number in join_all((0..OPEN).map(|number| desk::wait(&ctx, number))).await {
        sum += number?;
    }
    Ok(sum)
}

async fn bed(kind: StoreKind, slots: usize) -> TestResult<(Bed, Arc<Vec<Door>>)> {
    let doors: Arc<Vec<Door>> = Arc::new((0..OPEN).map(|_| Door::new()).collect());
    let mut bed = Bed::new(kind).await?;
    let desk = Arc::clone(&doors);
    bed.serve(move |worker, _| worker.workflow(fan).activities(Desk(Arc::clone(&desk))).slots(slots)).await?;
    Ok((bed, doors))
}

async fn until_open(bed: &Bed, open: usize) -> TestResult {
    bed.until_described("f", "one more is over", |run| run.activities.len() == open).await
}

/// One completion after the other: in the head, in the first and in the last rows.
async fn a_completion_among_a_thousand_open_costs_at_most_four_keys(kind: StoreKind) -> TestResult {
    let (bed, doors) = bed(kind, OPEN).await?;
    let mark = Mark::now(&bed)?;
    bed.start(fan, "f", ()).await?;
    until_open(&bed, OPEN).await?;
    let start = mark.cost(&bed)?;
    show(format_args!(
        "{kind:?}: the start of {OPEN}: {} keys, {} commits",
        start.keys(),
        start.stats.groups
    ));
    assert_eq!(start.stats.groups, 1, "all of them are scheduled and granted in one commit");
    for (over, number) in [0, 7, 15, 16, 17, 500, 998, 999].into_iter().enumerate() {
        let mark = Mark::now(&bed)?;
        doors[number].open();
        until_open(&bed, OPEN - over - 1).await?;
        let cost = mark.cost(&bed)?;
        let kinds: Vec<_> = cost.commits.iter().map(|writes| kinds(writes)).collect();
        show(format_args!("{kind:?}: completion of {number}: {} keys {kinds:?}", cost.keys()));
        assert_eq!(cost.stats.groups, 1);
        assert!(cost.commits.iter().all(|writes| writes.len() as u64 <= COMPLETION_KEYS_MAX), "{kinds:?}");
        assert!(cost.keys() <= COMPLETION_KEYS_MAX, "{} keys {kinds:?}", cost.keys());
    }
    doors.iter().for_each(Door::open);
    assert_eq!(bed.handle(fan, "f").result().await?, 499_500);
    bed.check_closed(fan, "f").await?;
    Ok(())
}

/// With fewer slots each completion brings the grant of another one along.
async fn a_completion_that_frees_a_slot_costs_at_most_four_keys_and_the_grant_two(
    kind: StoreKind,
) -> TestResult {
    const SLOTS: usize = 10;
    let (bed, doors) = bed(kind, SLOTS).await?;
    bed.start(fan, "f", ()).await?;
    until_open(&bed, OPEN).await?;
    for number in 0..50 {
        let mark = Mark::now(&bed)?;
        doors[number].open();
        bed.until_described("f", "the next one runs", |run| {
            let running = run.activities.iter().filter(|open| open.session.is_some()).count();
            run.activities.len() == OPEN - number - 1 && running == SLOTS
        })
        .await?;
        let cost = mark.cost(&bed)?;
        let kinds: Vec<_> = cost.commits.iter().map(|writes| kinds(writes)).collect();
        assert!(cost.keys() <= COMPLETION_KEYS_MAX + 2, "{} keys {kinds:?}", cost.keys());
        if number % 25 == 0 {
            show(format_args!(
                "{kind:?}: completion of {number} and a grant: {} keys {kinds:?}",
                cost.keys()
            ));
        }
    }
    doors.iter().for_each(Door::open);
    assert_eq!(bed.handle(fan, "f").result().await?, 499_500);
    Ok(())
}

steadfast_tests::on_stores!(
    a_completion_among_a_thousand_open_costs_at_most_four_keys,
    a_completion_that_frees_a_slot_costs_at_most_four_keys_and_the_grant_two,
);

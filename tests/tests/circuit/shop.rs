//! Runs that charge, each once, through one breaker.

use std::collections::BTreeMap;

use anyhow::Context as _;
use steadfast::prelude::*;
use steadfast::{ActivityState, BreakerDescription, BreakerState, OpenActivity, RunStatus};
use steadfast_tests::kit::{
    Bed, Door, Ledger, QUEUE, Reply, ServiceError, StoreKind, TestResult, eventually,
};

/// How long the breaker is open.
pub(crate) const OPEN: Duration = Duration::from_secs(30);
/// How many runs wait for it.
pub(crate) const CROWD: usize = 50;

pub(crate) struct Desk(pub(crate) Ledger);

#[activity(module = desk)]
impl Desk {
    #[activity(
        circuit_breaker(failures = 5, successes = 2, open = "30s"),
        start_to_close = "20s",
        cancel_grace = "0s",
        retry(initial_interval = "1h", maximum_interval = "1h", jitter = 0)
    )]
    pub(crate) async fn charge(&self, ctx: ActivityContext) -> Result<u64, ServiceError> {
        self.0.act(&ctx, "charge", 1).await
    }

    #[activity(
        circuit_breaker(failures = 1, open = "30s", key = "{region}/{order.1}"),
        retry(initial_interval = "1h", maximum_interval = "1h", jitter = 0)
    )]
    pub(crate) async fn ship(
        &self,
        ctx: ActivityContext,
        region: String,
        order: (u64, String),
    ) -> Result<u64, ServiceError> {
        let _ = order;
        self.0.act(&ctx, &format!("ship to {region}"), 1).await
    }
}

#[workflow]
pub(crate) async fn pays(ctx: WorkflowContext) -> Result<u64, WorkflowError> {
    Ok(desk::charge(&ctx).await?)
}

pub(crate) async fn bed(kind: StoreKind) -> TestResult<Bed> {
    let mut bed = Bed::new(kind).await?;
    bed.serve(|worker, ledger| {
        worker.workflow(pays).workflow(super::keys::ships).activities(Desk(ledger)).slots(200)
    })
    .await?;
    Ok(bed)
}

pub(crate) async fn start(bed: &Bed, id: &str) -> TestResult {
    bed.client().start(pays, ()).id(id).queue(QUEUE).await?;
    Ok(())
}

/// The breakers that there are.
pub(crate) async fn breakers(bed: &Bed) -> TestResult<Vec<BreakerDescription>> {
    let (breakers, next) = bed.client().breakers(None, 100).await?;
    anyhow::ensure!(next.is_none(), "more than one page");
    Ok(breakers)
}

/// How the only breaker stands.
pub(crate) async fn state(bed: &Bed) -> TestResult<BreakerState> {
    Ok(breakers(bed).await?.first().context("there is no breaker")?.state)
}

pub(crate) fn crowd() -> impl Iterator<Item = String> {
    (0..CROWD).map(|number| format!("crowd {number}"))
}

/// A breaker that five failures have just opened, and a crowd that waits for it.
pub(crate) async fn opened(kind: StoreKind) -> TestResult<Bed> {
    let bed = bed(kind).await?;
    bed.ledger().script("charge", vec![Reply::Refuse; 5]);
    for number in 0..5 {
        let id = format!("fails {number}");
        start(&bed, &id).await?;
        let waits = |run: &steadfast::RunDescription| {
            run.activities.iter().any(|open| open.attempt == 1 && open.state == ActivityState::RetryWait)
        };
        bed.until_described(&id, "its attempt has failed", waits).await?;
    }
    assert_eq!(state(&bed).await?, BreakerState::Open { until: Some(bed.now().after(OPEN)) });
    for id in crowd() {
        start(&bed, &id).await?;
    }
    Ok(bed)
}

/// The open activities of the crowd, by run.
pub(crate) async fn waiting(bed: &Bed) -> TestResult<BTreeMap<String, OpenActivity>> {
    let mut all = BTreeMap::new();
    for id in crowd() {
        let run = bed.client().handle(&id).describe().await?;
        if let Some(open) = run.activities.into_iter().next() {
            all.insert(id, open);
        }
    }
    Ok(all)
}

/// Waits until exactly two of the crowd run, checks that all others wait for the breaker and have used no attempt, and
/// names the two.
pub(crate) async fn two_run(bed: &Bed, over: usize) -> TestResult<Vec<String>> {
    let mut running = Vec::new();
    eventually("two trials run", async || {
        let all = waiting(bed).await?;
        let of = |state| all.iter().filter(move |(_, open)| open.state == state);
        running = of(ActivityState::Running).map(|(id, _)| id.clone()).collect();
        assert!(running.len() <= 2, "{running:?}");
        let held = of(ActivityState::CircuitOpen).count();
        Ok(running.len() == 2 && held == CROWD - 2 - over)
    })
    .await?;
    let all = waiting(bed).await?;
    let held = all.values().filter(|open| open.state == ActivityState::CircuitOpen);
    for open in held {
        assert_eq!((open.attempt, open.next_attempt_at), (0, Some(bed.now())), "it may be tried since now");
    }
    Ok(running)
}

/// The next two calls wait at a door and then do this.
pub(crate) fn script_two(bed: &Bed, first: Reply, second: Reply) -> [Door; 2] {
    let doors = [Door::new(), Door::new()];
    bed.ledger().script("charge", [first.after(&doors[0]), second.after(&doors[1])]);
    doors
}

/// Waits until a run of the crowd is closed.
pub(crate) async fn closed(bed: &Bed, id: &str, status: RunStatus) -> TestResult {
    bed.until_described(id, "it is closed", |run| run.status == status).await
}

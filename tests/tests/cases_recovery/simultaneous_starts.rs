//! Case 10: of several starts with one id at one moment one begins a run, and the others are told which.

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::ensure;
use steadfast::history::EventKind;
use steadfast::prelude::*;
use steadfast::{Client, IdConflictPolicy, IdReusePolicy, ListFilter, RunId, StartError, WorkflowHandle};
use steadfast_tests::kit::{Bed, Door, Ledger, QUEUE, StoreKind, TestResult, story};
use tokio::sync::Barrier;

pub(crate) const CALLERS: u64 = 16;
pub(crate) const ID: &str = "order-1";

pub(crate) struct Orders {
    pub(crate) ledger: Ledger,
    pub(crate) door: Door,
}

#[activity(module = orders)]
impl Orders {
    /// Waits until the door is open.
    #[activity]
    async fn fill(&self, ctx: ActivityContext, order: u64) -> Result<u64, AnyFailure> {
        self.ledger.act(&ctx, &format!("fill {order}"), 1).await?;
        self.door.pass().await;
        Ok(order)
    }
}

#[workflow]
pub(crate) async fn buy(ctx: WorkflowContext, order: u64) -> Result<u64, WorkflowError> {
    Ok(orders::fill(&ctx, order).await?)
}

pub(crate) async fn bed(kind: StoreKind, door: &Door) -> TestResult<Bed> {
    let mut bed = Bed::new(kind).await?;
    let door = door.clone();
    bed.serve(move |worker, ledger| worker.workflow(buy).activities(Orders { ledger, door: door.clone() }))
        .await?;
    Ok(bed)
}

pub(crate) type Told = Result<WorkflowHandle<buy>, StartError>;

/// How the callers ask.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ask {
    pub(crate) conflict: IdConflictPolicy,
    pub(crate) reuse: IdReusePolicy,
    /// Whether all of them send one request.
    pub(crate) is_one_request: bool,
    /// How long the run is to wait before it begins.
    pub(crate) delay: Option<Duration>,
}

impl Ask {
    pub(crate) fn with(conflict: IdConflictPolicy) -> Self {
        Self { conflict, reuse: IdReusePolicy::default(), is_one_request: false, delay: None }
    }
}

/// Each caller has a client of its own and another input; all call at one moment. What they are told, by input.
pub(crate) async fn all_at_once(client: impl Fn(u64) -> Client, ask: Ask) -> TestResult<Vec<Told>> {
    let barrier = Arc::new(Barrier::new(usize::try_from(CALLERS)?));
    let callers = (0..CALLERS).map(|input| {
        let (client, barrier) = (client(input), Arc::clone(&barrier));
        let mut call = client.start(buy, input).id(ID).queue(QUEUE);
        call = call.id_conflict(ask.conflict).id_reuse(ask.reuse);
        call =
            call.request_id(if ask.is_one_request { "all".to_owned() } else { format!("request {input}") });
        if let Some(delay) = ask.delay {
            call = call.start_delay(delay);
        }
        tokio::spawn(async move {
            barrier.wait().await;
            call.await
        })
    });
    let mut told = Vec::new();
    for caller in callers.collect::<Vec<_>>() {
        told.push(caller.await?);
    }
    Ok(told)
}

/// The input and the run of the one caller that was told that it began one; all others are told that run.
pub(crate) fn winner(told: &[Told]) -> TestResult<(u64, RunId)> {
    let began =
        told.iter().enumerate().filter_map(|(input, told)| Some((input, told.as_ref().ok()?.run_id()?)));
    let began: Vec<_> = began.collect();
    let [(input, run)] = began.as_slice() else { anyhow::bail!("{} callers began a run", began.len()) };
    for other in told.iter().filter_map(|told| told.as_ref().err()) {
        let StartError::AlreadyStarted { workflow_id, run_id } = other else { anyhow::bail!("{other:?}") };
        ensure!(workflow_id.as_str() == ID && run_id == run, "{other}");
    }
    Ok((u64::try_from(*input)?, *run))
}

/// There is one run, of this input, and its body was executed once.
pub(crate) async fn check_one_run(bed: &Bed, door: &Door, input: u64, run: RunId) -> TestResult {
    door.open();
    bed.run_on(ID).await?;
    assert_eq!(bed.handle(buy, ID).result().await?, input);
    let events = bed.check_closed(buy, ID).await?;
    let whole =
        ["WorkflowStarted", "ActivityScheduled(fill)", "ActivityCompleted(fill)", "WorkflowCompleted"];
    assert_eq!(story(&events), whole);
    let EventKind::WorkflowStarted(started) = &events[0].kind else { anyhow::bail!("{:?}", events[0]) };
    assert_eq!((started.run_id, started.input.decode::<u64>()?), (run, input));
    assert_eq!(bed.ledger().happened(), [format!("fill {input}")]);
    assert_eq!(bed.ledger().calls().len(), 1);
    let rows = bed.client().list(ListFilter::default(), None, 100).await?.rows;
    assert_eq!(rows.iter().map(|row| row.run_id).collect::<Vec<_>>(), [run]);
    Ok(())
}

async fn case_10_of_sixteen_starts_one_begins_a_run(kind: StoreKind) -> TestResult {
    let door = Door::new();
    let bed = bed(kind, &door).await?;
    let told = all_at_once(|_| bed.client(), Ask::with(IdConflictPolicy::Fail)).await?;
    let (input, run) = winner(&told)?;
    check_one_run(&bed, &door, input, run).await
}

async fn case_10_with_use_existing_all_get_the_one_run(kind: StoreKind) -> TestResult {
    let door = Door::new();
    let bed = bed(kind, &door).await?;
    let told = all_at_once(|_| bed.client(), Ask::with(IdConflictPolicy::UseExisting)).await?;
    let runs: Result<BTreeSet<_>, _> = told.into_iter().map(|told| told.map(|run| run.run_id())).collect();
    let runs: Vec<_> = runs?.into_iter().flatten().collect();
    let [run] = runs.as_slice() else { anyhow::bail!("{runs:?}") };
    let EventKind::WorkflowStarted(started) = &bed.history(ID).await?[0].kind else {
        anyhow::bail!("no start")
    };
    check_one_run(&bed, &door, started.input.decode()?, *run).await
}

async fn case_10_one_request_sent_sixteen_times_is_one_start(kind: StoreKind) -> TestResult {
    for conflict in
        [IdConflictPolicy::Fail, IdConflictPolicy::UseExisting, IdConflictPolicy::TerminateExisting]
    {
        let door = Door::new();
        let mut bed = bed(kind, &door).await?;
        let ask = Ask { is_one_request: true, ..Ask::with(conflict) };
        let told = all_at_once(|_| bed.client(), ask).await?;
        let runs: Result<BTreeSet<_>, _> =
            told.into_iter().map(|told| told.map(|run| run.run_id())).collect();
        let runs: Vec<_> = runs?.into_iter().flatten().collect();
        let [run] = runs.as_slice() else { anyhow::bail!("{conflict:?}: {runs:?}") };
        let EventKind::WorkflowStarted(started) = &bed.history(ID).await?[0].kind else {
            anyhow::bail!("no start")
        };
        let input = started.input.decode()?;
        check_one_run(&bed, &door, input, *run).await?;
        // Also after its end, and after a restart, and whatever the policies say.
        for _ in 0..2 {
            let ask = Ask { is_one_request: true, reuse: IdReusePolicy::RejectDuplicate, ..ask };
            for told in all_at_once(|_| bed.client(), ask).await? {
                assert_eq!(told?.run_id(), Some(*run));
            }
            bed.kill_and_restart().await?;
        }
        check_one_run(&bed, &door, input, *run).await?;
    }
    Ok(())
}

/// Each start ends the run before it; one run is left open, and each was begun whole.
async fn case_10_with_terminate_existing_one_run_is_left(kind: StoreKind) -> TestResult {
    let door = Door::new();
    let bed = bed(kind, &door).await?;
    let told = all_at_once(|_| bed.client(), Ask::with(IdConflictPolicy::TerminateExisting)).await?;
    let runs: Result<BTreeSet<_>, _> = told.into_iter().map(|told| told.map(|run| run.run_id())).collect();
    let runs = runs?;
    assert_eq!(runs.len(), usize::try_from(CALLERS)?, "each caller has a run of its own");
    let rows = bed.client().list(ListFilter::default(), None, 100).await?.rows;
    assert_eq!(rows.len(), runs.len());
    let open: Vec<_> = rows.iter().filter(|row| row.status.is_open()).map(|row| row.run_id).collect();
    let newest = bed.handle(buy, ID).describe().await?.run_id;
    assert_eq!(open, [newest]);
    door.open();
    bed.handle(buy, ID).result().await?;
    assert_eq!(bed.check_closed(buy, ID).await?.len(), 4);
    Ok(())
}

/// What may happen to the id of a run that has closed, by the policy for that.
async fn case_10_the_id_of_a_closed_run_is_used_again_once_or_never(kind: StoreKind) -> TestResult {
    for reuse in [
        IdReusePolicy::AllowDuplicate,
        IdReusePolicy::AllowDuplicateFailedOnly,
        IdReusePolicy::RejectDuplicate,
    ] {
        for has_failed in [false, true] {
            let door = Door::new();
            let bed = bed(kind, &door).await?;
            let first = bed.start(buy, ID, 99).await?;
            if has_failed {
                first.terminate("for the test").await?;
            }
            door.open();
            drop(first.outcome().await?);
            let told =
                all_at_once(|_| bed.client(), Ask { reuse, ..Ask::with(IdConflictPolicy::UseExisting) })
                    .await?;
            let may = match reuse {
                IdReusePolicy::AllowDuplicate => true,
                IdReusePolicy::AllowDuplicateFailedOnly => has_failed,
                IdReusePolicy::RejectDuplicate => false,
            };
            for told in told {
                match told {
                    Ok(run) => ensure!(may && run.run_id() != first.run_id(), "{reuse:?} {has_failed}"),
                    // A run that was begun at this moment may have closed before the next start came.
                    Err(StartError::AlreadyStarted { run_id, .. }) => {
                        ensure!(may || Some(run_id) == first.run_id(), "{reuse:?} {has_failed}");
                    }
                    Err(other) => anyhow::bail!("{other:?}"),
                }
            }
            let rows = bed.client().list(ListFilter::default(), None, 100).await?.rows.len();
            ensure!(if may { rows > 1 } else { rows == 1 }, "{reuse:?} {has_failed}: {rows} runs");
        }
    }
    Ok(())
}

/// Nobody is told of a run before it is durable: the start that won may still fail.
async fn case_10_nobody_is_told_of_a_run_that_may_not_come_to_be(kind: StoreKind) -> TestResult {
    let door = Door::new();
    let mut bed = bed(kind, &door).await?;
    bed.gate().hold();
    let client = bed.client();
    let call = |input: u64| {
        client.start(buy, input).id(ID).queue(QUEUE).request_id(format!("request {input}")).into_future()
    };
    let first = tokio::spawn(call(0));
    bed.gate().until_held("commit").await?;
    let mut second = call(1);
    let nobody = client.handle("nobody");
    tokio::select! {
        biased;
        told = &mut second => anyhow::bail!("told {told:?} of a start that is not durable"),
        // Sent later, answered without a commit, and in order: an answer to the other one came first.
        other = nobody.describe() => assert!(other.is_err()),
    }
    bed.kill();
    for told in [first.await?, second.await] {
        let Err(StartError::Unavailable(_)) = told else { anyhow::bail!("{told:?}") };
    }
    bed.reopen().await?;
    assert!(bed.client().list(ListFilter::default(), None, 100).await?.rows.is_empty());
    // The one that lost wins when both are sent again the other way round.
    let second = bed.client().start(buy, 1).id(ID).queue(QUEUE).request_id("request 1").await?;
    let first = bed.client().start(buy, 0).id(ID).queue(QUEUE).request_id("request 0").await;
    let Err(StartError::AlreadyStarted { run_id, .. }) = first else { anyhow::bail!("{first:?}") };
    assert_eq!(Some(run_id), second.run_id());
    check_one_run(&bed, &door, 1, run_id).await
}

steadfast_tests::on_stores!(
    case_10_of_sixteen_starts_one_begins_a_run,
    case_10_with_use_existing_all_get_the_one_run,
    case_10_one_request_sent_sixteen_times_is_one_start,
    case_10_with_terminate_existing_one_run_is_left,
    case_10_the_id_of_a_closed_run_is_used_again_once_or_never,
    case_10_nobody_is_told_of_a_run_that_may_not_come_to_be,
);

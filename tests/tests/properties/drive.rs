//! Running a program on an engine of its own, so that everything that happens follows from the seed: bodies end one by
//! one, when the test says so, and the clock moves only when everything else stands still.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::ensure;
use futures::channel::oneshot;
use futures::executor::block_on;
use steadfast_core::history::Event;
use steadfast_core::{
    AttemptError, EventId, IdempotencyKey, Payload, QueueName, RequestId, Timestamp, WorkflowId, WorkflowType,
};
use steadfast_engine::sim::{Dice, Program, scripted_body};
use steadfast_engine::{
    ActivityBody, ActivityState, CancelRequest, Client, Engine, EngineClock as _, EngineConfig, ManualClock,
    OpenActivity, RunDescription, RunSelector, StartRequest,
};
use steadfast_tests::kit::{Bodies, Place, StoreKind, TestResult};

const QUEUE: &str = "programs";
const BEGINNING: Timestamp = Timestamp::from_micros(1_700_000_000_000_000);
/// How long a run may take to do what it can do by itself.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where a program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ground {
    pub(crate) store: StoreKind,
    pub(crate) evict_always: bool,
}

/// The history of a program, and how often its run was dropped from memory.
pub(crate) fn run(ground: Ground, program: &Program, seed: u64) -> TestResult<(Vec<Event>, usize)> {
    let (bodies, clock) = (Bodies::new()?, Arc::new(ManualClock::new(BEGINNING)));
    let place = Place::new(ground.store, &clock)?;
    let evicted = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&evicted);
    let point = move |name: &'static str| {
        count.fetch_add(usize::from(name == "evicted"), Ordering::SeqCst);
    };
    let config = EngineConfig {
        name: "properties".to_owned(),
        shard_threads: Some(1),
        seed: Some(seed),
        clock: Some(Arc::clone(&clock) as _),
        runtime: Some(bodies.handle()),
        evict_always: ground.evict_always,
        fail_points: Some(Arc::new(point)),
        ..EngineConfig::default()
    };
    let engine = Engine::open(place.open(&clock)?, config)?;
    let (name, board) = (WorkflowType::new("program")?, Board::default());
    let mut worker = engine.worker(QueueName::new(QUEUE)?).workflow(program.definition(&name));
    for activity in program.activities() {
        worker = worker.activity(activity, board.body());
    }
    worker.start()?;
    let run = RunSelector::from(WorkflowId::new("w")?);
    let dice = Dice::new(seed);
    let mut stage = Stage { client: engine.client(), clock, place, board, run, dice, seed };
    let history = stage.run(name)?;
    block_on(engine.shutdown(Some(Duration::ZERO)));
    Ok((history, evicted.load(Ordering::SeqCst)))
}

type Key = (EventId, u32);

/// A body that runs.
struct Waiting {
    key: IdempotencyKey,
    result: oneshot::Sender<Result<Payload, AttemptError>>,
}

/// The bodies that run, by activity and attempt.
#[derive(Clone, Default)]
struct Board(Arc<Mutex<BTreeMap<Key, Waiting>>>);

impl Board {
    /// A body that waits to be told its result.
    fn body(&self) -> ActivityBody {
        let board = self.clone();
        Arc::new(move |context, _| {
            let (result, told) = oneshot::channel();
            let info = context.info();
            let waiting = Waiting { key: info.idempotency_key.clone(), result };
            board.lock().insert((info.scheduled, info.attempt), waiting);
            // If the test has ended nobody waits for the result.
            Box::pin(async move { told.await.unwrap_or(Err(AttemptError::WorkerLost)) })
        })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<Key, Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Stage {
    client: Client,
    clock: Arc<ManualClock>,
    place: Place,
    board: Board,
    run: RunSelector,
    dice: Dice,
    seed: u64,
}

impl Stage {
    fn run(&mut self, name: WorkflowType) -> TestResult<Vec<Event>> {
        let request_id = Some(RequestId::new("start")?);
        let (id, input) = (self.run.workflow_id.clone(), Payload::json(&self.seed)?);
        let start = StartRequest::new(id, name, QueueName::new(QUEUE)?, input);
        block_on(self.client.start(StartRequest { request_id, ..start }))?;
        let mut may_cancel = self.dice.percent(30);
        while let Some(seen) = self.until_still()? {
            let running: Vec<&OpenActivity> =
                seen.activities.iter().filter(|open| is_running(open)).collect();
            if may_cancel && self.dice.percent(10) {
                may_cancel = false;
                self.cancel()?;
            } else if running.is_empty() || self.dice.percent(15) {
                let Some(at) = next(&seen) else {
                    ensure!(!running.is_empty(), "nothing can happen any more: {seen:#?}");
                    continue;
                };
                self.clock.advance_to(at);
                self.place.tell_time(&self.clock);
            } else {
                let chosen = self.dice.index(running.len());
                self.end(running[chosen])?;
            }
        }
        Ok(block_on(self.client.history(&self.run))?)
    }

    /// Waits until nothing can happen any more that the test does not bring about; `None` if the run has closed.
    fn until_still(&self) -> TestResult<Option<RunDescription>> {
        let end = Instant::now() + PATIENCE;
        loop {
            let seen = block_on(self.client.describe(&self.run))?;
            if seen.closed_at.is_some() {
                return Ok(None);
            }
            ensure!(seen.blocked.is_none(), "the run is blocked: {:?}", seen.blocked);
            let is_late = next(&seen).is_some_and(|at| at <= self.clock.now());
            if !is_late && seen.activities.iter().all(|open| self.is_still(open)) {
                return Ok(Some(seen));
            }
            ensure!(Instant::now() < end, "not within {PATIENCE:?}: {seen:#?}");
            std::thread::yield_now();
        }
    }

    fn is_still(&self, open: &OpenActivity) -> bool {
        match open.state {
            ActivityState::RetryWait => true,
            // A step runs by itself. Of an activity the body must have begun, and not have been told to end.
            ActivityState::Running => {
                !open.is_step && self.board.lock().contains_key(&(open.scheduled, open.attempt))
            }
            ActivityState::Pending | _ => false,
        }
    }

    /// Lets a body end.
    fn end(&mut self, open: &OpenActivity) -> TestResult {
        let waiting = self.board.lock().remove(&(open.scheduled, open.attempt));
        let Some(waiting) = waiting else { anyhow::bail!("{open:?} does not run") };
        let result = if open.is_cancel_requested && self.dice.percent(60) {
            Err(AttemptError::Cancelled)
        } else {
            scripted_body(self.seed, &waiting.key, open.attempt)
        };
        ensure!(waiting.result.send(result).is_ok(), "the body of {open:?} was dropped");
        Ok(())
    }

    fn cancel(&self) -> TestResult {
        let request_id = Some(RequestId::new("cancel")?);
        let request = CancelRequest { run: self.run.clone(), reason: "enough".to_owned(), request_id };
        match block_on(self.client.cancel(request)) {
            // It may just have closed.
            Ok(()) | Err(steadfast_engine::EndError::Closed { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

fn is_running(open: &OpenActivity) -> bool {
    open.state == ActivityState::Running && !open.is_step
}

/// When something happens by time alone.
fn next(run: &RunDescription) -> Option<Timestamp> {
    let timers = run.timers.iter().map(|timer| timer.due);
    timers.chain(run.activities.iter().filter_map(|open| open.next_attempt_at.or(open.deadline))).min()
}

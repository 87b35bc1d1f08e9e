//! What the tests are written with: workflow functions and bodies from closures, an engine on the memory store.

use std::collections::BTreeMap;
use std::future::Future;
use std::panic::Location;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use futures::executor::block_on;
use steadfast_core::exec::{ActivityCallSpec, CallStart, Definition, Outcome, RunContext, RunFuture};
use steadfast_core::history::Event;
use steadfast_core::machine::RunMachine;
use steadfast_core::{
    ActivityName, ActivityOptions, ApplicationFailure, AttemptError, CallError, Disposition, Namespace,
    Payload, QueueName, RetryPolicy, Timestamp, WorkflowError, WorkflowId, WorkflowType,
};
use steadfast_engine::{
    ActivityBody, ActivityContext, Client, Engine, EngineConfig, ManualClock, RunDescription, RunOutcome,
    RunSelector, StartRequest, Started, WorkerBuilder,
};
use steadfast_store::{MemoryStore, Store};

pub(crate) const QUEUE: &str = "q";

pub(crate) fn at(seconds: u64) -> Timestamp {
    Timestamp::from_micros(seconds * 1_000_000)
}

pub(crate) fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub(crate) fn queue() -> QueueName {
    QueueName::new(QUEUE).unwrap()
}

pub(crate) fn id(text: &str) -> WorkflowId {
    WorkflowId::new(text).unwrap()
}

pub(crate) fn selector(text: &str) -> RunSelector {
    id(text).into()
}

pub(crate) fn json<T: serde::Serialize>(value: T) -> Payload {
    Payload::json(&value).unwrap()
}

type Call = Box<dyn Fn(RunContext, Payload) -> RunFuture + Send + Sync>;

struct Code {
    workflow_type: WorkflowType,
    version: u32,
    call: Call,
}

impl Definition for Code {
    fn workflow_type(&self) -> &WorkflowType {
        &self.workflow_type
    }

    fn version(&self) -> u32 {
        self.version
    }

    fn call(&self, context: RunContext, input: Payload) -> RunFuture {
        (self.call)(context, input)
    }
}

/// A workflow function.
pub(crate) fn workflow<F, Fut>(name: &str, code: F) -> Arc<dyn Definition>
where
    F: Fn(RunContext, Payload) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Payload, WorkflowError>> + 'static,
{
    let call: Call = Box::new(move |context, input| Box::pin(code(context, input)));
    Arc::new(Code { workflow_type: WorkflowType::new(name).unwrap(), version: 1, call })
}

/// An activity's body.
pub(crate) fn body<F, Fut>(code: F) -> ActivityBody
where
    F: Fn(ActivityContext, Payload) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Payload, AttemptError>> + Send + 'static,
{
    Arc::new(move |context, input| Box::pin(code(context, input)))
}

/// A body that returns its input.
pub(crate) fn echo() -> ActivityBody {
    body(|_, input| async move { Ok(input) })
}

pub(crate) fn failure(disposition: Disposition) -> AttemptError {
    AttemptError::Application(Box::new(ApplicationFailure {
        type_name: "Bank".to_owned(),
        message: "card declined".to_owned(),
        causes: Vec::new(),
        disposition,
        details: None,
    }))
}

pub(crate) fn retryable() -> AttemptError {
    failure(Disposition::Retryable { after: None, no_effect: false })
}

pub(crate) fn spec(name: &str, input: Payload, options: ActivityOptions) -> ActivityCallSpec {
    ActivityCallSpec {
        activity: ActivityName::new(name).unwrap(),
        input: Ok(input),
        idempotency_key: None,
        options,
        undo: None,
        call_site: Location::caller(),
    }
}

/// Calls an activity and waits for its outcome.
pub(crate) async fn call_with(
    context: &RunContext,
    name: &str,
    input: Payload,
    options: ActivityOptions,
) -> Result<Payload, WorkflowError> {
    let scheduled = context.next_event();
    let fail = |error: CallError| WorkflowError::Activity {
        name: name.to_owned(),
        scheduled: Some(scheduled),
        error,
    };
    match context.start_activity(spec(name, input, options), None) {
        CallStart::Open(outcome) => match outcome.await {
            Outcome::Completed(output) => Ok(output),
            Outcome::Failed(error) => Err(fail(error)),
            Outcome::Fired => panic!("an activity does not fire"),
        },
        CallStart::Refused(error) => Err(fail(error)),
        CallStart::Halted => std::future::pending().await,
    }
}

pub(crate) async fn call(context: &RunContext, name: &str, input: Payload) -> Result<Payload, WorkflowError> {
    call_with(context, name, input, ActivityOptions::default()).await
}

/// Sleeps durably.
pub(crate) async fn sleep(context: &RunContext, duration: Duration) -> Result<(), WorkflowError> {
    sleep_until(context, context.now().after(duration), false).await
}

pub(crate) async fn sleep_until(
    context: &RunContext,
    due: Timestamp,
    follows_wall_clock: bool,
) -> Result<(), WorkflowError> {
    match context.start_timer(due, follows_wall_clock, Location::caller()) {
        CallStart::Open(outcome) => match outcome.await {
            Outcome::Fired => Ok(()),
            Outcome::Failed(_) | Outcome::Completed(_) => Err(WorkflowError::Cancelled),
        },
        CallStart::Refused(_) => Err(WorkflowError::Cancelled),
        CallStart::Halted => std::future::pending().await,
    }
}

pub(crate) fn retry(policy: RetryPolicy) -> ActivityOptions {
    ActivityOptions { retry: Some(policy), ..ActivityOptions::default() }
}

/// An engine on the memory store, with a clock that stands still.
pub(crate) struct Kit {
    pub(crate) store: MemoryStore,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) engine: Engine,
    pub(crate) client: Client,
}

pub(crate) fn new_store() -> MemoryStore {
    MemoryStore::new(Namespace::new("test").unwrap(), 4, at(1_000))
}

pub(crate) fn config(clock: &Arc<ManualClock>) -> EngineConfig {
    EngineConfig { clock: Some(Arc::clone(clock) as _), seed: Some(1), ..EngineConfig::default() }
}

impl Kit {
    pub(crate) fn new() -> Self {
        let clock = Arc::new(ManualClock::new(at(1_000)));
        Self::open(new_store(), config(&clock), clock)
    }

    pub(crate) fn open(store: MemoryStore, config: EngineConfig, clock: Arc<ManualClock>) -> Self {
        Self::open_on(Arc::new(store.clone()), store, config, clock)
    }

    pub(crate) fn open_on(
        on: Arc<dyn Store>,
        store: MemoryStore,
        config: EngineConfig,
        clock: Arc<ManualClock>,
    ) -> Self {
        let engine = Engine::open(on, config).unwrap();
        let client = engine.client();
        Self { store, clock, engine, client }
    }

    /// Another engine on the same store, as after a kill: the session of this one is ended by force.
    pub(crate) fn killed(self) -> Self {
        use steadfast_store::Sessions;
        for session in self.store.sessions().unwrap() {
            self.store.end_session(session.id).unwrap();
        }
        let Self { store, clock, engine, client } = self;
        drop((engine, client));
        let config = config(&clock);
        Self::open(store, config, clock)
    }

    pub(crate) fn worker(&self) -> WorkerBuilder {
        self.engine.worker(queue())
    }

    pub(crate) fn request(workflow: &str, workflow_id: &str, input: Payload) -> StartRequest {
        StartRequest::new(id(workflow_id), WorkflowType::new(workflow).unwrap(), queue(), input)
    }

    pub(crate) fn start(&self, workflow: &str, workflow_id: &str, input: Payload) -> Started {
        block_on(self.client.start(Self::request(workflow, workflow_id, input))).unwrap()
    }

    pub(crate) fn result(&self, workflow_id: &str) -> RunOutcome {
        block_on(self.client.result(&selector(workflow_id))).unwrap()
    }

    pub(crate) fn describe(&self, workflow_id: &str) -> RunDescription {
        block_on(self.client.describe(&selector(workflow_id))).unwrap()
    }

    pub(crate) fn history(&self, workflow_id: &str) -> Vec<Event> {
        let events = block_on(self.client.history(&selector(workflow_id))).unwrap();
        let mut machine = RunMachine::new();
        for event in &events {
            machine.apply(event).unwrap();
        }
        events
    }

    /// The names of the events of a history.
    pub(crate) fn names(&self, workflow_id: &str) -> Vec<&'static str> {
        self.history(workflow_id).iter().map(|event| event.kind.name()).collect()
    }

    /// Looks again and again until something is so: threads of the engine have to get there.
    pub(crate) fn eventually(&self, what: &str, mut is_so: impl FnMut(&Self) -> bool) {
        let end = Instant::now() + secs(60);
        while !is_so(self) {
            assert!(Instant::now() < end, "not within a minute: {what}");
            std::thread::yield_now();
        }
    }
}

pub(crate) fn activity(name: &str) -> ActivityName {
    ActivityName::new(name).unwrap()
}

/// Counts calls by name.
#[derive(Clone, Default)]
pub(crate) struct Calls(Arc<Mutex<BTreeMap<String, u32>>>);

impl Calls {
    pub(crate) fn note(&self, name: &str) -> u32 {
        let mut calls = self.0.lock().unwrap();
        let count = calls.entry(name.to_owned()).or_default();
        *count += 1;
        *count
    }

    pub(crate) fn of(&self, name: &str) -> u32 {
        self.0.lock().unwrap().get(name).copied().unwrap_or(0)
    }
}

/// A door that bodies wait at, without a clock.
#[derive(Clone, Default)]
pub(crate) struct Gate(Arc<(Mutex<bool>, Condvar, tokio::sync::Notify)>);

impl Gate {
    pub(crate) fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
        self.0.2.notify_waiters();
    }

    pub(crate) async fn pass(&self) {
        loop {
            let opened = self.0.2.notified();
            if *self.0.0.lock().unwrap() {
                return;
            }
            opened.await;
        }
    }

    /// The same for threads.
    pub(crate) fn pass_blocking(&self) {
        let mut is_open = self.0.0.lock().unwrap();
        while !*is_open {
            is_open = self.0.1.wait(is_open).unwrap();
        }
    }
}

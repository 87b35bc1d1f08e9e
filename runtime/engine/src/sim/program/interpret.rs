//! Running a program as a workflow function.
//!
//! Everything that the code gets goes into one value, and that value into the input of each later call: what differs
//! between two runs shows in their histories.

mod calls;

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;

use futures::future::{join, join_all, try_join_all};
use steadfast_core::exec::{Definition, RunContext, RunFuture, Spawned};
use steadfast_core::{EventId, Payload, SagaScope, WorkflowError, WorkflowType};

use super::parts::{digest, first, mix};
use super::seen::{Observer, Seen};
use super::tree::{Block, Choice, Node, Program, Wait};

impl Program {
    /// The program as a workflow function of this name.
    #[must_use]
    pub fn definition(&self, name: &WorkflowType) -> Arc<dyn Definition> {
        Arc::new(Function { name: name.clone(), program: self.clone(), observer: None })
    }

    /// The same, with somebody who is told what the code sees.
    #[must_use]
    pub fn observed(&self, name: &WorkflowType, observer: Observer) -> Arc<dyn Definition> {
        Arc::new(Function { name: name.clone(), program: self.clone(), observer: Some(observer) })
    }
}

struct Function {
    name: WorkflowType,
    program: Program,
    observer: Option<Observer>,
}

impl Definition for Function {
    fn workflow_type(&self) -> &WorkflowType {
        &self.name
    }

    fn version(&self) -> u32 {
        1
    }

    fn call(&self, context: RunContext, input: Payload) -> RunFuture {
        let body = self.program.body.clone();
        let counts = Rc::new(Counts::default());
        let place =
            Place { context, saga: None, inside: Vec::new(), counts, observer: self.observer.clone() };
        Box::pin(async move {
            let result = run(&place, &body, input.decode::<u64>().unwrap_or(0)).await;
            place.see(|| Seen::Returned { error: result.as_ref().err().cloned() });
            Payload::json(&result?).map_err(WorkflowError::fail)
        })
    }
}

/// What the run has counted.
#[derive(Default)]
struct Counts {
    sagas: Cell<u32>,
    undos: Cell<u32>,
}

/// Where in the run code stands.
#[derive(Clone)]
struct Place {
    context: RunContext,
    saga: Option<SagaScope>,
    /// The numbers of the sagas around, outermost first.
    inside: Vec<u32>,
    counts: Rc<Counts>,
    observer: Option<Observer>,
}

type Running<'a> = Pin<Box<dyn Future<Output = Result<u64, WorkflowError>> + 'a>>;

impl Place {
    fn see(&self, seen: impl FnOnce() -> Seen) {
        if let Some(observer) = &self.observer {
            observer(seen());
        }
    }

    fn with_context(&self, context: RunContext) -> Self {
        Self { context, ..self.clone() }
    }
}

fn next(count: &Cell<u32>) -> u32 {
    count.set(count.get() + 1);
    count.get()
}

fn run<'a>(place: &'a Place, block: &'a Block, start: u64) -> Running<'a> {
    Box::pin(async move {
        let mut value = start;
        let mut later = Vec::new();
        for node in &block.0 {
            value = mix(value, one(place, node, value, &mut later).await?);
        }
        for task in later {
            value = mix(value, settled(task.await));
        }
        Ok(value)
    })
}

/// An error as a value, in words that hold no ids of the run.
fn settled(result: Result<u64, WorkflowError>) -> u64 {
    result.unwrap_or_else(|error| digest(&error.to_string()))
}

async fn one(
    place: &Place,
    node: &Node,
    value: u64,
    later: &mut Vec<Spawned<Result<u64, WorkflowError>>>,
) -> Result<u64, WorkflowError> {
    match node {
        Node::Call(call) => place.call(call, value).await,
        Node::Sleep(millis) => place.sleep(*millis).await,
        Node::Step(step) => place.step(step, value).await,
        Node::SideEffect => Ok(place.side_effect(value)),
        Node::Random | Node::Uuid | Node::Now => Ok(read(place, node)),
        Node::Join(blocks) => {
            let results = join_all(branches(place, blocks, value)).await;
            Ok(results.into_iter().map(settled).fold(0, mix))
        }
        Node::TryJoin(blocks) => {
            let results = try_join_all(branches(place, blocks, value)).await?;
            Ok(results.into_iter().fold(1, mix))
        }
        Node::Race(blocks) => {
            let (index, result) = first(branches(place, blocks, value)).await;
            result.map(|won| mix(won, index as u64))
        }
        Node::Spawn { task, wait } => {
            let (own, task) = (place.clone(), task.clone());
            let spawned = place.context.spawn(async move { run(&own, &task, value).await });
            match wait {
                Wait::Here => return spawned.await,
                Wait::Later => later.push(spawned),
                Wait::Never => drop(spawned),
            }
            Ok(2)
        }
        Node::Scope { body, until } => Ok(scope(place, body, until, value).await),
        Node::Disconnected(block) => {
            let place = place.with_context(place.context.disconnected());
            run(&place, block, value).await
        }
        Node::UntilCancelled(block) => {
            let cancelled: Running<'_> = Box::pin(async {
                place.context.cancelled().await;
                Ok(3)
            });
            first(vec![run(place, block, value), cancelled]).await.1
        }
        Node::Saga(block) => saga(place, block, value).await,
        Node::OnUndo(block) => {
            on_undo(place, block, value);
            Ok(4)
        }
        Node::Catch(block) => Ok(settled(run(place, block, value).await)),
        Node::Branch { on, then, otherwise } => {
            let block = if is_odd(place, *on, value) { then } else { otherwise };
            run(place, block, value).await
        }
        Node::Repeat { times, body } => {
            let mut value = value;
            for _ in 0..*times {
                value = run(place, body, value).await?;
            }
            Ok(value)
        }
        Node::Fail => Err(WorkflowError::fail("as the program says")),
    }
}

fn branches<'a>(place: &'a Place, blocks: &'a [Block], value: u64) -> Vec<Running<'a>> {
    blocks.iter().enumerate().map(|(index, block)| run(place, block, mix(value, index as u64))).collect()
}

fn read(place: &Place, node: &Node) -> u64 {
    let context = &place.context;
    if *node == Node::Random {
        let drawn = context.random_u64();
        place.see(|| Seen::Random(drawn));
        drawn
    } else if *node == Node::Uuid {
        let drawn = context.uuid().as_u128();
        place.see(|| Seen::Uuid(drawn));
        digest(&drawn.to_string())
    } else {
        let (now, length) = (context.now(), context.history_len());
        place.see(|| Seen::Now(now, length));
        mix(now.as_micros(), length)
    }
}

fn is_odd(place: &Place, on: Choice, value: u64) -> bool {
    let decides = match on {
        Choice::Value => value,
        Choice::Random => read(place, &Node::Random),
        Choice::Now => read(place, &Node::Now),
        Choice::Cancelled => u64::from(place.context.is_cancelled()),
    };
    decides % 2 == 1
}

async fn scope(place: &Place, body: &Block, until: &Block, value: u64) -> u64 {
    let inner = place.with_context(place.context.child_scope());
    let canceller = async {
        let ended = settled(run(place, until, value).await);
        inner.context.cancel_scope();
        ended
    };
    let (done, ended) = join(run(&inner, body, value), Box::pin(canceller)).await;
    mix(settled(done), ended)
}

async fn saga(place: &Place, block: &Block, value: u64) -> Result<u64, WorkflowError> {
    let scope = place.context.saga(place.saga.as_ref());
    let saga = next(&place.counts.sagas);
    place.see(|| Seen::SagaBegan { saga, inside: place.inside.last().copied() });
    let mut inner = place.clone();
    inner.saga = Some(scope.clone());
    inner.inside.push(saga);
    let result = scope.run(run(&inner, block, value)).await;
    place.see(|| Seen::SagaEnded { saga, is_ok: result.is_ok() });
    result
}

fn on_undo(place: &Place, block: &Block, value: u64) {
    let (Some(scope), Some(saga)) = (&place.saga, place.inside.last().copied()) else { return };
    if scope.is_closed() {
        return;
    }
    let number = next(&place.counts.undos);
    let after = EventId(place.context.history_len());
    place.see(|| Seen::UndoRegistered { saga, number, after });
    let (outside, block) = (place.clone(), block.clone());
    scope.on_undo(move |context| {
        let place = Place { saga: None, inside: Vec::new(), ..outside.with_context(context) };
        let after = EventId(place.context.history_len());
        place.see(|| Seen::UndoBegan { number, after });
        Box::pin(async move {
            let result = run(&place, &block, value).await;
            place.see(|| Seen::UndoEnded { number, is_ok: result.is_ok() });
            result.map(|_| ())
        })
    });
}

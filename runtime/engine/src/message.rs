//! What a shard is told, and what follows from it.

use std::fmt;
use std::sync::Arc;

use futures::channel::oneshot;
use steadfast_core::exec::StepBody;
use steadfast_core::history::Event;
use steadfast_core::{AttemptError, Payload, Timestamp};
use steadfast_store::{Transition, Verdict};

use crate::activity::{ActivityBody, AttemptInfo, AttemptKey, Stop};
use crate::client::{
    BreakerRequest, CancelRequest, DecideRequest, RunDescription, RunOutcome, RunSelector, StartRequest,
    Started, TerminateRequest,
};
use crate::dispatch::Offer;
use crate::error::{BreakerError, DecideError, EndError, ReadError, StartError, Unavailable};

pub(crate) use crate::reply::Reply;

/// A call of a client. Requests carry their id: it was made up if the client gave none.
#[derive(Debug)]
pub(crate) enum Call {
    Start(Box<StartRequest>, Reply<Started, StartError>),
    Cancel(Box<CancelRequest>, Reply<(), EndError>),
    Terminate(Box<TerminateRequest>, Reply<(), EndError>),
    Decide(Box<DecideRequest>, Reply<(), DecideError>),
    Breaker(Box<BreakerRequest>, Reply<(), BreakerError>),
    Describe(RunSelector, Reply<RunDescription, ReadError>),
    History(RunSelector, Reply<Vec<Event>, ReadError>),
    Result(RunSelector, Reply<RunOutcome, ReadError>),
}

impl Call {
    /// The same call with the same client, for those whose work may run workflow code.
    pub(crate) fn again(&self) -> Option<Self> {
        match self {
            Self::Start(request, reply) => Some(Self::Start(request.clone(), reply.clone())),
            Self::Cancel(request, reply) => Some(Self::Cancel(request.clone(), reply.clone())),
            Self::Terminate(request, reply) => Some(Self::Terminate(request.clone(), reply.clone())),
            Self::Decide(request, reply) => Some(Self::Decide(request.clone(), reply.clone())),
            Self::Describe(run, reply) => Some(Self::Describe(run.clone(), reply.clone())),
            // No workflow code runs for these.
            Self::Breaker(..) | Self::History(..) | Self::Result(..) => None,
        }
    }

    /// Answers without doing anything.
    pub(crate) fn refuse(self, why: Unavailable) {
        match self {
            Self::Start(_, reply) => drop(reply.send(Err(why.into()))),
            Self::Cancel(_, reply) | Self::Terminate(_, reply) => drop(reply.send(Err(why.into()))),
            Self::Decide(_, reply) => drop(reply.send(Err(why.into()))),
            Self::Breaker(_, reply) => drop(reply.send(Err(why.into()))),
            Self::Describe(_, reply) => drop(reply.send(Err(why.into()))),
            Self::History(_, reply) => drop(reply.send(Err(why.into()))),
            Self::Result(_, reply) => drop(reply.send(Err(why.into()))),
        }
    }
}

/// What a heartbeat that was handed on came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BeatFate {
    /// It is durable.
    Written,
    /// It was not written, and may be said again.
    Again,
    /// The attempt is not the current one any more.
    Refused,
}

/// What a shard is told.
#[derive(Debug)]
pub(crate) enum ShardMessage {
    /// A client calls.
    Call(Call),
    /// A body is over.
    AttemptEnded { key: AttemptKey, result: Result<Payload, AttemptError>, details: Option<Payload> },
    /// A body shows that it is alive.
    Heartbeat { key: AttemptKey, details: Option<Payload>, reply: oneshot::Sender<BeatFate> },
    /// A slot is free for a task that waits.
    Offered(Offer),
    /// A worker started or stopped.
    WorkersChanged,
    /// All transitions up to this one are durable.
    Committed { generation: u64, through: u64 },
    /// A transition was not stored, or nobody knows; nothing after it was.
    Failed { generation: u64, fault: Fault },
    /// The time may have come for something.
    Wake,
}

/// Why transitions were not committed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The store failed.
    Store(String),
    /// The store refused one of them.
    Refused(Verdict),
    /// No store could hold it; it was not handed to one.
    TooLarge(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(message) | Self::TooLarge(message) => f.write_str(message),
            Self::Refused(Verdict::Refused(refusal)) => refusal.fmt(f),
            Self::Refused(Verdict::Committed) => f.write_str("not committed"),
        }
    }
}

/// What runs an attempt.
#[derive(Clone)]
pub(crate) enum Body {
    Activity(ActivityBody),
    Step(StepBody),
}

/// An attempt that is to be run.
#[derive(Clone)]
pub(crate) struct Attempt {
    pub(crate) key: AttemptKey,
    pub(crate) info: AttemptInfo,
    pub(crate) input: Payload,
    pub(crate) body: Body,
}

impl fmt::Debug for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attempt").field("key", &self.key).field("info", &self.info).finish_non_exhaustive()
    }
}

type Giving = Box<dyn FnOnce(Option<&Fault>) + Send>;

/// An answer that waits for a commit.
pub(crate) struct Answer(Giving);

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Answer")
    }
}

impl Answer {
    /// `value` once it is durable, else that the outcome is not known.
    pub(crate) fn new<T: Send + 'static, E: From<Unavailable> + Send + 'static>(
        reply: Reply<T, E>,
        value: Result<T, E>,
    ) -> Self {
        Self(Box::new(move |fault| {
            let value = match fault {
                None => value,
                Some(Fault::TooLarge(message)) => Err(Unavailable::Invalid(message.clone()).into()),
                Some(fault) => Err(Unavailable::OutcomeUnknown(fault.to_string()).into()),
            };
            // A client that no longer waits needs no answer.
            drop(reply.send(value));
        }))
    }

    pub(crate) fn beat(reply: oneshot::Sender<BeatFate>) -> Self {
        Self(Box::new(move |fault| {
            let fate = if fault.is_none() { BeatFate::Written } else { BeatFate::Again };
            let _ = reply.send(fate);
        }))
    }

    pub(crate) fn give(self) {
        (self.0)(None);
    }

    pub(crate) fn lose(self, fault: &Fault) {
        (self.0)(Some(fault));
    }
}

/// What may be done once a transition is durable.
#[derive(Debug)]
pub(crate) enum Effect {
    /// A client is answered.
    Answer(Answer),
    /// A granted attempt begins.
    Begin(Box<Attempt>),
    /// A body is told to stop.
    Stop(AttemptKey, Stop),
    /// An attempt has ended: its slot is free.
    Over(AttemptKey),
    /// A run has closed: those who wait for it are answered.
    Closed(Arc<RunOutcome>),
    /// The run unwinds: a place where tests look.
    Unwound,
}

/// A transition on its way to the committer.
#[derive(Debug)]
pub(crate) struct Submission {
    pub(crate) transition: Transition,
    /// The life of the shard's memory that it comes from.
    pub(crate) generation: u64,
    /// Its number in that life.
    pub(crate) ticket: u64,
}

/// What a runner does after a step of a shard.
#[derive(Debug, Default)]
pub(crate) struct Outputs {
    pub(crate) submissions: Vec<Submission>,
    pub(crate) begin: Vec<Attempt>,
    pub(crate) stop: Vec<(AttemptKey, Stop)>,
    pub(crate) offers: Vec<Offer>,
}

/// The time at which a step is taken.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    pub(crate) now: Timestamp,
    pub(crate) wall: Timestamp,
}

//! Why a run cannot be activated: bugs in workflow code or a deployment that does not fit. Nothing is appended; the
//! run resumes when fitting code is there.

use std::fmt;

use crate::history::{CallSite, EventKind};
use crate::id::EventId;
use crate::machine::HistoryError;

/// Why a run cannot be activated. Its `Display` is the whole report.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Blocked {
    /// The code does not issue the commands that the history holds.
    #[error("{0}")]
    Mismatch(Box<Mismatch>),
    /// Workflow code panicked.
    #[error("the workflow panicked: {message}{}", hint(.message))]
    Panic {
        /// The panic's text.
        message: String,
    },
    /// The code waits for something that no input can bring.
    #[error(
        "the workflow stands still with nothing durable pending: it awaits something that is not recorded; \
         use an activity, `ctx.step`, `ctx.sleep` or `ctx.spawn` for what it waits for"
    )]
    Stuck,
    /// A future of the workflow was woken from outside an activation.
    #[error(
        "the workflow was woken from outside: it awaits a thread, a task or a timer of its own, whose result would \
         be another at replay; use an activity, `ctx.step` or `ctx.sleep`"
    )]
    ForeignWake,
    /// The history is not well formed, or an input does not fit it.
    #[error("the history is not well formed: {0}")]
    History(HistoryError),
}

/// What the history says and what the code does instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// The event at which they part.
    pub event: EventId,
    /// What is recorded there; `None` if the activation has no further command.
    pub recorded: Option<Described>,
    /// What the code issued; `None` if it issued nothing more.
    pub issued: Option<Described>,
    /// The last commands that did match, oldest first.
    pub matched: Vec<(EventId, String)>,
}

/// A command in words, with its place in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Described {
    /// The command and its intent.
    pub what: String,
    /// Where it was issued.
    pub call_site: Option<CallSite>,
}

impl Described {
    pub(crate) fn new(kind: &EventKind) -> Self {
        Self { what: describe(kind), call_site: call_site(kind).cloned() }
    }
}

impl fmt::Display for Described {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.call_site {
            Some(site) => write!(f, "{} at {site}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_nothing = |side: &Option<Described>| match side {
            Some(described) => described.to_string(),
            None => "nothing".to_owned(),
        };
        write!(
            f,
            "the code does not fit the history at event {}: recorded is {}, the code issued {}",
            self.event,
            or_nothing(&self.recorded),
            or_nothing(&self.issued),
        )?;
        if !self.matched.is_empty() {
            f.write_str("; before it these matched:")?;
            for (id, what) in &self.matched {
                write!(f, " [{id}] {what}")?;
            }
        }
        Ok(())
    }
}

/// A command with its intent: what is compared at replay.
pub(crate) fn describe(kind: &EventKind) -> String {
    let name = kind.name();
    match kind {
        EventKind::ActivityScheduled(e) => match e.undoes {
            Some(step) => format!("{name}({}, undoes {step})", e.activity),
            None => format!("{name}({})", e.activity),
        },
        EventKind::ActivityCancelRequested(e) => format!("{name}({})", e.scheduled),
        EventKind::TimerCancelled(e) => format!("{name}({})", e.started),
        EventKind::StepStarted(e) => format!("{name}({:?})", e.name),
        EventKind::CompensationStarted(e) => format!("{name}(saga {})", e.saga),
        EventKind::CompensationFinished(e) => format!("{name}(saga {})", e.saga),
        EventKind::WorkflowStarted(_)
        | EventKind::ActivityCompleted(_)
        | EventKind::ActivityFailed(_)
        | EventKind::ActivityTimedOut(_)
        | EventKind::ActivityCancelled(_)
        | EventKind::TimerFired(_)
        | EventKind::CancelRequested(_)
        | EventKind::StepCompleted(_)
        | EventKind::StepFailed(_)
        | EventKind::OperatorDecided(_)
        | EventKind::TimerStarted(_)
        | EventKind::SideEffectRecorded(_)
        | EventKind::WorkflowCompleted(_)
        | EventKind::WorkflowFailed(_)
        | EventKind::WorkflowCancelled(_)
        | EventKind::WorkflowTimedOut(_)
        | EventKind::WorkflowTerminated(_) => name.to_owned(),
    }
}

fn call_site(kind: &EventKind) -> Option<&CallSite> {
    match kind {
        EventKind::ActivityScheduled(e) => Some(&e.call_site),
        EventKind::TimerStarted(e) => Some(&e.call_site),
        EventKind::StepStarted(e) => Some(&e.call_site),
        EventKind::SideEffectRecorded(e) => Some(&e.call_site),
        EventKind::WorkflowStarted(_)
        | EventKind::ActivityCompleted(_)
        | EventKind::ActivityFailed(_)
        | EventKind::ActivityTimedOut(_)
        | EventKind::ActivityCancelled(_)
        | EventKind::TimerFired(_)
        | EventKind::CancelRequested(_)
        | EventKind::StepCompleted(_)
        | EventKind::StepFailed(_)
        | EventKind::OperatorDecided(_)
        | EventKind::ActivityCancelRequested(_)
        | EventKind::TimerCancelled(_)
        | EventKind::CompensationStarted(_)
        | EventKind::CompensationFinished(_)
        | EventKind::WorkflowCompleted(_)
        | EventKind::WorkflowFailed(_)
        | EventKind::WorkflowCancelled(_)
        | EventKind::WorkflowTimedOut(_)
        | EventKind::WorkflowTerminated(_) => None,
    }
}

/// Some panics have a known cause.
fn hint(message: &str) -> &'static str {
    if message.contains("there is no reactor running") || message.contains("Tokio 1.x runtime") {
        " (a workflow runs outside tokio, since tokio's timers, tasks and sockets give another result at replay; \
         use `ctx.sleep`, `ctx.spawn`, `ctx.step` or an activity)"
    } else {
        ""
    }
}

//! What became of a program: its history, and what its code saw.

use steadfast_core::history::{Event, EventKind, Role};
use steadfast_engine::sim::Seen;

/// One input with its commands.
pub(crate) struct Activated {
    /// Where its events end in the history.
    pub(crate) end: usize,
    /// What the code saw meanwhile.
    pub(crate) seen: Vec<Seen>,
}

/// A run from its beginning to its end.
#[derive(Default)]
pub(crate) struct Record {
    pub(crate) history: Vec<Event>,
    pub(crate) activations: Vec<Activated>,
}

impl Record {
    /// Everything that the code saw.
    pub(crate) fn seen(&self) -> impl Iterator<Item = &Seen> {
        self.activations.iter().flat_map(|activation| &activation.seen)
    }

    /// The closing event.
    pub(crate) fn closing(&self) -> &EventKind {
        let last = &self.history.last().expect("a history").kind;
        assert_eq!(last.role(), Role::Close);
        last
    }

    /// The history, an event a line.
    pub(crate) fn text(&self) -> String {
        self.history.iter().map(|event| format!("{} {:?}\n", event.id, Short(&event.kind))).collect()
    }
}

/// An event without its longer facts.
struct Short<'e>(&'e EventKind);

impl std::fmt::Debug for Short<'_> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are short, or say enough by their name")]
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = self.0.name();
        match self.0 {
            EventKind::ActivityScheduled(e) => {
                write!(f, "{name} {} {:?}", e.activity, e.input)?;
                e.undoes.map_or(Ok(()), |step| write!(f, " undoes {step}"))
            }
            EventKind::ActivityCompleted(e) => write!(f, "{name} {}", e.scheduled),
            EventKind::ActivityFailed(e) => {
                write!(f, "{name} {} {:?}", e.scheduled, e.attempts.effect)
            }
            EventKind::ActivityTimedOut(e) => {
                write!(f, "{name} {} {:?}", e.scheduled, e.attempts.effect)
            }
            EventKind::ActivityCancelled(e) => {
                write!(f, "{name} {} {:?}", e.scheduled, e.attempts.effect)
            }
            EventKind::ActivityCancelRequested(e) => write!(f, "{name} {}", e.scheduled),
            EventKind::TimerFired(e) => write!(f, "{name} {}", e.started),
            EventKind::TimerCancelled(e) => write!(f, "{name} {}", e.started),
            EventKind::StepStarted(e) => write!(f, "{name} {}", e.name),
            EventKind::StepCompleted(e) => write!(f, "{name} {}", e.started),
            EventKind::StepFailed(e) => write!(f, "{name} {}", e.started),
            EventKind::CancelRequested(e) => write!(f, "{name} {:?}", e.cause),
            EventKind::CompensationStarted(e) => write!(f, "{name} saga {}", e.saga),
            EventKind::CompensationFinished(e) => {
                write!(f, "{name} saga {} undone {} failed {}", e.saga, e.undone, e.failed.len())
            }
            EventKind::WorkflowCompleted(e) => write!(f, "{name} {:?}", e.compensation),
            EventKind::WorkflowFailed(e) => write!(f, "{name} {} {:?}", e.error, e.compensation),
            EventKind::WorkflowCancelled(e) => write!(f, "{name} {:?}", e.compensation),
            EventKind::WorkflowTimedOut(e) => write!(f, "{name} {:?}", e.compensation),
            _ => f.write_str(name),
        }
    }
}

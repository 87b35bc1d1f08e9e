//! What the code of a program sees on its way.

use std::sync::Arc;

use steadfast_core::{EventId, Timestamp, WorkflowError};

/// Is told each thing that the code of a program sees, in the order in which it sees them.
pub type Observer = Arc<dyn Fn(Seen) + Send + Sync>;

/// One thing that the code saw or did. At replay it sees the same again, in the same order.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Seen {
    /// A random number of the run.
    Random(u64),
    /// A random UUID of the run.
    Uuid(u128),
    /// The time, and the length of the history.
    Now(Timestamp, u64),
    /// The value of a side effect, as the code got it.
    SideEffect(u64),
    /// The closure of a side effect ran. Of all things this one is not seen again at replay.
    SideEffectComputed,
    /// A call, a timer or a step began.
    Begun {
        /// The event that says so.
        begun: EventId,
        /// The name of the activity or of the step; none for a timer.
        name: Option<String>,
        /// The activity that undoes it.
        undo: Option<String>,
    },
    /// A call, a timer or a step was dropped before the code had its outcome.
    Dropped {
        /// The event that began it.
        begun: EventId,
    },
    /// A call, a timer or a step ended, and the code has its outcome.
    Ended {
        /// The event that began it; `None` if it was refused.
        begun: Option<EventId>,
        /// The outcome, in words.
        outcome: String,
    },
    /// A saga began.
    SagaBegan {
        /// Its number in the run.
        saga: u32,
        /// The saga that it is nested in.
        inside: Option<u32>,
    },
    /// A saga gave its value to the code.
    SagaEnded {
        /// Its number in the run.
        saga: u32,
        /// Whether it succeeded.
        is_ok: bool,
    },
    /// Code of the workflow's own was registered to run when a saga unwinds.
    UndoRegistered {
        /// The number of the saga.
        saga: u32,
        /// The number of the registration in the run, from 1.
        number: u32,
        /// The newest event at that moment.
        after: EventId,
    },
    /// Code of the workflow's own began to run because its saga unwinds.
    UndoBegan {
        /// The number of its registration.
        number: u32,
        /// The newest event at that moment.
        after: EventId,
    },
    /// That code came to its end.
    UndoEnded {
        /// The number of its registration.
        number: u32,
        /// Whether it succeeded.
        is_ok: bool,
    },
    /// The function gave its value.
    Returned {
        /// Its error, if it is one.
        error: Option<WorkflowError>,
    },
}

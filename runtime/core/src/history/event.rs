//! The event itself and the list of its kinds.

use serde_json::value::RawValue;

use super::close::{
    ClosedBy, WorkflowCancelled, WorkflowCompleted, WorkflowFailed, WorkflowTerminated, WorkflowTimedOut,
};
use super::command::{
    ActivityCancelRequested, ActivityScheduled, CompensationFinished, CompensationStarted,
    SideEffectRecorded, StepStarted, TimerCancelled, TimerStarted,
};
use super::input::{
    ActivityCancelled, ActivityCompleted, ActivityFailed, ActivityTimedOut, CancelRequested, OperatorDecided,
    StepCompleted, StepFailed, TimerFired, WorkflowStarted,
};
use crate::id::EventId;
use crate::time::Timestamp;

/// One entry of a history.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Its place: 1 for the first.
    pub id: EventId,
    /// When it was recorded, by engine time; never earlier than the event before it.
    pub at: Timestamp,
    /// What happened.
    pub kind: EventKind,
}

/// What an event is to the deterministic core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Something that happened to the run.
    Input,
    /// Something that its code decided.
    Command,
    /// The end of the run.
    Close,
}

macro_rules! event_kinds {
    ($($role:ident { $($name:ident,)* })*) => {
        /// What happened, with its facts.
        ///
        /// The stored form is not this enum: each kind has a number of its own (see the record format).
        #[derive(Debug, Clone, PartialEq)]
        #[expect(missing_docs, reason = "each variant wraps the type of the same name, which is documented")]
        pub enum EventKind {
            $($($name($name),)*)*
        }

        impl EventKind {
            /// The name of the kind, as people write it.
            #[must_use]
            pub fn name(&self) -> &'static str {
                match self { $($(Self::$name(_) => stringify!($name),)*)* }
            }

            /// Input, command or close.
            #[must_use]
            pub fn role(&self) -> Role {
                match self { $($(Self::$name(_) => Role::$role,)*)* }
            }

            pub(super) fn attributes(&self) -> Result<Box<RawValue>, serde_json::Error> {
                match self { $($(Self::$name(body) => serde_json::value::to_raw_value(body),)*)* }
            }

            pub(super) fn from_attributes(name: &str, body: &RawValue) -> Result<Self, serde_json::Error> {
                match name {
                    $($(stringify!($name) => serde_json::from_str(body.get()).map(Self::$name),)*)*
                    other => Err(serde::de::Error::custom(format!("unknown event type `{other}`"))),
                }
            }
        }

        $($(impl From<$name> for EventKind {
            fn from(event: $name) -> Self {
                Self::$name(event)
            }
        })*)*
    };
}

impl EventKind {
    /// For a closing event: whose decision it was.
    #[must_use]
    pub fn closed_by(&self) -> Option<ClosedBy> {
        if self.role() != Role::Close {
            return None;
        }
        Some(if let Self::WorkflowFailed(WorkflowFailed { by, .. }) = self {
            *by
        } else if let Self::WorkflowTimedOut(WorkflowTimedOut { by, .. }) = self {
            *by
        } else if let Self::WorkflowTerminated(_) = self {
            ClosedBy::Engine
        } else {
            ClosedBy::Code
        })
    }
}

event_kinds! {
    Input {
        WorkflowStarted,
        ActivityCompleted,
        ActivityFailed,
        ActivityTimedOut,
        ActivityCancelled,
        TimerFired,
        CancelRequested,
        StepCompleted,
        StepFailed,
        OperatorDecided,
    }
    Command {
        ActivityScheduled,
        ActivityCancelRequested,
        TimerStarted,
        TimerCancelled,
        StepStarted,
        SideEffectRecorded,
        CompensationStarted,
        CompensationFinished,
    }
    Close {
        WorkflowCompleted,
        WorkflowFailed,
        WorkflowCancelled,
        WorkflowTimedOut,
        WorkflowTerminated,
    }
}

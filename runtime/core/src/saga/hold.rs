//! What waits for an operator, and the operator's decision.

use std::fmt;
use std::task::{Context, Waker};

use serde::{Deserialize, Serialize};

use crate::exec::RunCell;
use crate::history::{OperatorDecided, OperatorDecision};
use crate::id::EventId;

/// Something in a saga that goes on only after an operator has decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hold {
    /// What a decision names: the step, by its `ActivityScheduled`; for an unwinding that waits as a whole, its
    /// `CompensationStarted`.
    pub target: EventId,
    /// The number of the saga in its run.
    pub saga: u32,
    /// What waits, and why.
    pub kind: HoldKind,
}

/// What waits for an operator, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum HoldKind {
    /// An undo that did not succeed.
    FailedUndo {
        /// Its name.
        undo: String,
        /// How many attempts it had.
        attempts: u32,
        /// The last error, in words.
        error: String,
    },
    /// An undo that runs only after somebody approved.
    Approval {
        /// Its name.
        undo: String,
    },
    /// The whole unwinding: a step's failure asked for it.
    Intervention {
        /// The step.
        step: EventId,
    },
}

impl HoldKind {
    /// The decisions that may be made.
    #[must_use]
    pub fn decisions(&self) -> &'static [&'static str] {
        match self {
            Self::FailedUndo { .. } => &["retry", "skip", "answer"],
            Self::Approval { .. } => &["approve", "skip", "answer"],
            Self::Intervention { .. } => &["approve"],
        }
    }
}

impl fmt::Display for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let target = self.target;
        match &self.kind {
            HoldKind::FailedUndo { undo, attempts, error } => {
                write!(f, "the undo `{undo}` of step {target} failed after {attempts} attempts ({error})")?;
            }
            HoldKind::Approval { undo } => write!(f, "the undo `{undo}` of step {target} is an operator's")?,
            HoldKind::Intervention { step } => {
                write!(f, "the unwinding that began with event {target} waits because of step {step}")?;
            }
        }
        write!(f, "; an operator decides: {}", self.kind.decisions().join(", "))
    }
}

/// A hold of a run in memory.
#[derive(Debug)]
pub(crate) struct OpenHold {
    pub(crate) hold: Hold,
    decision: Option<OperatorDecision>,
    /// The unwinding.
    waker: Option<Waker>,
}

impl OpenHold {
    /// A decision that was made may wait itself, for an undo that runs.
    pub(crate) fn is_undecided(&self) -> bool {
        self.decision.is_none()
    }
}

impl RunCell {
    pub(super) fn hold(&self, hold: Hold) {
        let open = OpenHold { decision: None, waker: None, hold };
        self.sagas.holds.borrow_mut().insert(open.hold.target, open);
    }

    /// An operator has decided. The error is why that cannot be.
    pub(crate) fn decide(&self, decided: &OperatorDecided) -> Result<(), String> {
        let target = decided.target;
        let mut holds = self.sagas.holds.borrow_mut();
        let open = holds.get_mut(&target).filter(|open| open.is_undecided());
        let Some(open) = open else { return Err(format!("nothing waits for a decision on event {target}")) };
        let name = decided.decision.name();
        if !open.hold.kind.decisions().contains(&name) {
            return Err(format!("`{name}` does not fit: {}", open.hold));
        }
        open.decision = Some(decided.decision.clone());
        if let Some(waker) = open.waker.take() {
            waker.wake();
        }
        Ok(())
    }

    /// The next thing of a saga that was decided; else the unwinding is woken when something is.
    pub(super) fn next_decision(
        &self,
        saga: u32,
        cx: &mut Context<'_>,
    ) -> Option<(EventId, OperatorDecision)> {
        let mut holds = self.sagas.holds.borrow_mut();
        let of_saga = holds.iter_mut().filter(|(_, open)| open.hold.saga == saga);
        for (target, open) in of_saga {
            if let Some(decision) = open.decision.take() {
                let target = *target;
                holds.remove(&target);
                return Some((target, decision));
            }
            open.waker = Some(cx.waker().clone());
        }
        None
    }

    pub(super) fn is_held(&self, saga: u32) -> bool {
        self.sagas.holds.borrow().values().any(|open| open.hold.saga == saga)
    }

    /// The saga has more to undo than before.
    pub(super) fn wake_held(&self, saga: u32) {
        for open in self.sagas.holds.borrow_mut().values_mut().filter(|open| open.hold.saga == saga) {
            if let Some(waker) = open.waker.take() {
                waker.wake();
            }
        }
    }
}

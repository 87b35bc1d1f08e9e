//! What the service is told to do with a call.

use steadfast::prelude::*;

use crate::kit::door::Door;

/// What the service does with a call.
#[derive(Debug, Clone)]
pub enum Reply {
    /// It acts and says so.
    Ok,
    /// It acts, and the answer is lost: the caller sees [`ServiceError::Network`].
    LoseReply,
    /// The call is lost on its way: nothing happens, and the caller cannot tell it from a lost answer.
    LoseRequest,
    /// It refuses for good: [`ServiceError::Declined`].
    Decline,
    /// It refuses for now: [`ServiceError::Busy`].
    Refuse,
    /// It acts, and says that this has to be taken back: [`ServiceError::Unbooked`].
    Unbooked,
    /// It acts, and the caller panics.
    Panic,
    /// It acts, waits, then says so.
    StallAfter(Door),
    /// It waits before anything else.
    After(Door, Box<Reply>),
    /// The call stays on its way until the door opens, and arrives then even if nobody waits for it any more.
    Late(Door),
}

impl Reply {
    /// It waits, then does this.
    #[must_use]
    pub fn after(self, door: &Door) -> Self {
        Self::After(door.clone(), Box::new(self))
    }
}

/// Why a call did not succeed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize, Failure)]
pub enum ServiceError {
    /// Final, and nothing happened.
    #[error("card declined")]
    #[failure(non_retryable)]
    Declined,
    /// Nothing happened; later it may.
    #[error("busy")]
    #[failure(no_effect)]
    Busy,
    /// Something happened that cannot stay.
    #[error("charged, and not booked")]
    #[failure(compensate, severity = "alert")]
    Unbooked,
    /// Nobody knows what happened.
    #[error("the connection broke")]
    Network,
}

//! What clients ask: starting, awaiting, ending, describing and listing runs.

mod breaker;
mod calls;
mod description;
mod outcome;
mod request;
pub(crate) mod single;

pub use breaker::{BreakerDescription, BreakerPosition, BreakerRequest};
pub use calls::{Client, DeadLetterPosition};
pub use description::{ActivityState, DeadLetter, OpenActivity, OpenTimer, RunDescription};
pub use outcome::RunOutcome;
pub(crate) use outcome::closed_status;
pub use request::{
    ActivityRequest, CancelRequest, DecideRequest, IdConflictPolicy, IdReusePolicy, RunSelector,
    StartRequest, Started, TerminateRequest,
};

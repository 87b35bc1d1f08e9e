//! Activities as a worker takes them: bodies without their types, by name.

use std::fmt;
use std::sync::Arc;

use steadfast_core::{AttemptError, Payload, PayloadError};
use steadfast_engine::ActivityBody;

use crate::activity::Activity;
use crate::activity_context::ActivityContext;
use crate::data::Data;
use crate::failure::record;
use crate::private::NoState;

/// Activities to register with a worker, at best by [`activities!`](crate::activities).
#[derive(Default)]
pub struct Activities {
    pub(crate) bodies: Vec<(&'static str, ActivityBody)>,
}

impl Activities {
    /// No activities.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// These and one more, which is a function.
    #[must_use]
    pub fn with<A: Activity<State: NoState>>(mut self) -> Self {
        self.add::<A>(Arc::new(A::State::none()));
        self
    }

    /// Adds an activity, with the value that its attempts share.
    pub fn add<A: Activity>(&mut self, state: Arc<A::State>) {
        self.bodies.push((A::NAME, erased::<A>(state)));
    }

    /// The names of the activities, in the order in which they were added.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.bodies.iter().map(|(name, _)| *name)
    }
}

impl fmt::Debug for Activities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

/// The body without its types. Everything happens inside the future, so that a panic anywhere ends the attempt.
fn erased<A: Activity>(state: Arc<A::State>) -> ActivityBody {
    Arc::new(move |attempt, input: Payload| {
        let state = Arc::clone(&state);
        Box::pin(async move {
            let input = A::Input::from_payload(&input)
                .map_err(|PayloadError(message)| AttemptError::InputMismatch { message })?;
            match A::call(state, ActivityContext::new(attempt), input).await {
                Ok(output) => output
                    .to_payload()
                    .map_err(|PayloadError(message)| AttemptError::OutputUnwritable { message }),
                Err(error) => Err(AttemptError::Application(record(&error))),
            }
        })
    })
}

/// What a worker can register: [`Activities`], or a value whose impl block is marked `#[activity]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no set of activities",
    label = "pass `activities![a, b]`, or a value whose impl block is marked `#[activity]`"
)]
pub trait ActivitySet {
    /// Adds all of them to `set`.
    fn register(self, set: &mut Activities);
}

impl ActivitySet for Activities {
    fn register(self, set: &mut Activities) {
        set.bodies.extend(self.bodies);
    }
}

/// Names activities that are functions, for a worker.
///
/// ```
/// use steadfast::prelude::*;
///
/// #[activity]
/// async fn ping() -> Result<(), AnyFailure> { Ok(()) }
/// #[activity]
/// async fn pong() -> Result<(), AnyFailure> { Ok(()) }
///
/// assert_eq!(activities![ping, pong].names().collect::<Vec<_>>(), ["ping", "pong"]);
/// ```
#[macro_export]
macro_rules! activities {
    ($($activity:ty),* $(,)?) => {
        $crate::Activities::new()$(.with::<$activity>())*
    };
}

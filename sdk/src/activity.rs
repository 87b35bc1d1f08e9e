//! What an activity is to the library: the trait that `#[activity]` implements, and stubs as values.

use std::future::Future;
use std::sync::Arc;

use steadfast_core::ActivityOptions;
use steadfast_core::exec::UndoSpec;

use crate::activity_context::ActivityContext;
use crate::call::ActivityCall;
use crate::data::Data;
use crate::failure::Failure;
use crate::scope::Scope;

/// A unit of work with effects outside, which is tried again when it fails.
///
/// [`#[activity]`](macro@crate::activity) implements it; nobody implements it by hand.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an activity",
    label = "expected the name of a function marked `#[activity]`"
)]
pub trait Activity: Sized + 'static {
    /// The name under which it is registered and recorded.
    const NAME: &'static str;
    /// The value that all attempts share; `()` for a function.
    type State: Send + Sync + 'static;
    /// The input; a tuple if there are several.
    type Input: Data;
    /// The result.
    type Output: Data;
    /// The error.
    type Error: Failure;

    /// What its declaration says.
    fn options() -> ActivityOptions;

    /// What undoes it.
    #[doc(hidden)]
    fn undo() -> Option<UndoSpec>;

    /// The idempotency key for this input, if the declaration makes one.
    fn key(input: &Self::Input) -> Option<String>;

    /// The key of the circuit breaker for this input, if the declaration makes one.
    #[doc(hidden)]
    fn breaker_key(input: &Self::Input) -> Option<String> {
        let _ = input;
        None
    }

    /// Runs the body.
    fn call(
        state: Arc<Self::State>,
        ctx: ActivityContext,
        input: Self::Input,
    ) -> impl Future<Output = Result<Self::Output, Self::Error>> + Send;
}

/// A stub as a value: `worker.activity(book_hotel)`, `.compensate(cancel_hotel)`.
///
/// Every function that `#[activity]` makes has it. `M` only tells the numbers of inputs apart.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an activity",
    label = "expected a function marked `#[activity]`"
)]
pub trait StubFn<M> {
    /// The activity behind the stub.
    type Activity: Activity;
}

macro_rules! stub_functions {
    ($(($($input:ident)*))*) => {$(
        impl<F, A: Activity, $($input),*> StubFn<(A, $($input,)*)> for F
        where
            F: Fn(&dyn Scope, $($input),*) -> ActivityCall<A>,
        {
            type Activity = A;
        }
    )*};
}

stub_functions! {
    ()
    (I1)
    (I1 I2)
    (I1 I2 I3)
    (I1 I2 I3 I4)
    (I1 I2 I3 I4 I5)
    (I1 I2 I3 I4 I5 I6)
    (I1 I2 I3 I4 I5 I6 I7)
    (I1 I2 I3 I4 I5 I6 I7 I8)
}

//! What workflow code holds: the handle to its run. One file for each thing that it can do.

mod cancel;
mod info;
mod random;
mod saga;
mod side_effect;
mod spawn;
mod step;
mod time;

use std::rc::Rc;

use steadfast_core::exec::RunContext;

pub use self::cancel::{CancelScope, CancelledFuture};
pub use self::step::StepCall;
pub use self::time::Sleep;

/// The handle to a run, given to the workflow function. Cheap to clone; it stays on its thread.
///
/// Everything that a workflow asks of the world goes through it, so that the answer is recorded and the same at
/// every replay: the time, random numbers, waiting, tasks. Activities are called with it:
/// `book_hotel(&ctx, "Ritz".into())`.
///
/// # Determinism
///
/// A workflow is run again from its history after a crash. It must do the same each time, so it reads no clock, no
/// random source, no file and no socket of its own; it may use any memory, channel or loop.
///
/// ```
/// use steadfast::prelude::*;
///
/// #[activity]
/// async fn remind(who: String) -> Result<(), AnyFailure> {
///     println!("dear {who}, …");
///     Ok(())
/// }
///
/// #[workflow]
/// async fn reminders(ctx: WorkflowContext, who: String) -> Result<u32, WorkflowError> {
///     for _ in 0..3 {
///         ctx.sleep(days(1)).await?;
///         remind(&ctx, who.clone()).await?;
///     }
///     Ok(3)
/// }
/// ```
#[derive(Debug, Clone)]
pub struct WorkflowContext {
    pub(crate) run: Rc<RunContext>,
}

impl WorkflowContext {
    pub(crate) fn new(run: RunContext) -> Self {
        Self { run: Rc::new(run) }
    }
}

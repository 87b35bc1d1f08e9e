//! The package under another name.

#![deny(warnings)]

mod vendored {
    pub mod engine {
        pub use steadfast::*;
    }
}

use vendored::engine::prelude::*;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("no room")]
#[failure(no_effect, crate = crate::vendored::engine)]
pub struct NoRoom;

#[activity(crate = crate::vendored::engine, compensate = cancel, queue = "slow", retry(maximum_attempts = 3))]
pub async fn book(ctx: ActivityContext, name: String) -> Result<u64, NoRoom> {
    let _ = ctx;
    Ok(name.len() as u64)
}

#[activity(crate = crate::vendored::engine)]
pub async fn cancel(step: UndoOf<book>) -> Result<(), NoRoom> {
    let _ = step;
    Ok(())
}

pub struct Payments;

#[activity(crate = self::vendored::engine)]
impl Payments {
    #[activity(queue = "slow")]
    pub async fn charge(&self, cents: u64) -> Result<u64, NoRoom> {
        Ok(cents)
    }
}

#[workflow(crate = vendored::engine)]
pub async fn tour(ctx: WorkflowContext, name: String) -> Result<u64, WorkflowError> {
    Ok(book(&ctx, name).await? + payments::charge(&ctx, 5).await?)
}

fn main() {
    assert_eq!(<tour as vendored::engine::Workflow>::VERSION, 1);
}

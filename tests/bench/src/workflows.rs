//! What the workloads run. Activities do nothing: what is measured is the engine.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use steadfast::prelude::*;

/// The queue of all workloads.
pub(crate) const QUEUE: &str = "bench";
/// Activities of a workflow of W1.
pub(crate) const LINE_ACTIVITIES: u64 = 100;
/// Activities of a workflow of W2.
pub(crate) const CROWD_ACTIVITIES: u64 = 5;

/// Notes when each activity of a workload with one workflow at a time began.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stamps(Arc<Mutex<Vec<Instant>>>);

impl Stamps {
    fn note(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
    }

    /// Takes what was noted.
    pub(crate) fn take(&self) -> Vec<Instant> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[activity(module = timed)]
impl Stamps {
    #[activity]
    async fn step(&self, number: u64) -> Result<u64, AnyFailure> {
        self.note();
        Ok(number)
    }
}

#[activity]
pub(crate) async fn nothing(number: u64) -> Result<u64, AnyFailure> {
    Ok(number)
}

/// So many activities one after the other; the sum of their results.
#[workflow]
pub(crate) async fn line(ctx: WorkflowContext, activities: u64) -> Result<u64, WorkflowError> {
    let mut sum = 0;
    for number in 0..activities {
        sum += timed::step(&ctx, number).await?;
    }
    Ok(sum)
}

#[workflow]
pub(crate) async fn short(ctx: WorkflowContext) -> Result<u64, WorkflowError> {
    let mut sum = 0;
    for number in 0..CROWD_ACTIVITIES {
        sum += nothing(&ctx, number).await?;
    }
    Ok(sum)
}

/// Sleeps for so many seconds.
#[workflow]
pub(crate) async fn sleeper(ctx: WorkflowContext, seconds: u64) -> Result<u64, WorkflowError> {
    ctx.sleep(Duration::from_secs(seconds)).await?;
    Ok(seconds)
}

/// What the activities `0..count` add up to.
pub(crate) fn sum_of(count: u64) -> u64 {
    count * count.saturating_sub(1) / 2
}

//! Circuit breakers: looking at them, closing and opening them.

use steadfast_core::{ActivityName, BreakerState, Timestamp, WorkflowId, codec};
use steadfast_store::{BreakerRow, StoreError};

use super::calls::Client;
use crate::dispatch::{BreakerBody, BreakerOrder, Ordered};
use crate::error::{BreakerError, ListError, Unavailable};
use crate::message::Call;

/// A circuit breaker that has counted a failure or was ordered something at least once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BreakerDescription {
    /// The activity.
    pub activity: ActivityName,
    /// What sets it apart from other breakers of the activity; may be empty.
    pub key: String,
    /// Where it stands.
    pub state: BreakerState,
    /// When that changed last.
    pub since: Option<Timestamp>,
    /// How often it opened.
    pub opened: u64,
    /// What an operator did last.
    pub ordered: Option<Ordered>,
}

/// Where a list of circuit breakers goes on.
pub type BreakerPosition = (ActivityName, String);

/// Asks for a change of a circuit breaker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BreakerRequest {
    /// The activity.
    pub activity: ActivityName,
    /// What sets it apart from other breakers of the activity; may be empty.
    pub key: String,
    /// What is to be done.
    pub order: BreakerOrder,
    /// Who asks.
    pub who: String,
}

impl Client {
    /// Circuit breakers with where the list goes on, in an order that stays the same.
    ///
    /// # Errors
    ///
    /// [`ListError`] if the engine cannot answer.
    pub async fn breakers(
        &self,
        after: Option<BreakerPosition>,
        limit: usize,
    ) -> Result<(Vec<BreakerDescription>, Option<BreakerPosition>), ListError> {
        self.read(move |store| {
            let page = store.breakers(after.as_ref(), limit)?;
            let rows = page.rows.into_iter().map(describe).collect::<Result<_, _>>()?;
            Ok((rows, page.next))
        })
        .await
    }

    /// Closes or opens a circuit breaker, whether an attempt ever met it or not. Returns when that is durable.
    ///
    /// # Errors
    ///
    /// [`BreakerError`] if nobody is named, or the engine cannot do it.
    pub async fn order_breaker(&self, request: BreakerRequest) -> Result<(), BreakerError> {
        // Any shard could do it; one and the same keeps orders to one breaker in order.
        let shard = WorkflowId::new(request.activity.as_str())
            .map_err(|error| Unavailable::Invalid(error.to_string()))?;
        self.call(&shard, |reply| Call::Breaker(Box::new(request), reply)).await
    }
}

fn describe(row: BreakerRow) -> Result<BreakerDescription, StoreError> {
    let BreakerBody { breaker, ordered } = codec::decode(&row.body)
        .map_err(|error| StoreError::corrupt(format!("the circuit breaker of `{}`", row.activity), error))?;
    Ok(BreakerDescription {
        activity: row.activity,
        key: row.key,
        state: breaker.state(),
        since: breaker.since(),
        opened: breaker.opened(),
        ordered,
    })
}

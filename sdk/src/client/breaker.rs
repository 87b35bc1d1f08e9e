//! Circuit breakers, as operators see them.

use steadfast_core::ActivityName;
use steadfast_engine::{
    BreakerDescription, BreakerError, BreakerOrder, BreakerPosition, BreakerRequest, ListError, Unavailable,
};

use super::Client;

/// A circuit breaker, for an operator. Made by [`Client::breaker`].
///
/// An order is recorded with the name of who gave it, and shown in [`BreakerDescription::ordered`].
///
/// ```no_run
/// # async fn f(client: steadfast::Client) -> Result<(), Box<dyn std::error::Error>> {
/// let bank = client.breaker("charge_card").key("eu-west");
/// bank.force_open("ann").await?; // the bank has announced an outage
/// bank.reset("ann").await?; // it is back
/// # Ok(()) }
/// ```
#[must_use = "a breaker is changed by `reset` or `force_open`"]
#[derive(Debug, Clone)]
pub struct CircuitBreakerHandle {
    client: steadfast_engine::Client,
    activity: String,
    key: String,
}

impl CircuitBreakerHandle {
    /// The breaker for this key; without one the breaker of the calls that have none.
    pub fn key(self, key: impl Into<String>) -> Self {
        Self { key: key.into(), ..self }
    }

    /// Closes it: what waits is let through at once, and the failures so far are forgotten. Returns when that is
    /// durable.
    ///
    /// # Errors
    ///
    /// [`BreakerError`] if the name of the activity is not valid, nobody is named, or the engine cannot do it.
    pub async fn reset(&self, who: impl Into<String>) -> Result<(), BreakerError> {
        self.order(BreakerOrder::Reset, who.into()).await
    }

    /// Opens it until somebody resets it: attempts that run go on, none begins. Returns when that is durable.
    ///
    /// # Errors
    ///
    /// [`BreakerError`] if the name of the activity is not valid, nobody is named, or the engine cannot do it.
    pub async fn force_open(&self, who: impl Into<String>) -> Result<(), BreakerError> {
        self.order(BreakerOrder::ForceOpen, who.into()).await
    }

    async fn order(&self, order: BreakerOrder, who: String) -> Result<(), BreakerError> {
        let activity =
            ActivityName::new(&self.activity).map_err(|error| Unavailable::Invalid(error.to_string()))?;
        let key = self.key.clone();
        self.client.order_breaker(BreakerRequest { activity, key, order, who }).await
    }
}

impl Client {
    /// The circuit breaker of the activity with this name.
    pub fn breaker(&self, activity: impl Into<String>) -> CircuitBreakerHandle {
        CircuitBreakerHandle { client: self.inner.clone(), activity: activity.into(), key: String::new() }
    }

    /// Circuit breakers that have counted a failure or were ordered something, at most `limit`, with where the list
    /// goes on; in an order that stays the same.
    ///
    /// # Errors
    ///
    /// [`ListError`] if the engine cannot answer.
    pub async fn breakers(
        &self,
        after: Option<BreakerPosition>,
        limit: usize,
    ) -> Result<(Vec<BreakerDescription>, Option<BreakerPosition>), ListError> {
        self.inner.breakers(after, limit).await
    }
}

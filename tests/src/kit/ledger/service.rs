//! The service as activities and tests see it.

use std::future::pending;
use std::sync::Arc;

use steadfast::{ActivityContext, EngineClock as _, ManualClock};

use super::books::{Books, LedgerCall, LedgerEffect};
use super::reply::{Reply, ServiceError};
use crate::kit::board::Board;
use crate::kit::life::Life;

/// A fake outside service: it writes down every call, has an effect once a key, and answers as the test says.
///
/// Clones share the books. Activities get one that belongs to the life of their engine: once that is over, nothing of
/// them reaches the service any more.
#[derive(Debug, Clone)]
pub struct Ledger {
    books: Arc<Board<Books>>,
    clock: Arc<ManualClock>,
    life: Life,
}

impl Ledger {
    pub(in crate::kit) fn new(clock: Arc<ManualClock>, life: Life) -> Self {
        Self { books: Arc::new(Board::new(Books::default())), clock, life }
    }

    /// The same books for another engine.
    pub(in crate::kit) fn for_life(&self, life: Life) -> Self {
        Self { life, ..self.clone() }
    }

    /// Says what happens to the next calls of an operation; after that they succeed.
    pub fn script(&self, operation: &str, replies: impl IntoIterator<Item = Reply>) {
        self.books.change(|books| books.write_script(operation, replies));
    }

    /// Asks for an operation that adds `amount` to the balance, once for the key of the attempt. Gives the number of
    /// its effect.
    ///
    /// # Errors
    ///
    /// [`ServiceError`] as the script has it, or `Declined` if the key was undone before.
    pub async fn act(
        &self,
        ctx: &ActivityContext,
        operation: &str,
        amount: i64,
    ) -> Result<u64, ServiceError> {
        self.call(ctx, operation, None, amount).await
    }

    /// Undoes what happened under the key `undone`; succeeds if nothing did, and bars that key for later.
    ///
    /// # Errors
    ///
    /// [`ServiceError`] as the script has it.
    pub async fn undo(
        &self,
        ctx: &ActivityContext,
        operation: &str,
        undone: &str,
    ) -> Result<(), ServiceError> {
        self.call(ctx, operation, Some(undone), 0).await.map(drop)
    }

    async fn call(
        &self,
        ctx: &ActivityContext,
        operation: &str,
        undoes: Option<&str>,
        amount: i64,
    ) -> Result<u64, ServiceError> {
        let call = LedgerCall {
            operation: operation.to_owned(),
            key: ctx.idempotency_key().to_owned(),
            undoes: undoes.map(str::to_owned),
            run_id: ctx.info().run_id,
            attempt: ctx.attempt(),
            at: self.clock.now(),
            life: self.life.number(),
            is_answered: false,
        };
        let noted = self.books.change(|books| (!self.life.is_over()).then(|| books.note(&call)));
        let Some((index, reply)) = noted else { return pending().await };
        let answer = self.answer(&call, amount, reply).await;
        if self.life.is_over() {
            return pending().await;
        }
        self.books.change(|books| books.calls[index].is_answered = true);
        answer
    }

    async fn answer(&self, call: &LedgerCall, amount: i64, reply: Reply) -> Result<u64, ServiceError> {
        let mut reply = reply;
        while let Reply::After(door, then) = reply {
            door.pass().await;
            reply = *then;
        }
        let books = Arc::clone(&self.books);
        let call = call.clone();
        let act = move || books.change(|books| books.act(&call, amount)).ok_or(ServiceError::Declined);
        match reply {
            Reply::Ok | Reply::After(..) => act(),
            Reply::LoseReply => act().and(Err(ServiceError::Network)),
            Reply::Unbooked => act().and(Err(ServiceError::Unbooked)),
            Reply::LoseRequest => Err(ServiceError::Network),
            Reply::Decline => Err(ServiceError::Declined),
            Reply::Refuse => Err(ServiceError::Busy),
            Reply::Panic => panic!("the caller panics after effect {:?}", act()),
            Reply::StallAfter(door) => {
                let answer = act();
                door.pass().await;
                answer
            }
            Reply::Late(door) => {
                let delivery = tokio::spawn(async move {
                    door.pass().await;
                    act()
                });
                delivery.await.unwrap_or(Err(ServiceError::Network))
            }
        }
    }

    /// Waits until there were at least `count` calls of an operation, answered or not.
    ///
    /// # Errors
    ///
    /// If that does not happen.
    pub async fn until_called(&self, operation: &str, count: usize) -> anyhow::Result<()> {
        let of = |books: &Books| books.calls.iter().filter(|call| call.operation == operation).count();
        self.books.until(&format!("{count} calls of {operation}"), |books| of(books) >= count).await
    }

    /// Waits until an operation has had at least `count` effects.
    ///
    /// # Errors
    ///
    /// If that does not happen.
    pub async fn until_effect(&self, operation: &str, count: usize) -> anyhow::Result<()> {
        let of = |books: &Books| books.effects.iter().filter(|effect| effect.operation == operation).count();
        self.books.until(&format!("{count} effects of {operation}"), |books| of(books) >= count).await
    }

    /// All calls, in order.
    #[must_use]
    pub fn calls(&self) -> Vec<LedgerCall> {
        self.books.read(|books| books.calls.clone())
    }

    /// The calls of one operation, in order.
    #[must_use]
    pub fn calls_of(&self, operation: &str) -> Vec<LedgerCall> {
        self.calls().into_iter().filter(|call| call.operation == operation).collect()
    }

    /// All effects, in order.
    #[must_use]
    pub fn effects(&self) -> Vec<LedgerEffect> {
        self.books.read(|books| books.effects.clone())
    }

    /// What happened, in order: the operations of all effects.
    #[must_use]
    pub fn happened(&self) -> Vec<String> {
        self.effects().into_iter().map(|effect| effect.operation).collect()
    }

    /// The sum over all effects.
    #[must_use]
    pub fn balance(&self) -> i64 {
        self.effects().iter().map(|effect| effect.amount).sum()
    }
}

//! What a workflow may do, all in one.

use std::cell::RefCell;
use std::rc::Rc;

use steadfast::prelude::*;

#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize, Failure)]
pub enum BankError {
    #[error("card declined")]
    #[failure(non_retryable)]
    Declined,
    #[error("the bank asks to wait")]
    #[failure(retry_after = wait, no_effect)]
    Busy { wait: Duration },
    #[error("slow: {0:?}")]
    #[failure(retry_after = 0)]
    Slow(Option<Duration>),
    #[error("network: {0}")]
    Network(String),
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Request {
    pub hotel: String,
    pub user: String,
    pub price: u64,
    pub legs: Vec<String>,
}

/// Books a hotel.
#[activity(
    start_to_close = "15s",
    compensate = cancel_hotel,
    retry(initial_interval = "1.5s", maximum_attempts = 5, jitter = 0.1)
)]
pub async fn book_hotel(ctx: ActivityContext, hotel: String) -> Result<u64, BankError> {
    let _ = ctx.idempotency_key();
    Ok(hotel.len() as u64)
}

#[activity]
pub async fn cancel_hotel(step: Undo<String, u64>) -> Result<(), BankError> {
    let _ = (step.input, step.output, step.idempotency_key, step.effect);
    Ok(())
}

#[activity(compensate = refund, idempotency_key = "order-{user}-{request.price}", schedule_to_close = "2h")]
pub async fn charge(ctx: &ActivityContext, user: String, request: Request) -> Result<u64, BankError> {
    let _ = (ctx.attempt(), user);
    if request.price > 1_000 { Err(BankError::Declined) } else { Ok(request.price) }
}

#[activity]
pub async fn refund(step: UndoOf<charge>) -> Result<(), BankError> {
    let (_user, _request) = step.input;
    Ok(())
}

#[activity]
pub async fn ping() -> Result<(), AnyFailure> {
    Ok(())
}

async fn book_leg(saga: &Saga, leg: &str) -> Result<u64, WorkflowError> {
    Ok(book_hotel(saga, leg.to_owned()).await?)
}

#[derive(Debug, thiserror::Error)]
pub enum OwnError {
    #[error("workflow: {0}")]
    Workflow(#[from] WorkflowError),
    #[error("too low")]
    Low,
}

impl From<OwnError> for WorkflowError {
    fn from(error: OwnError) -> Self {
        Self::fail(error)
    }
}

async fn helper(scope: &dyn Scope) -> Result<(), OwnError> {
    ping(scope).await.map_err(WorkflowError::from)?;
    Err(OwnError::Low)
}

#[workflow(name = "grand-tour", version = 2)]
pub async fn grand_tour(ctx: WorkflowContext, request: Request) -> Result<Vec<u64>, WorkflowError> {
    let shared = Rc::new(RefCell::new(0));
    let mut ids = ctx
        .saga(async |saga| {
            let (hotel, ()) = try_join!(book_hotel(saga, request.hotel.clone()), ctx.sleep(secs(1)))?;
            let (pong, leg) = join!(ping(saga), book_leg(saga, "leg"));
            pong?;
            let mut ids = vec![hotel, leg?];
            for leg in &request.legs {
                ids.push(book_leg(saga, leg).await?);
            }
            ids.push(saga.saga(async |inner| book_leg(inner, "inner").await).await?);
            saga.on_undo(async |ctx| Ok(ping(&ctx).await?));
            let calls: Vec<_> = request.legs.iter().map(|leg| book_hotel(saga, leg.clone())).collect();
            for booking in join_all(calls).await {
                ids.push(booking?);
            }
            ids.extend(try_join_all(request.legs.iter().map(async |leg| book_leg(saga, leg).await)).await?);
            *shared.borrow_mut() += 1;
            match charge(saga, request.user.clone(), request.clone()).await {
                Ok(payment) => ids.push(payment),
                Err(ActivityError::Application(BankError::Declined)) if request.user == "vip" => {}
                Err(ActivityError::Exhausted { attempts, .. }) => ids.push(u64::from(attempts)),
                Err(error) => return Err(error.into()),
            }
            Ok(ids)
        })
        .await?;
    ids.push(ctx.step("rate", async move || Ok("42".parse::<u64>()?)).await?);
    let user = request.user.clone();
    ids.push(ctx.step("length", async move || Ok(user.len() as u64)).retry(RetryPolicy::once()).await?);
    ids.push(ctx.side_effect(|| 7_u64));
    Ok(ids)
}

/// A loser of `select!` unwinds, a call is polled by reference, an arm is switched off.
#[workflow(allow(clock))]
pub async fn racing(ctx: WorkflowContext, hotel: String) -> Result<u64, WorkflowError> {
    let _began = std::time::Instant::now();
    let mut deadline = ctx.sleep(hours(1));
    let mut call = book_hotel(&ctx, hotel.clone()).queue("slow").schedule_to_close(hours(1));
    let mut reminders = 0;
    let first = "not shadowed by the expansion";
    loop {
        select! {
            booked = &mut call => break Ok(booked?),
            done = ctx.saga(async |saga| book_leg(saga, &hotel).await) => break done,
            _ = ctx.sleep(days(1)), if reminders < 3 => { reminders += 1; }
            over = &mut deadline => { over?; break Ok(first.len() as u64) }
        }
    }
}

#[workflow]
pub async fn spawning(ctx: WorkflowContext) -> Result<u64, WorkflowError> {
    let task = ctx.spawn({
        let ctx = ctx.clone();
        async move { ctx.saga(async |saga| book_leg(saga, "x").await).await }
    });
    let in_saga = ctx.saga(async |saga| Ok(ctx.spawn(book_hotel(saga, "y".to_owned())).await?)).await?;
    let scope = ctx.scope();
    scope.cancel();
    if scope.is_cancelled() {
        helper(&ctx.disconnected()).await?;
    }
    let named = ctx.saga(body).await?;
    let typed = async |saga: &Saga| book_leg(saga, "z").await;
    Ok(task.await? + in_saga + named + ctx.saga(typed).await?)
}

async fn body(saga: &Saga) -> Result<u64, WorkflowError> {
    Ok(book_hotel(saga, "Ritz".to_owned()).await?)
}

pub async fn recursive(saga: &Saga, n: u32) -> Result<u64, WorkflowError> {
    if n == 0 {
        return Ok(0);
    }
    Ok(book_leg(saga, "x").await? + Box::pin(recursive(saga, n - 1)).await?)
}

fn main() {
    fn is_unpin<T: Unpin>(_: Option<T>) {}
    is_unpin(None::<steadfast::ActivityCall<book_hotel>>);
    is_unpin(None::<steadfast::SagaCall<'static, ()>>);
    is_unpin(None::<steadfast::StepCall<u64>>);
    is_unpin(None::<steadfast::Sleep>);
    is_unpin(None::<steadfast::WorkflowFuture<racing>>);
    is_unpin(None::<steadfast::JoinAll<steadfast::ActivityCall<book_hotel>>>);
    let charge = <charge as steadfast::Activity>::key(&(
        "ann".to_owned(),
        Request { hotel: String::new(), user: String::new(), price: 5, legs: Vec::new() },
    ));
    assert_eq!(charge.as_deref(), Some("order-ann-5"));
}

//! Fixed workflow functions all of whose steps are in one saga that ends as the run ends.

use std::sync::Arc;

use futures::future::{join_all, try_join_all};
use steadfast_core::SagaScope;
use steadfast_core::WorkflowError;
use steadfast_core::exec::{Definition, RunContext};

use super::code::{Ask, call, secs, sleep, undo, workflow};

pub(super) fn all() -> Vec<Arc<dyn Definition>> {
    vec![plain(), stubborn(), parallel(), nested()]
}

async fn book(ctx: &RunContext, saga: &SagaScope, sagas: &[u32], value: u64) -> Result<u64, WorkflowError> {
    let ask = Ask { sagas, undo: Some(undo("unbook", 6)), ..Ask::new("book", value) };
    call(ctx, ask, Some(saga)).await
}

/// Three steps, then one that fails half of the time.
fn plain() -> Arc<dyn Definition> {
    workflow("saga-plain", |ctx, input| async move {
        let saga = ctx.saga(None);
        let body = {
            let (ctx, saga) = (ctx.clone(), saga.clone());
            async move {
                let mut sum = input;
                for index in 0..3 {
                    sum += book(&ctx, &saga, &[1], index).await?;
                }
                sleep(&ctx, secs(1)).await?;
                Ok(sum + call(&ctx, Ask::new("sometimes", 0), None).await?)
            }
        };
        saga.run(body).await
    })
}

/// One undo never succeeds.
fn stubborn() -> Arc<dyn Definition> {
    workflow("saga-stubborn", |ctx, _| async move {
        let saga = ctx.saga(None);
        let body = {
            let (ctx, saga) = (ctx.clone(), saga.clone());
            async move {
                book(&ctx, &saga, &[1], 0).await?;
                let ask = Ask { sagas: &[1], undo: Some(undo("stubborn", 2)), ..Ask::new("book", 1) };
                call(&ctx, ask, Some(&saga)).await?;
                book(&ctx, &saga, &[1], 2).await?;
                Err::<u64, _>(WorkflowError::fail("it never works"))
            }
        };
        saga.run(body).await
    })
}

/// Steps side by side: the first that fails drops the others.
fn parallel() -> Arc<dyn Definition> {
    workflow("saga-parallel", |ctx, _| async move {
        let saga = ctx.saga(None);
        let body = {
            let (ctx, saga) = (ctx.clone(), saga.clone());
            async move {
                let calls = (0..4).map(|index| Box::pin(book(&ctx, &saga, &[1], index)));
                let mut sum: u64 = try_join_all(calls).await?.into_iter().sum();
                let calls = (4..6).map(|index| Box::pin(book(&ctx, &saga, &[1], index)));
                sum += join_all(calls).await.into_iter().filter_map(Result::ok).sum::<u64>();
                Ok(sum + call(&ctx, Ask::new("sometimes", 1), None).await?)
            }
        };
        saga.run(body).await
    })
}

/// A saga in a saga: it hands its steps on, or unwinds by itself first.
fn nested() -> Arc<dyn Definition> {
    workflow("saga-nested", |ctx, _| async move {
        let saga = ctx.saga(None);
        let body = {
            let (ctx, saga) = (ctx.clone(), saga.clone());
            async move {
                let mut sum = book(&ctx, &saga, &[1], 0).await?;
                for number in 2..4 {
                    let inner = ctx.saga(Some(&saga));
                    let body = {
                        let (ctx, inner) = (ctx.clone(), inner.clone());
                        async move {
                            let one = book(&ctx, &inner, &[1, number], 1).await?;
                            Ok(one + book(&ctx, &inner, &[1, number], 2).await?)
                        }
                    };
                    sum += inner.run(body).await?;
                }
                Ok(sum + call(&ctx, Ask::new("sometimes", 2), None).await?)
            }
        };
        saga.run(body).await
    })
}

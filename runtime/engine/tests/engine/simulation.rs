//! Two engines on one store, stepped from seeds.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::join_all;
use steadfast_core::exec::{CallStart, Definition, Outcome, StepCallSpec, UndoSpec};
use steadfast_core::{ActivityName, ActivityOptions, Disposition, RetryPolicy, WorkflowError};
use steadfast_engine::Sabotage;
use steadfast_engine::sim::{SimBody, Simulation};
use steadfast_store::faults::FaultRates;

use crate::kit::*;

fn options() -> ActivityOptions {
    ActivityOptions {
        start_to_close: Some(secs(20)),
        heartbeat: Some(secs(15)),
        ..retry(RetryPolicy::exponential(secs(1)).maximum_interval(secs(5)))
    }
}

fn definitions() -> Vec<Arc<dyn Definition>> {
    let sequence = workflow("sequence", |ctx, input| async move {
        let mut sum = 0_u32;
        for index in 0..4_u32 {
            sum += call_with(&ctx, "work", json(index), options()).await?.decode::<u32>().unwrap();
            if index == 1 {
                sleep(&ctx, secs(3)).await?;
            }
        }
        drop(input);
        Ok(json(sum))
    });
    let join = workflow("join", |ctx, _| async move {
        let calls = (0..20_u32).map(|index| {
            let ctx = ctx.clone();
            Box::pin(async move { call_with(&ctx, "work", json(index), options()).await })
        });
        let results = join_all(calls).await.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(json(results.len()))
    });
    let race = workflow("race", |ctx, _| async move {
        use futures::future::{Either, select};
        let work = Box::pin(call_with(&ctx, "work", json(1), options()));
        let timer = Box::pin(sleep(&ctx, secs(2)));
        let first = match select(work, timer).await {
            Either::Left((result, _)) => result.is_ok(),
            Either::Right((slept, _)) => slept.is_ok(),
        };
        call_with(&ctx, "work", json(2), options()).await?;
        Ok(json(first))
    });
    let step = workflow("step", |ctx, _| async move {
        let body = Arc::new(|| Box::pin(async { Ok(json(7)) }) as _);
        let spec = StepCallSpec {
            name: "small".into(),
            body,
            retry: RetryPolicy::fixed(secs(1)),
            call_site: std::panic::Location::caller(),
        };
        match ctx.start_step(spec) {
            CallStart::Open(outcome) => match outcome.await {
                Outcome::Completed(output) => Ok(output),
                other @ (Outcome::Fired | Outcome::Failed(_)) => {
                    Err(WorkflowError::fail(format!("{other:?}")))
                }
            },
            CallStart::Refused(_) => Err(WorkflowError::Cancelled),
            CallStart::Halted => std::future::pending().await,
        }
    });
    vec![sequence, join, race, step, saga()]
}

fn saga() -> Arc<dyn Definition> {
    workflow("saga", |ctx, _| async move {
        let saga = ctx.saga(None);
        let body = {
            let (ctx, saga) = (ctx.clone(), saga.clone());
            async move {
                for index in 0..3_u32 {
                    let mut call = spec("work", json(index), options());
                    call.undo =
                        Some(UndoSpec { activity: activity("undo"), options: options(), by_operator: false });
                    match ctx.start_activity(call, Some(&saga)) {
                        CallStart::Open(outcome) => match outcome.await {
                            Outcome::Completed(_) => {}
                            Outcome::Fired | Outcome::Failed(_) => return Err(WorkflowError::Cancelled),
                        },
                        CallStart::Refused(_) => return Err(WorkflowError::Cancelled),
                        CallStart::Halted => std::future::pending().await,
                    }
                }
                call_with(&ctx, "sometimes", json(()), options()).await
            }
        };
        saga.run(body).await
    })
}

fn activities() -> BTreeMap<ActivityName, SimBody> {
    let work: SimBody =
        Arc::new(|_, input, draw| if draw % 4 == 0 { Err(retryable()) } else { Ok(input.clone()) });
    let sometimes: SimBody =
        Arc::new(
            |_, input, draw| {
                if draw % 2 == 0 { Err(failure(Disposition::NonRetryable)) } else { Ok(input.clone()) }
            },
        );
    let undo: SimBody = Arc::new(|_, _, _| Ok(json(())));
    [("work", work), ("sometimes", sometimes), ("undo", undo)]
        .into_iter()
        .map(|(name, body)| (activity(name), body))
        .collect()
}

fn simulation(seed: u64) -> Simulation {
    let kinds = ["sequence", "join", "race", "step", "saga"];
    let starts = (0..12)
        .map(|index| Kit::request(kinds[index % kinds.len()], &format!("w-{index}"), json(index)))
        .collect();
    Simulation {
        seed,
        definitions: definitions(),
        activities: activities(),
        starts,
        chaos_actions: 2_500,
        calm_actions: 60_000,
        faults: FaultRates { fail_before: 2, fail_after: 2, ..FaultRates::default() },
        cancel_percent: 25,
        sabotage: None,
    }
}

#[test]
fn nothing_acknowledged_is_lost_and_every_run_ends() {
    let from = std::env::var("STEADFAST_SIM_FROM").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let count = std::env::var("STEADFAST_SIM_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(200);
    let mut total = steadfast_engine::sim::SimReport::default();
    for seed in from..from + count {
        let report = simulation(seed).run().unwrap_or_else(|failure| panic!("{failure}"));
        total.crashes += report.crashes;
        total.naps += report.naps;
        total.attempts += report.attempts;
        total.failed_commits += report.failed_commits;
        total.successions += report.successions;
        total.events += report.events;
    }
    println!("{total:?}");
    assert!(total.crashes > count && total.naps > count && total.failed_commits > count, "{total:?}");
    assert!(total.successions > count, "{total:?}");
}

#[test]
fn faults_built_in_on_purpose_are_found() {
    for sabotage in [Sabotage::AckEarly, Sabotage::EffectBeforeCommit] {
        let found =
            (0..50).find_map(|seed| Simulation { sabotage: Some(sabotage), ..simulation(seed) }.run().err());
        let failure = found.unwrap_or_else(|| panic!("{sabotage:?} was not found"));
        println!("{sabotage:?}: {failure}");
    }
}

#[test]
fn a_seed_repeats_its_run() {
    let first = simulation(7).run().unwrap();
    assert_eq!(simulation(7).run().unwrap(), first);
}

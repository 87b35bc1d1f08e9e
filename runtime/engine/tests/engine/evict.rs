//! A run that is evicted after every activation has the same history as one that never is.

use std::sync::Arc;

use steadfast_core::exec::Definition;
use steadfast_engine::{EngineConfig, ManualClock};

use crate::kit::*;

fn code() -> Arc<dyn Definition> {
    workflow("mixed", |ctx, input| async move {
        let mut value = input;
        for index in 0..5_u32 {
            value = call(&ctx, "echo", value).await?;
            let recorded = ctx.side_effect(std::panic::Location::caller(), || json(index));
            sleep(&ctx, secs(recorded.decode::<u64>().unwrap() + 1)).await?;
        }
        Ok(json((value.decode::<u32>().unwrap(), ctx.random_u64())))
    })
}

fn history(evict_always: bool) -> Vec<steadfast_core::history::Event> {
    let clock = Arc::new(ManualClock::new(at(1_000)));
    let kit = Kit::open(new_store(), EngineConfig { evict_always, ..config(&clock) }, clock);
    kit.worker().workflow(code()).activity(activity("echo"), echo()).start().unwrap();
    kit.start("mixed", "w", json(3));
    for _ in 0..5 {
        kit.eventually("it sleeps", |kit| kit.describe("w").timers.len() == 1);
        let due = kit.describe("w").timers[0].due;
        kit.clock.advance_to(due);
        kit.eventually("it woke", |kit| kit.describe("w").timers.iter().all(|timer| timer.due > due));
    }
    kit.result("w");
    kit.history("w")
}

#[test]
fn eviction_changes_no_history() {
    let (never, always) = (history(false), history(true));
    assert_eq!(never.len(), 27);
    assert_eq!(never, always);
}

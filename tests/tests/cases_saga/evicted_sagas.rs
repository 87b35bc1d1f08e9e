//! Case 20, the neighbours: sagas that leave memory in the middle, and runs that never stay in it.

use steadfast::EngineConfig;
use steadfast_tests::kit::{Bed, Reply, StoreKind, TestResult, story};

use crate::shop::{Shop, fork, tour};

async fn bed(kind: StoreKind, evict_always: bool) -> TestResult<Bed> {
    let mut bed = Bed::with(kind, move |config| EngineConfig { evict_always, ..config }).await?;
    bed.serve(|worker, ledger| worker.workflow(tour).workflow(fork).activities(Shop(ledger))).await?;
    Ok(bed)
}

/// The history of a tour, and what happened outside.
async fn end(bed: &Bed) -> TestResult<(Vec<String>, Vec<String>)> {
    bed.start(tour, "t", ()).await?;
    bed.run_on("t").await?;
    Ok((story(&bed.check_closed(tour, "t").await?), bed.ledger().happened()))
}

async fn case_20_a_run_that_is_evicted_after_every_activation_has_the_same_history(
    kind: StoreKind,
) -> TestResult {
    let scripts: [&[(&str, Reply)]; 4] = [
        &[],
        &[("s4", Reply::Decline)],
        &[("s2", Reply::LoseReply), ("s4", Reply::Decline), ("u3", Reply::LoseReply), ("u1", Reply::Panic)],
        &[("s3", Reply::Decline)],
    ];
    for script in scripts {
        let (kept, evicted) = (bed(kind, false).await?, bed(kind, true).await?);
        for (operation, reply) in script {
            kept.ledger().script(operation, [reply.clone()]);
            evicted.ledger().script(operation, [reply.clone()]);
        }
        assert_eq!(end(&kept).await?, end(&evicted).await?, "{script:?}");
    }
    Ok(())
}

async fn case_20_a_saga_that_is_evicted_in_the_middle_does_not_unwind(kind: StoreKind) -> TestResult {
    let bed = bed(kind, true).await?;
    let door = steadfast_tests::kit::Door::new();
    bed.ledger().script("s2", [Reply::StallAfter(door.clone())]);
    let run = bed.start(tour, "t", ()).await?;
    bed.ledger().until_effect("s2", 1).await?;
    // Each look loads the run, asks its code for the undos, and lets it go again.
    for _ in 0..10 {
        let seen = run.describe().await?;
        assert_eq!((seen.undos.len(), seen.has_undos, seen.last_event.0), (2, true, 4));
    }
    door.open();
    run.result().await?;
    let story = story(&bed.check_closed(tour, "t").await?);
    assert!(!story.iter().any(|line| line.starts_with("Compensation")), "{story:?}");
    assert_eq!(bed.ledger().happened(), ["s1", "s2", "s3", "s4"]);
    Ok(())
}

steadfast_tests::on_stores!(
    case_20_a_run_that_is_evicted_after_every_activation_has_the_same_history,
    case_20_a_saga_that_is_evicted_in_the_middle_does_not_unwind,
);

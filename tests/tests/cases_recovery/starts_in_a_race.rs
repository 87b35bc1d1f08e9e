//! Case 10, the neighbours: starts that meet a kill, a takeover, an end or a cancel; and ids that are none.

use std::collections::BTreeSet;

use anyhow::ensure;
use steadfast::prelude::*;
use steadfast::{IdConflictPolicy, ListFilter, RunId, RunStatus, StartError, Unavailable};
use steadfast_tests::kit::{Crew, Door, QUEUE, StoreKind, TestResult, story};

use crate::simultaneous_starts::{
    Ask, CALLERS, ID, Orders, Told, all_at_once, bed, buy, check_one_run, winner,
};
use crate::support::{LEASE, until_owner};

/// The engine dies as the first start becomes durable, or just before; all callers send their requests again.
async fn case_10_starts_that_were_cut_off_begin_one_run_when_sent_again(kind: StoreKind) -> TestResult {
    for is_durable in [false, true] {
        let door = Door::new();
        let mut bed = bed(kind, &door).await?;
        if is_durable {
            bed.gate().cut_after(|_| true);
        } else {
            bed.gate().cut_before(|_| true);
        }
        let cut = bed.gate().clone();
        let client = bed.client();
        let told = tokio::spawn(all_at_once(move |_| client.clone(), Ask::with(IdConflictPolicy::Fail)));
        cut.until_cut().await?;
        bed.kill();
        for told in told.await?? {
            ensure!(matches!(told, Err(StartError::Unavailable(_))), "{is_durable}: {told:?}");
        }
        bed.reopen().await?;
        let rows = bed.client().list(ListFilter::default(), None, 10).await?.rows;
        assert_eq!(rows.len(), usize::from(is_durable), "wholly there or not at all");
        let told = all_at_once(|_| bed.client(), Ask::with(IdConflictPolicy::Fail)).await?;
        let (input, run) = winner(&told)?;
        ensure!(rows.iter().all(|row| row.run_id == run), "the run that was durable is the one that counts");
        check_one_run(&bed, &door, input, run).await?;
    }
    Ok(())
}

/// Of two engines on one store one owns the run. The other says so, and nothing else, until it takes over.
async fn case_10_callers_of_two_engines_begin_one_run(kind: StoreKind) -> TestResult {
    let door = Door::new();
    let opened = door.clone();
    let mut crew = Crew::new(kind, LEASE, move |worker, ledger| {
        worker.workflow(buy).activities(Orders { ledger, door: opened.clone() })
    })?;
    crew.open("P1").await?;
    crew.open("P2").await?;
    let client = |input: u64| crew.client(if input.is_multiple_of(2) { "P1" } else { "P2" });
    let told = all_at_once(client, Ask::with(IdConflictPolicy::Fail)).await?;
    let (at_owner, elsewhere): (Vec<_>, Vec<_>) =
        told.into_iter().enumerate().partition(|(input, _)| input.is_multiple_of(2));
    for (_, told) in elsewhere {
        let is_not_owner = matches!(told, Err(StartError::Unavailable(Unavailable::NotOwner(_))));
        ensure!(is_not_owner, "{told:?}");
    }
    let at_owner: Vec<Told> = at_owner.into_iter().map(|(_, told)| told).collect();
    let (half, run) = winner(&at_owner)?;
    let input = half * 2;
    crew.ledger().until_called(&format!("fill {input}"), 1).await?;
    crew.kill("P1");
    crew.pass(LEASE * 2).await?;
    until_owner(&crew, "P2").await?;
    crew.until_answered("P2", ID).await?;
    let told = all_at_once(|_| crew.client("P2"), Ask::with(IdConflictPolicy::Fail)).await?;
    assert_eq!(winner(&told)?, (input, run));
    door.open();
    crew.run_on("P2", ID).await?;
    assert_eq!(crew.client("P2").handle_of(buy, ID).result().await?, input);
    let events = crew.check_closed("P2", buy, ID).await?;
    assert_eq!(story(&events).len(), 4);
    assert_eq!(crew.ledger().happened(), [format!("fill {input}")]);
    Ok(())
}

/// Runs without a history yet hold their id as any other.
async fn case_10_of_sixteen_delayed_starts_one_counts(kind: StoreKind) -> TestResult {
    let door = Door::new();
    let bed = bed(kind, &door).await?;
    let ask = Ask { delay: Some(hours(1)), ..Ask::with(IdConflictPolicy::Fail) };
    let (input, run) = winner(&all_at_once(|_| bed.client(), ask).await?)?;
    assert!(bed.history(ID).await?.is_empty());
    bed.advance(hours(1));
    check_one_run(&bed, &door, input, run).await
}

/// The old run's end is on its way to the store when the id is used again.
async fn case_10_a_start_that_meets_an_end_begins_a_run_after_it_or_none(kind: StoreKind) -> TestResult {
    for fails in [false, true] {
        let door = Door::new();
        let bed = bed(kind, &door).await?;
        let old = bed.start(buy, ID, 0).await?;
        bed.ledger().until_called("fill 0", 1).await?;
        bed.gate().hold();
        door.open();
        bed.gate().until_held("commit").await?;
        let client = bed.client();
        let call = || client.start(buy, 1).id(ID).queue(QUEUE).request_id("new").into_future();
        let (mut started, nobody) = (call(), client.handle("nobody"));
        tokio::select! {
            biased;
            told = &mut started => anyhow::bail!("told {told:?} before the end was durable"),
            other = nobody.describe() => ensure!(other.is_err()),
        }
        if fails {
            // The end, and the start that builds on it.
            bed.gate().fail_next_commit();
        }
        bed.gate().release();
        let mut told = started.await;
        if fails {
            let is_unknown = matches!(&told, Err(StartError::Unavailable(Unavailable::OutcomeUnknown(_))));
            ensure!(is_unknown, "{told:?}");
            bed.advance(secs(1));
            assert_eq!(old.result().await?, 0);
            told = call().await;
        }
        let new = told?;
        ensure!(new.run_id() != old.run_id());
        assert_eq!(new.result().await?, 1);
        assert_eq!(old.result().await?, 0);
        bed.check_closed(buy, ID).await?;
        assert_eq!(bed.ledger().happened(), ["fill 0", "fill 1"]);
        let rows = bed.client().list(ListFilter::default(), None, 10).await?.rows;
        assert_eq!(rows.len(), 2);
        ensure!(rows.iter().all(|row| row.status == RunStatus::Completed), "{rows:?}");
    }
    Ok(())
}

/// Starts and ends with nothing to hold them: whoever is refused is told of the run that was open.
async fn case_10_starts_and_ends_in_any_order_leave_whole_runs(kind: StoreKind) -> TestResult {
    let door = Door::new();
    door.open();
    let bed = bed(kind, &door).await?;
    let mut begun: BTreeSet<RunId> = BTreeSet::new();
    for round in 0..40 {
        let client = bed.client();
        let calls = (0..4).map(|caller| {
            let call = client.start(buy, round * 4 + caller).id(ID).queue(QUEUE);
            tokio::spawn(call.into_future())
        });
        for call in calls.collect::<Vec<_>>() {
            match call.await? {
                Ok(run) => {
                    let run = run.run_id().unwrap_or(RunId::from_bytes([0; 16]));
                    ensure!(begun.insert(run), "run {run} was begun twice");
                }
                Err(StartError::AlreadyStarted { .. }) => {}
                Err(other) => anyhow::bail!("{other:?}"),
            }
        }
    }
    drop(bed.client().handle(ID).outcome().await?);
    let rows = bed.client().list(ListFilter::default(), None, 1_000).await?.rows;
    assert_eq!(rows.iter().map(|row| row.run_id).collect::<BTreeSet<_>>(), begun);
    ensure!(rows.iter().all(|row| row.status == RunStatus::Completed), "{rows:?}");
    assert_eq!(bed.ledger().effects().len(), begun.len(), "each run that was begun ran once");
    bed.check_closed(buy, ID).await?;
    Ok(())
}

/// A cancel ends the run that was there, not the one that takes its id.
async fn case_10_a_start_that_meets_a_cancel_is_not_cancelled(kind: StoreKind) -> TestResult {
    let door = Door::new();
    let bed = bed(kind, &door).await?;
    let old = bed.start(buy, ID, 0).await?;
    bed.ledger().until_called("fill 0", 1).await?;
    bed.client().handle(ID).cancel().request_id("cancel").await?;
    // The body may take its time; until it has ended the run is open and holds its id.
    for (conflict, is_found) in [(IdConflictPolicy::Fail, false), (IdConflictPolicy::UseExisting, true)] {
        match bed.client().start(buy, 1).id(ID).queue(QUEUE).id_conflict(conflict).await {
            Ok(run) => ensure!(is_found && run.run_id() == old.run_id(), "{conflict:?}"),
            Err(StartError::AlreadyStarted { run_id, .. }) => {
                ensure!(!is_found && Some(run_id) == old.run_id(), "{conflict:?}");
            }
            Err(other) => anyhow::bail!("{other:?}"),
        }
    }
    bed.advance(secs(10));
    ensure!(old.result().await.is_err());
    let events = bed.check_closed(buy, ID).await?;
    let whole = [
        "WorkflowStarted",
        "ActivityScheduled(fill)",
        "CancelRequested",
        "ActivityCancelRequested(fill)",
        "ActivityCancelled(fill)",
        "WorkflowCancelled",
    ];
    assert_eq!(story(&events), whole);
    let new = bed.client().start(buy, 2).id(ID).queue(QUEUE).await?;
    // The cancel sent again is the first one: it reaches nothing new.
    bed.client().handle(ID).cancel().request_id("cancel").await?;
    door.open();
    assert_eq!(new.result().await?, 2);
    let events = bed.check_closed(buy, ID).await?;
    ensure!(!story(&events).contains(&"CancelRequested".to_owned()));
    Ok(())
}

/// Cancels and starts at one moment, many times: every run is begun once and ends in one way.
async fn case_10_starts_and_cancels_in_any_order_leave_whole_runs(kind: StoreKind) -> TestResult {
    let door = Door::new();
    door.open();
    let bed = bed(kind, &door).await?;
    for round in 0..40 {
        let (id, client) = (format!("order {round}"), bed.client());
        let starts = (0..2).map(|n| {
            let call = client.start(buy, round * 2 + n).id(&id).queue(QUEUE).request_id(format!("{n}"));
            tokio::spawn(call.into_future())
        });
        let starts: Vec<_> = starts.collect();
        let cancels = (0..2).map(|_| tokio::spawn(client.handle(&id).cancel().into_future()));
        for cancel in cancels.collect::<Vec<_>>() {
            match cancel.await? {
                Ok(()) | Err(steadfast::EndError::NotFound(_) | steadfast::EndError::Closed { .. }) => {}
                Err(other) => anyhow::bail!("{other:?}"),
            }
        }
        for start in starts {
            match start.await? {
                Ok(_) | Err(StartError::AlreadyStarted { .. }) => {}
                Err(other) => anyhow::bail!("{other:?}"),
            }
        }
        drop(bed.client().handle(&id).outcome().await?);
        let events = story(&bed.check_closed(buy, &id).await?);
        let cancels = events.iter().filter(|line| *line == "CancelRequested").count();
        ensure!(cancels <= 1, "{events:?}");
    }
    Ok(())
}

/// C3: an id that is none is refused as such, by all callers at once, and nothing is stored, then or later.
async fn case_10_an_id_that_is_none_begins_nothing(kind: StoreKind) -> TestResult {
    let door = Door::new();
    let mut bed = bed(kind, &door).await?;
    bed.start(buy, ID, 0).await?;
    bed.ledger().until_called("fill 0", 1).await?;
    let before = (bed.gate().commits().len(), bed.client().list(ListFilter::default(), None, 10).await?.rows);
    for (id, problem) in
        [("", "is empty"), (" ", "is blank"), ("\t \n", "is blank"), ("\u{a0}\u{3000}", "is blank")]
    {
        let calls = (0..CALLERS).map(|input| {
            let call = bed.client().start(buy, input).id(id).queue(QUEUE);
            tokio::spawn(call.id_conflict(IdConflictPolicy::UseExisting).into_future())
        });
        for call in calls.collect::<Vec<_>>() {
            let Err(StartError::Name(error)) = call.await? else { anyhow::bail!("{id:?} was accepted") };
            ensure!(error.to_string().starts_with(&format!("the workflow id {problem}")), "{error}");
        }
    }
    let after = (bed.gate().commits().len(), bed.client().list(ListFilter::default(), None, 10).await?.rows);
    assert_eq!(before, after);
    bed.kill_and_restart().await?;
    assert_eq!(bed.client().list(ListFilter::default(), None, 10).await?.rows, before.1);
    Ok(())
}

steadfast_tests::on_stores!(
    case_10_starts_that_were_cut_off_begin_one_run_when_sent_again,
    case_10_callers_of_two_engines_begin_one_run,
    case_10_of_sixteen_delayed_starts_one_counts,
    case_10_a_start_that_meets_an_end_begins_a_run_after_it_or_none,
    case_10_starts_and_ends_in_any_order_leave_whole_runs,
    case_10_a_start_that_meets_a_cancel_is_not_cancelled,
    case_10_starts_and_cancels_in_any_order_leave_whole_runs,
    case_10_an_id_that_is_none_begins_nothing,
);
